import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { DAY_MS } from '../../domain/instant.ts';
import { guardReason, undo } from './guards.ts';
import { KNOWN_SCHEMA, moves, municipalities, schemaState, sources } from './schema/index.ts';
import { bare, literal, tableAs } from './sql.ts';
import { statement } from './statement.ts';

/** The database's own clock, in milliseconds: stopping the writes and writing use the same one. */
export const DATABASE_CLOCK = sql.raw(`cast(unixepoch('subsec') * 1000 as integer)`);

const writable = alias(municipalities, 'writable');
const writtenSource = alias(sources, 'written_source');

/** Whether a municipality lives here, and its writes are not stopped. */
export const isWritable = (row: typeof municipalities | typeof writable): SQL =>
  sql`(${row.movedTo} is null and coalesce(${row.writesStoppedUntil}, 0) <= ${DATABASE_CLOCK})`;

/** The id of a municipality, where it may be written here: else nothing of the transaction is stored. */
export const writableId = (id: SQL): SQL => sql`
  coalesce((
    select ${writable.id}
    from ${tableAs(municipalities, writable)}
    where ${writable.id} = ${id}
      and ${isWritable(writable)}
  ), ${undo('not_writable')})`;

/** The same for something else than the id, of the municipality that has a source. */
export const ifWritable = (sourceId: SQL, value: SQL): SQL => sql`
  coalesce((
    select ${value}
    from ${tableAs(sources, writtenSource)}
    cross join ${tableAs(municipalities, writable)} on ${writable.id} = ${writtenSource.municipalityId}
    where ${writtenSource.id} = ${sourceId}
      and ${isWritable(writable)}
  ), ${undo('not_writable')})`;

/** Undoes the transaction in which it is where a municipality meets a condition. */
export const undoWhere = (condition: SQL): SQL =>
  sql`update ${municipalities} set ${bare(municipalities.tenantId)} = ${undo('not_writable')} where ${condition}`;

/** That the writes of a municipality, which lives here, are stopped. */
export const IS_STOPPED = sql`(${municipalities.movedTo} is null
      and coalesce(${municipalities.writesStoppedUntil}, 0) > ${DATABASE_CLOCK})`;

/**
 * Undoes the transaction in which it is where the writes of one of these municipalities are stopped.
 *
 * @param ids a select of ids
 */
export const requireNotStopped = (ids: SQL): SQL =>
  undoWhere(sql`${municipalities.id} in (${ids}) and ${IS_STOPPED}`);

/** For so long, what is deleted by its age waits for a move to end, in milliseconds. */
export const WAITING_MS = DAY_MS;

/**
 * That no municipality with this id is being moved, or that its move takes too long to be waited for. What is deleted by
 * its age meanwhile might be copied in part, or make the copy begin again.
 */
export const isNotMoving = (id: SQLWrapper): SQL =>
  sql`${id} not in (select ${moves.municipalityId} from ${moves}
    where ${moves.endedAt} is null and ${moves.begunAt} > ${DATABASE_CLOCK} - ${sql.raw(String(WAITING_MS))})`;

/** Whether this version knows enough of the database's schema to write there. */
const IS_KNOWN_SCHEMA = sql`(select ${schemaState.lowestWriter} from ${schemaState}) <= ${literal(KNOWN_SCHEMA)}`;

/** A value, where this version may write the database: else nothing of the transaction is stored. */
export const ifKnownSchema = (value: SQLWrapper): SQL =>
  sql`iif(${IS_KNOWN_SCHEMA}, ${value}, ${undo('schema_outgrown')})`;

/** Undoes the transaction in which it is where the database's schema has outgrown this version. */
const REQUIRE_KNOWN_SCHEMA = statement(
  {},
  () => sql`
  update ${schemaState}
  set ${bare(schemaState.lowestWriter)} = ${undo('schema_outgrown')}
  where ${schemaState.lowestWriter} > ${literal(KNOWN_SCHEMA)}`,
);

/** This version does not know the database's schema well enough to write there: only a later one may. */
class SchemaOutgrown extends Error {
  override readonly name = 'SchemaOutgrown';
}

/**
 * Sends statements that carry {@link ifKnownSchema}.
 *
 * @throws SchemaOutgrown, and nothing is stored, where the schema has outgrown this version
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
 * Sends statements as one transaction.
 *
 * @returns their results
 * @throws SchemaOutgrown, and nothing is stored, where the schema has outgrown this version
 */
export async function writeBatch<Row = unknown>(
  db: D1Database,
  statements: readonly D1PreparedStatement[],
): Promise<D1Result<Row>[]> {
  const results = await rethrowOutgrown(db.batch<Row>([...statements, REQUIRE_KNOWN_SCHEMA.prepare(db, {})]));
  return results.slice(0, -1);
}

/** Whether a transaction was undone because its municipality may not be written here now. */
export const isRefusedWrite = (error: unknown): boolean => guardReason(error) === 'not_writable';
