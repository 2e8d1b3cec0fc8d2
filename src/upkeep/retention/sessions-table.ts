import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import { sessionOverAt } from '../../storage/db/over-sql.ts';
import { municipalities, parkingSessions } from '../../storage/db/schema/index.ts';
import { columns, prepareQuery, type RowOf, tableAs } from '../../storage/db/sql.ts';
import { isNotMoving } from '../../storage/db/writable.ts';
import { type Deleted, deleteBatch } from './deletion-parts.ts';
import { deleteVersioned } from './past-parts.ts';

/** How many sessions are looked at for each that may be deleted. Few that were recorded so long ago are not over. */
const LOOKED_AT_EACH = 4;

/** How many statements one batch sends. */
export const SESSIONS_STATEMENTS = 5;

/** The last session that was looked at: a run goes along them by municipality and recording. */
interface Place {
  readonly municipality: number;
  readonly recorded_at: number;
  readonly id: number;
}

const session = alias(parkingSessions, 'session');
const municipality = alias(municipalities, 'municipality');

const sessionsBehind = (place: Place, before: Instant, rows: number) => {
  const selection = {
    municipality: municipality.id,
    recorded_at: session.recordedAt,
    id: session.id,
    is_over: sql<number>`${sessionOverAt(session)} < ${before}`,
  };
  const query = sql`select ${columns(selection)} from ${tableAs(municipalities, municipality)}
    cross join ${tableAs(parkingSessions, session, 'parking_sessions_by_recording')} on ${session.municipalityId} = ${municipality.id}
      and ${session.recordedAt} >= iif(${municipality.id} = ${place.municipality}, ${place.recorded_at}, 0) and ${session.recordedAt} < ${before}
    where ${municipality.id} >= ${place.municipality} and ${isNotMoving(municipality.id)}
      and (${municipality.id} > ${place.municipality} or ${session.recordedAt} > ${place.recorded_at} or ${session.id} > ${place.id})
    order by ${municipality.id}, ${session.recordedAt}, ${session.id} limit ${rows}`;
  return { query, selection };
};
type Behind = RowOf<ReturnType<typeof sessionsBehind>['selection']>;

/**
 * Deletes sessions that were over, and last recorded, before an instant: a batch with each call, from the oldest recording on.
 * What is not over yet is passed once a run.
 */
export function sessionsDeletion(before: Instant, rows: number): (db: D1Database) => Promise<Deleted> {
  let place: Place = { municipality: 0, recorded_at: 0, id: 0 };
  return async (db) => {
    const { results } = await prepareQuery(
      db,
      sessionsBehind(place, before, rows * LOOKED_AT_EACH).query,
    ).all<Behind>();
    const due = results.filter(({ is_over }) => is_over === 1).slice(0, rows);
    const last = due.length === rows ? due.at(-1) : results.at(-1);
    const isLast = due.length < rows && results.length < rows * LOOKED_AT_EACH;
    if (due.length === 0) {
      place = last ?? place;
      return { rows: 0, isDone: isLast, statements: 1 };
    }
    const ids = sql`(select value as id from json_each(${JSON.stringify(due.map(({ id }) => id))}))`;
    const deleted = await deleteBatch(db, deleteVersioned('parking_session', ids, before, rows));
    // What has a longer past is looked at again.
    const isAll = deleted.rows === due.length;
    place = isAll && last !== undefined ? last : place;
    return { rows: deleted.rows, isDone: isAll && isLast, statements: 1 + deleted.statements };
  };
}
