import { and, asc, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { municipalities, tenants } from '../../storage/db/schema/index.ts';
import { FROM_BACKUP } from '../../storage/db/schema/moves.ts';

/** A municipality of the tenant. */
export interface HeldIn {
  readonly id: number;
  readonly code: string;
  readonly timeZone: string;
}

/** A discarded restore leaves the row of a municipality that was nowhere before, and is nowhere now. */
const isSomewhere = sql`(${municipalities.movedTo} is not ${FROM_BACKUP} or ${municipalities.arriving})`;

/** The tenant's municipalities, by the home's directory, ordered by code. Null: there is no such tenant. */
export async function readHolders(db: D1Database, tenant: string): Promise<HeldIn[] | null> {
  const rows = await drizzle(db)
    .select({
      tenantCode: tenants.code,
      id: municipalities.id,
      code: municipalities.code,
      timeZone: municipalities.timeZone,
    })
    .from(tenants)
    .leftJoin(municipalities, and(eq(municipalities.tenantId, tenants.id), isSomewhere))
    .where(eq(tenants.code, tenant))
    .orderBy(asc(municipalities.code));
  if (rows.length === 0) {
    return null;
  }
  return rows.flatMap(({ id, code, timeZone }) =>
    id === null || code === null || timeZone === null ? [] : [{ id, code, timeZone }],
  );
}
