import { and, eq, isNull, sql } from 'drizzle-orm';
import { OF_TENANT } from '../../serving/lookups/municipality-table.ts';
import { db, query, read } from '../../storage/db/batch.ts';
import { municipalities, tenants } from '../../storage/db/schema/index.ts';
import { atMost, namedIn } from '../../storage/db/sql.ts';

const ACTIVE = query(() =>
  db
    .select({ code: municipalities.code })
    .from(municipalities)
    .innerJoin(tenants, OF_TENANT)
    .where(
      and(
        eq(tenants.code, sql.placeholder('tenant')),
        eq(municipalities.active, true),
        isNull(municipalities.restoring),
        sql`(${sql.placeholder('among')} is null or ${namedIn(municipalities.code, 'among')})`,
      ),
    )
    .limit(atMost(2)),
);

/** The codes of two at most of a tenant's active municipalities: all of them, or these. */
export async function readActiveCodes(
  d1: D1Database,
  tenant: string,
  among: readonly string[] | null,
): Promise<string[]> {
  const [rows] = await read(d1, [ACTIVE], { tenant, among: among && JSON.stringify(among) });
  return rows.map(({ code }) => code);
}
