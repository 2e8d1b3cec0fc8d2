import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { callPlates, calls } from '../db/schema/index.ts';
import { bare, bytesOfUuid, type Json, json, list } from '../db/sql.ts';
import { statement, value } from '../db/statement.ts';
import type { CallPlateRow, CallRecord, CallRow, WholeCall } from './call-record.ts';
import { digestBytes } from './calls-parts.ts';

/** Every column must be written: adding or renaming one breaks the build here. */
type Row = Record<Exclude<keyof typeof calls.$inferSelect, 'id'> | 'requestId', unknown>;

const COLUMNS = Object.entries(getTableColumns(calls));

/** The value at a path of a row's JSON. The names come from the schema and this file, so they need no escaping. */
const textAt = (path: string): SQL => sql.raw(`value ->> '$.${path}'`);

/** A property of a row's JSON, in the form that its column stores. */
function at(property: string): SQL {
  switch (property) {
    case 'id':
      return bytesOfUuid(textAt('requestId'));
    case 'plateDigest':
      return digestBytes(textAt('plateDigest'));
    default:
      return textAt(property);
  }
}

/** Rows under the schema's property names. */
const ROWS = { rows: value<Json<readonly Row[]>>() };

const INSERT = statement(
  ROWS,
  ({ rows }) => sql`
  insert into ${calls} (${list(COLUMNS.map(([, column]) => bare(column)))})
  select ${list(COLUMNS.map(([property]) => at(property)))}
  from json_each(${rows})
  where true
  on conflict (${bare(calls.id)}) do nothing`,
);

/** Writes finished calls and their plates. Idempotent: an existing row is left unchanged. */
export async function insertCalls(
  db: D1Database,
  finished: readonly CallRow<CallRecord | WholeCall>[],
  plates: readonly CallPlateRow[],
): Promise<void> {
  const rows = finished.map((call) => ({ request: null, response: null, ...call }) satisfies Row);
  await db.batch([
    INSERT.prepare(db, { rows: json(rows) }),
    ...(plates.length > 0 ? [INSERT_PLATES.prepare(db, { plates: json(plates) })] : []),
  ]);
}

const PLATE_COLUMNS = Object.entries(getTableColumns(callPlates));

const INSERT_PLATES = statement(
  { plates: value<Json<readonly CallPlateRow[]>>() },
  ({ plates }) => sql`
  insert into ${callPlates} (${list(PLATE_COLUMNS.map(([, column]) => bare(column)))})
  select ${list(PLATE_COLUMNS.map(([property]) => at(property)))}
  from json_each(${plates})
  where true
  on conflict do nothing`,
);
