import { and, eq, isNull, sql } from 'drizzle-orm';
import { db, query, read } from '../../storage/db/batch.ts';
import { municipalities, tenants } from '../../storage/db/schema/index.ts';
import { atMost, namedIn } from '../../storage/db/sql.ts';

const TENANT = query(() =>
  db
    .select({ active: tenants.active })
    .from(tenants)
    .where(eq(tenants.code, sql.placeholder('code'))),
);

const OWN = query(() =>
  db
    .select({ code: municipalities.code })
    .from(municipalities)
    .innerJoin(tenants, eq(tenants.id, municipalities.tenantId))
    .where(
      and(
        namedIn(municipalities.code, 'codes'),
        eq(tenants.code, sql.placeholder('tenant')),
        isNull(municipalities.restoring),
      ),
    ),
);

const TWO_OF_TENANT = query(() =>
  db
    .select({ code: municipalities.code })
    .from(municipalities)
    .innerJoin(tenants, eq(tenants.id, municipalities.tenantId))
    .where(and(eq(tenants.code, sql.placeholder('tenant')), isNull(municipalities.restoring)))
    .limit(atMost(2)),
);

/** Whether there is an active tenant with this code. */
export async function isActiveTenant(d1: D1Database, code: string): Promise<boolean> {
  const [[tenant]] = await read(d1, [TENANT], { code });
  return tenant?.active === true;
}

/** Which of these municipalities are the tenant's, active or not: codes. */
export async function readOwnMunicipalities(
  d1: D1Database,
  tenant: string,
  codes: readonly string[],
): Promise<ReadonlySet<string>> {
  const [rows] = await read(d1, [OWN], { tenant, codes: JSON.stringify(codes) });
  return new Set(rows.map(({ code }) => code));
}

/** The codes of two at most of a tenant's municipalities: whether there is a choice. */
export async function readTwoOfTenant(d1: D1Database, tenant: string): Promise<string[]> {
  const [rows] = await read(d1, [TWO_OF_TENANT], { tenant });
  return rows.map(({ code }) => code);
}
