import { getTableColumns, sql } from 'drizzle-orm';
import { callLog } from '../db/schema/index.ts';
import { parameter, statement } from '../db/sql.ts';
import type { CallRow } from './digested.ts';

/** Every column must be written: one that is added or renamed breaks the build here. */
type Row = Record<keyof typeof callLog.$inferSelect, unknown>;

const COLUMNS = Object.entries(getTableColumns(callLog)).map(([property, { name }]) => ({
  name: sql.identifier(name),
  // The properties of a row are named by the schema: none needs escaping.
  value: sql.raw(`value ->> '$.${property}'`),
}));

/** Inserts any number of rows with one parameter: a JSON list of them, under the schema's property names. */
const insertRows = statement(
  () => sql`insert into ${callLog} (${sql.join(
    COLUMNS.map(({ name }) => name),
    sql`, `,
  )})
    select ${sql.join(
      COLUMNS.map(({ value }) => value),
      sql`, `,
    )}
    from json_each(${parameter(1)})
    where true
    on conflict (${sql.identifier(callLog.requestId.name)}) do nothing`,
);

/** Writes the rows of finished calls, with both bodies if they are kept. A row that exists already stays as it is. */
export async function insertCalls(db: D1Database, calls: readonly CallRow[]): Promise<void> {
  const rows = calls.map((call) => ({ request: null, response: null, ...call }) satisfies Row);
  await db.prepare(insertRows()).bind(JSON.stringify(rows)).run();
}
