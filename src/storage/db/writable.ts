import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { DAY_MS } from '../../domain/instant.ts';
import { guardReason, undo } from './guards.ts';
import { KNOWN_SCHEMA, municipalities, restores, schemaState } from './schema/index.ts';
import { bare, literal } from './sql.ts';
import { statement } from './statement.ts';

/** The database's clock, in milliseconds. */
export const DATABASE_CLOCK = sql.raw(`cast(unixepoch('subsec') * 1000 as integer)`);

/** How long deletion by age waits for the next call of a restore, in milliseconds. */
const WAITING_MS = DAY_MS;

/**
 * The condition that no restore of a municipality is under way, or that its last call was long ago. Deletion by age could take
 * rows that the backup's later parts refer to.
 */
export const isNotRestoring = (id: SQLWrapper): SQL =>
  sql`${id} not in (
    select ${restores.municipalityId} from ${restores}
    cross join ${municipalities} on ${municipalities.id} = ${restores.municipalityId}
    where ${municipalities.restoring} and ${restores.calledAt} > ${DATABASE_CLOCK} - ${literal(WAITING_MS)})`;

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
