import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { SelectedFields } from 'drizzle-orm/sqlite-core';
import { db, named } from '../../storage/db/batch.ts';
import { municipalities, tenants } from '../../storage/db/schema/index.ts';

/** What every reader selects of its municipality, so that the grant can be judged: a row is a `FoundMunicipality`. */
export const FOUND = {
  code: municipalities.code,
  tenantCode: named(tenants.code, 'tenant_code'),
  active: municipalities.active,
  tenantActive: named(tenants.active, 'tenant_active'),
};

/** The condition of the join with the tenants. */
export const OF_TENANT = eq(tenants.id, municipalities.tenantId);

/** The municipality with the code of the placeholder `code`. One that is being restored is unknown. */
export const BY_CODE: SQL | undefined = and(
  eq(municipalities.code, sql.placeholder('code')),
  isNull(municipalities.restoring),
);

/** A select of that municipality: {@link FOUND}, and these columns. */
export const selectMunicipality = <Columns extends SelectedFields>(columns: Columns) =>
  db
    .select({ ...FOUND, ...columns })
    .from(municipalities)
    .innerJoin(tenants, OF_TENANT)
    .where(BY_CODE);
