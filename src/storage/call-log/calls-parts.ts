import { getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { callPlates, calls } from '../db/schema/index.ts';
import { bytesOfUuid, literal, tableAs, uuidOf } from '../db/sql.ts';

/** A call as read from the log, with its id as a UUID and its digest in hexadecimal. */
export type LoggedCall = Omit<typeof calls.$inferSelect, 'id' | 'plateDigest'> & {
  readonly requestId: string;
  readonly plateDigest: string | null;
};

/** A table of calls to select from: the calls themselves, or the plates of calls about many. */
export interface CallTable {
  /** For `from`. */
  readonly from: SQL;
  /** The columns of {@link LoggedCall}, as SQL. */
  readonly columns: Readonly<Record<keyof LoggedCall, SQLiteColumn | SQL>>;
  /** The position of the plate in a call about many; else 0. */
  readonly position: SQLiteColumn | SQL;
  /** For `order by`: by instant and id, served by an index. */
  readonly order: SQL;
  /** The condition that a call was made at or after an instant. Served by an index. */
  readonly since: (at: SQL) => SQL;
  readonly before: (at: SQL) => SQL;
  /** The condition that a call has one of the digests of a JSON list. */
  readonly hasDigestIn: (digests: SQL) => SQL;
}

/** The prefix of the ids of an instant. They all sort after it. */
export const firstIdAt = (at: SQLWrapper): SQL => sql`unhex(printf('%012x', max(${at}, 0)))`;

/** The stored part of a digest: its first 16 bytes. */
export const digestBytes = (hex: SQLWrapper): SQL => sql`unhex(substr(${hex}, 1, 32))`;

const call = alias(calls, 'call');

const { id: _, ...ofCall } = getTableColumns(call);
const digestOf = (digest: SQLWrapper): SQL => sql`iif(${digest} is null, null, lower(hex(${digest})))`;

/** The calls, as `call`. */
export const LOGGED_CALLS: CallTable = {
  from: tableAs(calls, call),
  columns: { requestId: uuidOf(call.id), ...ofCall, plateDigest: digestOf(call.plateDigest) },
  position: literal(0),
  order: sql`${call.id}`,
  since: (at) => sql`${call.id} >= ${firstIdAt(at)}`,
  before: (at) => sql`${call.id} < ${firstIdAt(at)}`,
  hasDigestIn: (digests) =>
    sql`${call.plateDigest} in (select ${digestBytes(sql.raw('value'))} from json_each(${digests}))`,
};

/** The condition that a call has a request id. */
export const hasRequestId = (requestId: SQL): SQL => sql`${call.id} = ${bytesOfUuid(requestId)}`;

const plateOfCall = alias(callPlates, 'plate_of_call');

/** The calls about many plates, one row per plate, with the outcome for that plate. */
export const PLATES_OF_CALLS: CallTable = {
  ...LOGGED_CALLS,
  from: sql`${tableAs(callPlates, plateOfCall)} cross join ${tableAs(calls, call)} on ${call.id} = ${plateOfCall.id}`,
  columns: { ...LOGGED_CALLS.columns, outcome: plateOfCall.outcome },
  position: plateOfCall.position,
  order: sql`${plateOfCall.id}`,
  since: (at) => sql`${plateOfCall.id} >= ${firstIdAt(at)}`,
  before: (at) => sql`${plateOfCall.id} < ${firstIdAt(at)}`,
  hasDigestIn: (digests) =>
    sql`${plateOfCall.plateDigest} in (select ${digestBytes(sql.raw('value'))} from json_each(${digests}))`,
};
