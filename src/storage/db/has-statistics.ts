import { type SQL, sql } from 'drizzle-orm';

/** Whether `ANALYZE` or `PRAGMA optimize` has run on the database. */
export const HAS_STATISTICS: SQL<number> = sql`exists (select 1 from pragma_table_info('sqlite_stat1'))`;
