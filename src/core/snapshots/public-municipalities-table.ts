import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { pick } from '../../base/platform/pick.ts';
import { municipalities } from '../../storage/db/schema/index.ts';
import { type RowOf, tableAs } from '../../storage/db/sql.ts';
import { all, select, statement } from '../../storage/db/statement.ts';

const municipality = alias(municipalities, 'municipality');

const PUBLIC = pick(municipality, 'code', 'name', 'timeZone');

/** Who is public: an active municipality of an active tenant that has switched it on, with all its active areas. */
const IS_PUBLIC = sql`
      ${municipality.active}
      and ${municipality.tenantActive}
      and ${municipality.publicOccupancyEnabled}
      and not ${municipality.restoring}`;

const LIST_PUBLIC = statement({}, () =>
  select(
    PUBLIC,
    sql`
    from ${tableAs(municipalities, municipality)}
    where ${IS_PUBLIC}
    order by ${municipality.code}`,
  ),
);

/** The active municipalities with public occupancy, ordered by code. */
export async function listPublicMunicipalities(db: D1Database): Promise<readonly RowOf<typeof PUBLIC>[]> {
  const { results } = await all(LIST_PUBLIC.prepare(db, {}));
  return results;
}
