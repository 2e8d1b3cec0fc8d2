import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { DAY_MS } from '../../domain/instant.ts';
import { guardReason, undo } from './guards.ts';
import { KNOWN_SCHEMA, moves, municipalities, schemaState, sources } from './schema/index.ts';
import { bare, literal, tableAs } from './sql.ts';
import { statement } from './statement.ts';

/** The database's clock, in milliseconds. Stopping the writes and writing must use the same clock. */
export const DATABASE_CLOCK = sql.raw(`cast(unixepoch('subsec') * 1000 as integer)`);

const writable = alias(municipalities, 'writable');
const writtenSource = alias(sources, 'written_source');

/** Whether a municipality lives in this database and its writes are not stopped. */
export const isWritable = (row: typeof municipalities | typeof writable): SQL =>
  sql`(${row.movedTo} is null and coalesce(${row.writesStoppedUntil}, 0) <= ${DATABASE_CLOCK})`;

/** The id of a municipality. Rolls back the transaction unless the municipality is writable here. */
export const writableId = (id: SQL): SQL => sql`
  coalesce((
    select ${writable.id}
    from ${tableAs(municipalities, writable)}
    where ${writable.id} = ${id}
      and ${isWritable(writable)}
  ), ${undo('not_writable')})`;

/** A value. Rolls back the transaction unless the municipality of a source is writable here. */
export const ifWritable = (sourceId: SQL, value: SQL): SQL => sql`
  coalesce((
    select ${value}
    from ${tableAs(sources, writtenSource)}
    cross join ${tableAs(municipalities, writable)} on ${writable.id} = ${writtenSource.municipalityId}
    where ${writtenSource.id} = ${sourceId}
      and ${isWritable(writable)}
  ), ${undo('not_writable')})`;

/** Rolls back its transaction if any municipality meets a condition. */
export const undoWhere = (condition: SQL): SQL =>
  sql`update ${municipalities} set ${bare(municipalities.tenantId)} = ${undo('not_writable')} where ${condition}`;

/** Whether a municipality lives in this database and its writes are stopped. */
export const IS_STOPPED = sql`(${municipalities.movedTo} is null
      and coalesce(${municipalities.writesStoppedUntil}, 0) > ${DATABASE_CLOCK})`;

/**
 * Rolls back its transaction if the writes of one of these municipalities are stopped.
 *
 * @param ids a select of ids
 */
export const requireNotStopped = (ids: SQL): SQL =>
  undoWhere(sql`${municipalities.id} in (${ids}) and ${IS_STOPPED}`);

/** How long deletion by age waits for a move to end, in milliseconds. */
export const WAITING_MS = DAY_MS;

/**
 * The condition that a municipality is not moving, or has been for longer than {@link WAITING_MS}. Deletion by age during a
 * move could leave part of the rows in the copy, or make the copy begin again.
 */
export const isNotMoving = (id: SQLWrapper): SQL =>
  sql`${id} not in (select ${moves.municipalityId} from ${moves}
    where ${moves.endedAt} is null and ${moves.begunAt} > ${DATABASE_CLOCK} - ${literal(WAITING_MS)})`;

/** Whether this version may write a database of this schema. */
const IS_KNOWN_SCHEMA = sql`(select ${schemaState.lowestWriter} from ${schemaState}) <= ${literal(KNOWN_SCHEMA)}`;

/** A value. Rolls back the transaction unless this version may write the database. */
export const ifKnownSchema = (value: SQLWrapper): SQL =>
  sql`iif(${IS_KNOWN_SCHEMA}, ${value}, ${undo('schema_outgrown')})`;

/** Rolls back its transaction if the schema has outgrown this version. */
const REQUIRE_KNOWN_SCHEMA = statement(
  {},
  () => sql`
  update ${schemaState}
  set ${bare(schemaState.lowestWriter)} = ${undo('schema_outgrown')}
  where ${schemaState.lowestWriter} > ${literal(KNOWN_SCHEMA)}`,
);

/** Only a later version may write the database: its schema has outgrown this one. */
class SchemaOutgrown extends Error {
  override readonly name = 'SchemaOutgrown';
}

/**
 * Awaits statements that contain {@link ifKnownSchema}.
 *
 * @throws SchemaOutgrown, with nothing stored, if the schema has outgrown this version
 */
export async function rethrowOutgrown<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    if (guardReason(error) === 'schema_outgrown') {
      throw new SchemaOutgrown(
        `a later version has changed the database, and this one (schema ${KNOWN_SCHEMA}) must not write there: deploy the later version`,
        { cause: error },
      );
    }
    throw error;
  }
}

/**
 * Runs statements in one transaction.
 *
 * @returns their results
 * @throws SchemaOutgrown, with nothing stored, if the schema has outgrown this version
 */
export async function writeBatch<Row = unknown>(
  db: D1Database,
  statements: readonly D1PreparedStatement[],
): Promise<D1Result<Row>[]> {
  const results = await rethrowOutgrown(db.batch<Row>([...statements, REQUIRE_KNOWN_SCHEMA.prepare(db, {})]));
  return results.slice(0, -1);
}

/** Whether a transaction was rolled back because its municipality is not writable here. */
export const isRefusedWrite = (error: unknown): boolean => guardReason(error) === 'not_writable';

/** @returns null if the transaction was rolled back because its municipality is not writable here */
export async function nullIfRefused<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (isRefusedWrite(error)) {
      return null;
    }
    throw error;
  }
}
