import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { pick } from '../../base/platform/pick.ts';
import { municipalities } from '../../storage/db/schema/index.ts';
import { columns, type RowOf, statement, tableAs } from '../../storage/db/sql.ts';

const municipality = alias(municipalities, 'municipality');

const PUBLIC = pick(municipality, 'code', 'name', 'timeZone');

/** Who is public: an active municipality of an active tenant that has switched it on, with all its active areas. */
const IS_PUBLIC = sql`${municipality.active} and ${municipality.tenantActive} and ${municipality.publicOccupancyEnabled}`;

const listPublic = statement(
  () => sql`select ${columns(PUBLIC)} from ${tableAs(municipalities, municipality)}
    where ${IS_PUBLIC} order by ${municipality.code}`,
);

/** The active municipalities with public occupancy by the home's directory, ordered by code. */
export async function listPublicMunicipalities(db: D1Database): Promise<readonly RowOf<typeof PUBLIC>[]> {
  const { results } = await db.prepare(listPublic()).all<RowOf<typeof PUBLIC>>();
  return results;
}
