import { getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { db, measured, query } from '../db/batch.ts';
import { callPlates, calls } from '../db/schema/index.ts';
import type { CallRows } from './call-record.ts';

/** The prefix of the ids of an instant. They all sort after it. */
export const firstIdAt = (at: SQLWrapper): SQL => sql`unhex(printf('%012x', max(${at}, 0)))`;

/** The stored part of a digest: its first 16 bytes. */
const digestBytes = (hex: SQLWrapper): SQL => sql`unhex(substr(${hex}, 1, 32))`;

/** The stored parts of the digests in the placeholder of this name: a JSON list. */
export const digestsIn = (name: string): SQL =>
  sql`(select ${digestBytes(sql.raw('value'))} from json_each(${sql.placeholder(name)}))`;

/** Every column must be written: adding or renaming one breaks the build here. */
type Row = Record<Exclude<keyof typeof calls.$inferSelect, 'id'> | 'requestId', unknown>;

/** A property of a row's JSON, in the form that its column stores. The names are the schema's, and so need no escaping. */
function jsonValue(property: string): SQL {
  if (property === 'id') return sql`unhex(value ->> 'requestId', '-')`;
  const value = sql.raw(`value ->> '${property}'`);
  return property === 'plateDigest' ? digestBytes(value) : value;
}

/** The rows of a JSON list, in the table's columns. */
const selected = (table: SQLiteTable, name: string): SQL =>
  sql`select ${sql.join(Object.keys(getTableColumns(table)).map(jsonValue), sql`, `)}
    from json_each(${sql.placeholder(name)}) where true`;

const INSERTING = [
  query(() => db.insert(calls).select(selected(calls, 'rows')).onConflictDoNothing()),
  query(() => db.insert(callPlates).select(selected(callPlates, 'plates')).onConflictDoNothing()),
] as const;

/**
 * Writes finished calls and their plates. Idempotent: an existing row is left unchanged.
 *
 * @returns the size of the database, in bytes
 */
export async function insertCalls(d1: D1Database, finished: readonly CallRows[]): Promise<number> {
  const rows = finished.map(({ row }) => row satisfies Row);
  const plates = finished.flatMap((call) => call.plates);
  const values = { rows: JSON.stringify(rows), plates: JSON.stringify(plates) };
  const { bytes } = await measured(d1, plates.length > 0 ? INSERTING : INSERTING.slice(0, 1), values);
  return bytes;
}
