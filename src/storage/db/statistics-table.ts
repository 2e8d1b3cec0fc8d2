import { sql } from 'drizzle-orm';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { HAS_STATISTICS } from './sql.ts';
import { first, statement } from './statement.ts';

const FIND = statement({}, () => sql<{ readonly found: number }>`select ${HAS_STATISTICS} as found`);

/**
 * A connection keeps the statistics that it has loaded until it loads others. So this first loads SQLite's default estimate
 * for every table, and then deletes the statistics.
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
 * Drops the database's statistics, so that SQLite plans without them. Statistics of a small table become stale as it grows:
 * statements then scan all of it, and so do foreign keys, which take no `indexed by`. Does not throw if another call drops
 * them at the same time.
 */
export async function dropStatistics(db: D1Database): Promise<void> {
  try {
    await db.batch(DROP.map((text) => db.prepare(text)));
    logEvent('warn', 'statistics_dropped', {});
  } catch (error) {
    logEvent('warn', 'statistics_not_dropped', { message: errorMessage(error) });
  }
}

/** Drops the statistics, if the database has any. */
export async function dropAnyStatistics(db: D1Database): Promise<void> {
  const row = await first(FIND.prepare(db, {}));
  if (row?.found === 1) await dropStatistics(db);
}
