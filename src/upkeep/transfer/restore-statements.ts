import { type SQL, sql } from 'drizzle-orm';
import { erasuresForBackups } from '../../storage/db/schema/index.ts';
import { columns, parameter, statement, tableByIndex } from '../../storage/db/sql.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import { MUNICIPALITY } from '../../storage/db/travelling.ts';

const AFTER = parameter(2);
const LIMIT = parameter(3);

/** The plates of each table, each by a seek in its index: a plate may have thousands of rows. */
const PLATES = STORED_TABLES.flatMap(({ table, owner, plate }) => {
  if (plate === undefined) {
    return [];
  }
  const { column, index } = plate;
  const next = (after: SQL) => sql`(select min(${column}) from ${tableByIndex(table, index)}
    where ${owner} = ${MUNICIPALITY} and ${column} > ${after})`;
  return [
    sql`select plate from (
    with recursive found(plate) as (
      select ${next(AFTER)} union all select ${next(sql`found.plate`)} from found where found.plate is not null limit ${LIMIT}
    ) select plate from found where plate is not null)`,
  ];
});

/** 2: the plate to continue after; 3: how many. The plates of all tables, in order. */
export const PLATES_AFTER = statement(
  () => sql`select plate from (${sql.join(PLATES, sql` union `)}) order by plate limit ${LIMIT}`,
);

/** 1: a JSON list of tenants' codes; 2: an instant. What has been erased from them since. */
export const ERASURES_SINCE = statement(
  () => sql`select ${columns({ digest: erasuresForBackups.digest, at: erasuresForBackups.at })}
from ${tableByIndex(erasuresForBackups, 'erasures_for_backups_by_tenant')}
where ${erasuresForBackups.tenant} in (select value from json_each(${parameter(1)})) and ${erasuresForBackups.at} >= ${parameter(2)}`,
);
