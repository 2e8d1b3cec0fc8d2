import { getTableColumns, getTableName } from 'drizzle-orm';
import { callLog } from '../db/schema/index.ts';
import type { CallRecord, WholeCall } from './call-record.ts';

const COLUMNS = Object.entries(getTableColumns(callLog)).map(([property, { name }]) => ({ property, name }));

/** Every column has its property. */
type Row = Record<keyof typeof callLog.$inferSelect, unknown>;

/** Any number of rows in one statement and one parameter, each a JSON object. The properties' names are the schema's. */
const INSERT = `
insert into ${getTableName(callLog)} (${COLUMNS.map(({ name }) => name).join(', ')})
select ${COLUMNS.map(({ property }) => `value ->> '$.${property}'`).join(', ')}
from json_each(?)
where true
on conflict (${callLog.requestId.name}) do nothing`;

/** Writes the rows of finished calls, with both bodies where they are known. A row that is there already stays as it is. */
export async function insertCalls(db: D1Database, calls: readonly (CallRecord | WholeCall)[]): Promise<void> {
  const rows = calls.map(
    (call) => ({ request: null, response: null, plateDigest: null, ...call }) satisfies Row,
  );
  await db.prepare(INSERT).bind(JSON.stringify(rows)).run();
}
