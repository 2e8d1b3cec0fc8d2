import { type SQL, sql } from 'drizzle-orm';

/** Whether somebody has run `ANALYZE` or `PRAGMA optimize` on the database. */
export const HAS_STATISTICS: SQL<number> = sql`exists (select 1 from pragma_table_info('sqlite_stat1'))`;
