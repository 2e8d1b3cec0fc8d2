import { sql } from 'drizzle-orm';
import { errorMessage } from '../../base/platform/error-message.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import type { Env } from '../../env.ts';
import { HAS_STATISTICS } from '../db/has-statistics.ts';
import { first, statement } from '../db/statement.ts';
import { databasesOf } from './bindings.ts';
import { allSideBySide } from './side-by-side.ts';

const FIND = statement({}, () => sql<{ readonly found: number }>`select ${HAS_STATISTICS} as found`);

/**
 * A connection keeps what it has read of statistics until it reads other ones: first that every table has as many rows as
 * SQLite takes one to have of which it knows nothing, then none.
 */
const DROP = [
  'delete from sqlite_stat1',
  `insert into sqlite_stat1 (tbl, idx, stat) select name, null, '1048576' from sqlite_schema
where type = 'table' and name not glob 'sqlite_*' and name not glob '_cf_*'`,
  'analyze sqlite_schema',
  'delete from sqlite_stat1',
  'analyze sqlite_schema',
  'drop table sqlite_stat1',
];

/**
 * Makes every plan what it is without statistics. What they say of a small table stays when the table has grown, and by then
 * statements read all of it; so do foreign keys, which no `indexed by` reaches. Where another call does the same, nothing
 * is thrown.
 */
export async function dropStatistics(db: D1Database): Promise<void> {
  try {
    await db.batch(DROP.map((text) => db.prepare(text)));
    logEvent('warn', 'statistics_dropped', {});
  } catch (error) {
    logEvent('warn', 'statistics_not_dropped', { message: errorMessage(error) });
  }
}

/** @throws the first failure of a database that cannot be read */
export async function dropAllStatistics(env: Env): Promise<void> {
  await allSideBySide(databasesOf(env), async ({ db }) => {
    const row = await first(FIND.prepare(db, {}));
    if (row?.found === 1) await dropStatistics(db);
  });
}
