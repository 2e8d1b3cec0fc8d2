import { sql } from 'drizzle-orm';
import { municipalities, tenants } from '../../storage/db/schema/index.ts';
import { columns, parameter, type RowOf, statement } from '../../storage/db/sql.ts';

const TENANT = { active: tenants.active };
/** 1: the tenant's code. */
const READ_TENANT = statement(
  () => sql`select ${columns(TENANT)} from ${tenants} where ${tenants.code} = ${parameter(1)}`,
);

const MUNICIPALITY = { code: municipalities.code };
/** 1: the tenant's code; 2: codes of municipalities, in JSON. Each of them is looked up by itself. */
const READ_OWN = statement(
  () => sql`select ${columns(MUNICIPALITY)} from json_each(${parameter(2)}) as named
    cross join ${municipalities} on ${municipalities.code} = named.value
    cross join ${tenants} on ${tenants.id} = ${municipalities.tenantId}
    where ${tenants.code} = ${parameter(1)}`,
);

/** Whether there is an active tenant with this code. */
export async function isActiveTenant(home: D1Database, code: string): Promise<boolean> {
  const row = await home.prepare(READ_TENANT()).bind(code).first<RowOf<typeof TENANT>>();
  // A flag is 0 or 1.
  return Number(row?.active ?? 0) === 1;
}

/** Which of these municipalities are the tenant's, active or not: codes, by the home's directory. */
export async function readOwnMunicipalities(
  home: D1Database,
  tenantCode: string,
  codes: readonly string[],
): Promise<ReadonlySet<string>> {
  const { results } = await home
    .prepare(READ_OWN())
    .bind(tenantCode, JSON.stringify(codes))
    .all<RowOf<typeof MUNICIPALITY>>();
  return new Set(results.map(({ code }) => code));
}
