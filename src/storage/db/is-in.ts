import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** The condition that a column has one of these values. All are in one parameter, since D1 allows a hundred. */
export const isIn = (column: SQLWrapper, values: readonly string[]): SQL =>
  sql`${column} in (select value from json_each(${JSON.stringify(values)}))`;
