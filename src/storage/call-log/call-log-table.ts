import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { utcDay } from '../../domain/instant.ts';
import { callLogDays, callPlates, calls } from '../db/schema/index.ts';
import { bare, bytesOfUuid, type Json, json, list, literal, primaryKeyOf, tableByIndex } from '../db/sql.ts';
import { statement, value } from '../db/statement.ts';
import {
  type CallPlateRow,
  type CallRow,
  isRefused,
  REFUSED_CALLS_A_DAY,
  REQUEST_BYTES_A_DAY,
  type WholeCall,
} from './call-record.ts';
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

const insertOf = (rows: SQL, toValue: (property: string) => SQL, joined = sql``): SQL => sql`
  insert into ${calls} (${list(COLUMNS.map(([, column]) => bare(column)))})
  select ${list(COLUMNS.map(([property]) => toValue(property)))}
  from json_each(${rows}) ${joined}
  where true
  on conflict (${bare(calls.id)}) do nothing`;

const INSERT = statement(ROWS, ({ rows }) => insertOf(rows, at));

/** Writes finished calls without their bodies, and their plates. Idempotent: an existing row is left unchanged. */
export async function insertCalls(
  db: D1Database,
  finished: readonly CallRow[],
  plates: readonly CallPlateRow[],
): Promise<void> {
  const rows = finished.map((call) => ({ ...call, request: null, response: null }) satisfies Row);
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

const { day, credentialId, refusedCalls, requestBytes } = callLogDays;

/** Counts a call once, even if its write is retried. */
const COUNT = statement(
  {
    days: value<number>(),
    credential: value<string>(),
    refused: value<number>(),
    bytes: value<number>(),
    requestId: value<string>(),
  },
  ({ days, credential, refused, bytes, requestId }) => sql`
  insert into ${callLogDays} (${list([day, credentialId, refusedCalls, requestBytes].map(bare))})
  select ${days}, ${credential}, ${refused}, ${bytes}
  where not exists (select 1 from ${calls} where ${calls.id} = ${bytesOfUuid(requestId)})
  on conflict (${bare(day)}, ${bare(credentialId)}) do update
  set ${bare(refusedCalls)} = ${refusedCalls} + excluded.${bare(refusedCalls)},
    ${bare(requestBytes)} = ${requestBytes} + excluded.${bare(requestBytes)}`,
);

/** Must follow {@link COUNT} in the transaction: it reads the day's counters. */
const INSERT_WHOLE = statement(
  { ...ROWS, days: value<number>(), credential: value<string>(), refused: value<number>() },
  ({ rows, days, credential, refused }) =>
    insertOf(
      rows,
      (property) =>
        property === 'request' || property === 'response'
          ? sql`
    iif(
      iif(${refused}, ${refusedCalls} > ${literal(REFUSED_CALLS_A_DAY)}, ${requestBytes} > ${literal(REQUEST_BYTES_A_DAY)}),
      ${textAt(`pastBound.${property}`)},
      ${at(property)})`
          : at(property),
      sql`
  left join ${tableByIndex(callLogDays, primaryKeyOf(callLogDays))}
    on ${day} = ${days}
    and ${credentialId} = ${credential}`,
    ),
);

/**
 * Counts a finished call and writes it with its bodies, or with `pastBound` once the day's bound is used up, in one
 * transaction and one round trip. Idempotent: an existing row is neither changed nor counted again.
 */
export async function insertWholeCall(db: D1Database, call: CallRow<WholeCall>): Promise<void> {
  const row = call satisfies Row;
  const days = utcDay(call.at);
  const credential = call.credentialId ?? '';
  const refused = Number(isRefused(call.httpStatus));
  const bytes = refused === 1 ? 0 : new TextEncoder().encode(call.request ?? '').byteLength;
  await db.batch([
    COUNT.prepare(db, { days, credential, refused, bytes, requestId: call.requestId }),
    INSERT_WHOLE.prepare(db, { rows: json([row]), days, credential, refused }),
  ]);
}
