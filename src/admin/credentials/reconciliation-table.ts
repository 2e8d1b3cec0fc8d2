import { drizzle } from 'drizzle-orm/d1';
import { reconciliation } from '../../db/schema/index.ts';
import { type Instant, instant } from '../../domain/instant.ts';

/** How far the comparison of all credentials has come. */
export interface Place {
  readonly afterCredentialId: string;
  readonly at: Instant;
}

/** Null: no comparison was broken off. */
export async function readPlace(db: D1Database): Promise<Place | null> {
  const [row] = await drizzle(db).select().from(reconciliation);
  return row === undefined ? null : { afterCredentialId: row.afterCredentialId, at: instant(row.at) };
}

/** Keeps the place; null once all credentials have been compared. */
export async function keepPlace(db: D1Database, place: Place | null): Promise<void> {
  const orm = drizzle(db);
  if (place === null) {
    await orm.delete(reconciliation);
  } else {
    await orm
      .insert(reconciliation)
      .values({ id: 1, ...place })
      .onConflictDoUpdate({ target: reconciliation.id, set: place });
  }
}
