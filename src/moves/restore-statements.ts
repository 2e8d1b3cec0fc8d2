import { sql } from 'drizzle-orm';
import { erasuresForBackups, journal, parkingSessions, subscriptionPlates } from '../db/schema/index.ts';
import { columns, parameter, statement, tableByIndex } from '../db/sql.ts';
import { MUNICIPALITY } from './copy-parts.ts';

const AFTER = parameter(2);
const LIMIT = parameter(3);

/** The plates of one table, each by a seek in its index: a plate may have thousands of rows. */
const platesOf = (
  table: typeof journal | typeof parkingSessions | typeof subscriptionPlates,
  isAny = sql`true`,
) => {
  const next = (after: ReturnType<typeof sql>) => sql`(select min(${table.plate}) from ${table}
    where ${table.municipalityId} = ${MUNICIPALITY} and ${table.plate} > ${after} and ${isAny})`;
  return sql`select plate from (
    with recursive found(plate) as (
      select ${next(AFTER)} union all select ${next(sql`found.plate`)} from found where found.plate is not null limit ${LIMIT}
    ) select plate from found where plate is not null)`;
};

/** 2: the plate to continue after; 3: how many. The plates of all tables, in order. */
export const PLATES_AFTER = statement(
  () => sql`select plate from (
${platesOf(parkingSessions)} union ${platesOf(subscriptionPlates)} union ${platesOf(journal, sql`${journal.plate} is not null`)}
) order by plate limit ${LIMIT}`,
);

/** 1: a JSON list of tenants' codes; 2: an instant. What has been erased from them since. */
export const ERASURES_SINCE = statement(
  () => sql`select ${columns({ digest: erasuresForBackups.digest, at: erasuresForBackups.at })}
from ${tableByIndex(erasuresForBackups, 'erasures_for_backups_by_tenant')}
where ${erasuresForBackups.tenant} in (select value from json_each(${parameter(1)})) and ${erasuresForBackups.at} >= ${parameter(2)}`,
);
