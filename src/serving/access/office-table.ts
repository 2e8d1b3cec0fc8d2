import { and, eq, not, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { municipalities, tenants } from '../../storage/db/schema/index.ts';
import { type Json, json } from '../../storage/db/sql.ts';
import { all, first, select, statement, value } from '../../storage/db/statement.ts';

const READ_TENANT = statement({ code: value<string>() }, ({ code }) =>
  select(
    { active: tenants.active },
    sql`
    from ${tenants}
    where ${tenants.code} = ${code}`,
  ),
);

/** Each of the municipalities is looked up by itself. */
const READ_OWN = statement(
  { tenantCode: value<string>(), codes: value<Json<readonly string[]>>() },
  ({ tenantCode, codes }) =>
    select(
      { code: municipalities.code },
      sql`
      from json_each(${codes}) as named
      cross join ${municipalities} on ${municipalities.code} = named.value
      cross join ${tenants} on ${tenants.id} = ${municipalities.tenantId}
      where ${tenants.code} = ${tenantCode}
        and not ${municipalities.restoring}`,
    ),
);

/** Whether there is an active tenant with this code. */
export async function isActiveTenant(db: D1Database, code: string): Promise<boolean> {
  const row = await first(READ_TENANT.prepare(db, { code }));
  // A flag is 0 or 1.
  return Number(row?.active ?? 0) === 1;
}

/** Which of these municipalities are the tenant's, active or not: codes. */
export async function readOwnMunicipalities(
  db: D1Database,
  tenantCode: string,
  codes: readonly string[],
): Promise<ReadonlySet<string>> {
  const { results } = await all(READ_OWN.prepare(db, { tenantCode, codes: json(codes) }));
  return new Set(results.map(({ code }) => code));
}

/** The codes of two at most of a tenant's municipalities: whether there is a choice. */
export async function readTwoOfTenant(db: D1Database, tenantId: number): Promise<string[]> {
  const rows = await drizzle(db)
    .select({ code: municipalities.code })
    .from(municipalities)
    .where(and(eq(municipalities.tenantId, tenantId), not(municipalities.restoring)))
    .limit(2);
  return rows.map(({ code }) => code);
}
