import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { type Instant, instant } from '../../domain/instant.ts';
import { reconciliation } from '../../storage/db/schema/index.ts';

/** How far the comparison of all credentials has got. */
interface Progress {
  readonly afterCredentialId: string;
  readonly at: Instant;
}

const THE_ROW = eq(reconciliation.id, 1);

/** Null if no comparison is going on. */
export async function readProgress(db: D1Database): Promise<Progress | null> {
  const [row] = await drizzle(db).select().from(reconciliation).where(THE_ROW);
  return row === undefined ? null : { afterCredentialId: row.afterCredentialId, at: instant(row.at) };
}

/** Stores the progress; null once all credentials have been compared. */
export async function storeProgress(db: D1Database, progress: Progress | null): Promise<void> {
  const orm = drizzle(db);
  if (progress === null) {
    await orm.delete(reconciliation).where(THE_ROW);
  } else {
    await orm
      .insert(reconciliation)
      .values({ id: 1, ...progress })
      .onConflictDoUpdate({ target: reconciliation.id, set: progress });
  }
}
