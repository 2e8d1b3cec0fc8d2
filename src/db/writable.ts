import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { DAY_MS } from '../domain/instant.ts';
import { moves, municipalities, sources } from './schema/index.ts';
import { aliased, bare } from './sql.ts';

/** The database's own clock, in milliseconds: whoever stops the writes and whoever writes go by the same one. */
export const DATABASE_CLOCK = sql.raw(`cast(unixepoch('subsec') * 1000 as integer)`);

const w = alias(municipalities, 'w');
const o = alias(sources, 'o');

/** Whether a municipality lives here, and its writes are not stopped. */
export const isWritable = (row: typeof municipalities | typeof w): SQL =>
  sql`(${row.movedTo} is null and coalesce(${row.writesStoppedUntil}, 0) <= ${DATABASE_CLOCK})`;

/**
 * The id of a municipality that may be written here, else null. To be stored in a column that takes no null: then nothing
 * of a transaction is stored in which that is not so. See {@link isRefusedWrite}.
 */
export const writableId = (id: SQL): SQL =>
  sql`(select ${w.id} from ${aliased(municipalities, w)} where ${w.id} = ${id} and ${isWritable(w)})`;

/** The same for something else than the id, of the municipality that has a source. */
export const ifWritable = (sourceId: SQL, value: SQL): SQL =>
  sql`(select ${value} from ${aliased(sources, o)}
    cross join ${aliased(municipalities, w)} on ${w.id} = ${o.municipalityId}
    where ${o.id} = ${sourceId} and ${isWritable(w)})`;

/** Undoes the transaction in which it is where a municipality meets a condition: its column takes no null. */
export const undoWhere = (condition: SQL): SQL =>
  sql`update ${municipalities} set ${bare(municipalities.tenantId)} = null where ${condition}`;

/**
 * Undoes the transaction in which it is where the writes of one of these municipalities are stopped.
 *
 * @param ids a select of ids
 */
export const requireNotStopped = (ids: SQL): SQL =>
  undoWhere(sql`${municipalities.id} in (${ids}) and ${municipalities.movedTo} is null
      and coalesce(${municipalities.writesStoppedUntil}, 0) > ${DATABASE_CLOCK}`);

/** For so long, what is deleted by its age waits for a move to end, in milliseconds. */
export const WAITING_MS = DAY_MS;

/**
 * That no municipality with this id is being moved, or that its move takes too long to be waited for. What is deleted by
 * its age meanwhile might be copied in part, or make the copy begin anew.
 */
export const isNotMoving = (id: SQLWrapper): SQL =>
  sql`${id} not in (select ${moves.municipalityId} from ${moves}
    where ${moves.endedAt} is null and ${moves.begunAt} > ${DATABASE_CLOCK} - ${sql.raw(String(WAITING_MS))})`;

/** The columns that hold a transaction back so. The journal's own stands for something else: a plate that was erased meanwhile. */
const REFUSING =
  /NOT NULL constraint failed: ((?!journal\.)\w+\.municipality_id|source_imports\.last_outcome|municipalities\.tenant_id)/;

/** Whether a transaction was undone because its municipality may not be written here now. */
export const isRefusedWrite = (error: unknown): boolean =>
  error instanceof Error && REFUSING.test(`${error.message} ${String(error.cause ?? '')}`);
