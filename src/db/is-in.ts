import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** That a column has one of these values: any number of them in one parameter, where D1 takes a hundred. */
export const isIn = (column: SQLWrapper, values: readonly string[]): SQL =>
  sql`${column} in (select value from json_each(${JSON.stringify(values)}))`;
