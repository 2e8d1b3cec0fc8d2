import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import { unknownDatabase } from '../../serving/administration/unknown.ts';
import type { CallContext } from '../../serving/pipeline/reading.ts';
import { completeArrival } from '../../storage/databases/arrival-table.ts';
import { databasesOf, getDatabase, HOME, isBound } from '../../storage/databases/bindings.ts';
import type { MoveProgress } from '../../storage/db/schema/moves.ts';
import { isRefusedWrite } from '../../storage/db/writable.ts';
import { cleanUpUntil } from './clean-table.ts';
import type { MoveAnswer } from './contract.ts';
import { Copying } from './copying.ts';
import { type Located, locate } from './locate.ts';
import { MAX_STATEMENTS, nullIfRefused, PART_MS, type Route, requireLeft } from './move-parts.ts';
import {
  AT_START,
  beginArriving,
  beginLeaving,
  endMove,
  keepCleaning,
  type Leaving,
  readTenant,
  repeatStay,
  type Standing,
} from './moves-table.ts';
import { rememberPlace } from './remember-place.ts';
import { renewPointer, storeVersion } from './switch-table.ts';
import { atTarget } from './target.ts';

/**
 * Moves a municipality to another database, a bounded part with each call. It may be cut off anywhere, and called by several
 * at once: the next call continues.
 *
 *     old database: row ── writes stopped ── pointer ─────────────── cleaned up
 *     new database: row "arriving" + copy ──┴── last changes ── row
 *
 * The municipality lives elsewhere from the instant at which the old row becomes a pointer.
 *
 * @throws Refusal `NOT_FOUND`; `INVALID_REQUEST` for a database that is unknown or full, or where it already lives;
 *   `MOVE_IN_PROGRESS`, also while the move is called off
 */
export async function moveMunicipality(context: CallContext, code: string, to: string): Promise<MoveAnswer> {
  const { env } = context;
  if (!isBound(env, to)) {
    const bound = databasesOf(env).map(({ name }) => name);
    refuseFields([{ path: 'to', message: unknownDatabase(to, bound) }]);
  }
  const located = await locate(env, code);
  const { name, row, move } = located;
  if (move?.state === 'calling_off' || (move?.state === 'moving' && move.toDatabase !== to)) {
    refuse('MOVE_IN_PROGRESS');
  }
  if (name === to && move?.toDatabase !== to) {
    refuseFields([{ path: 'to', message: LIVES_THERE }]);
  }
  if (name === to) {
    return arrive(context, located);
  }
  const answer = await copyAndSwitch(context, row, { id: row.id, code, from: name, to, stay: row.stay + 1 });
  return answer ?? afterAnother(context, code, to);
}

/** Another call has moved it in the meantime: there, or somewhere else. */
async function afterAnother(context: CallContext, code: string, to: string): Promise<MoveAnswer> {
  const located = await locate(context.env, code);
  if (located.name !== to || (located.move !== null && located.move.toDatabase !== to)) {
    refuse('MOVE_IN_PROGRESS');
  }
  return arrive(context, located);
}

/** Finishes the move where the municipality already lives in its new database. */
function arrive(context: CallContext, { row, move, name }: Located): Promise<MoveAnswer> | MoveAnswer {
  const copied = move?.progress.copied ?? 0;
  return move?.state !== 'moving'
    ? { state: 'done', copied, remaining: 0 }
    : finishMove(
        context,
        { id: row.id, code: row.code, from: move.fromDatabase, to: name, stay: move.stay },
        copied,
      );
}

/** @returns null where another call has moved it meanwhile */
async function copyAndSwitch(
  context: CallContext,
  row: Standing['row'],
  route: Route,
): Promise<MoveAnswer | null> {
  const { env } = context;
  const [from, to] = [getDatabase(env, route.from), getDatabase(env, route.to)];
  const leaving = await beginLeaving(from, route);
  if (leaving === null) {
    return null;
  }
  if (leaving.to !== route.to) {
    refuse('MOVE_IN_PROGRESS');
  }
  const turn = crypto.randomUUID();
  const tenant = await readTenant(env.DB, row.tenantId);
  const progress = await atTarget(route, () => beginArriving(to, row, tenant, route, turn));
  if (progress === null) {
    return (await repeatStay(from, to, route)) ? moveMunicipality(context, row.code, route.to) : null;
  }
  const copied = { from, to, home: env.DB, route, turn };
  const copying = new Copying(copied, progressUnlessStale(progress, leaving));
  const endsAtMs = performance.now() + PART_MS;
  try {
    while (copying.statements < MAX_STATEMENTS && performance.now() < endsAtMs) {
      const stepped = await copying.step();
      if (stepped === 'arrived') {
        return await finishMove(context, route, copying.progress.copied, endsAtMs);
      }
      if (stepped === 'wait') {
        break;
      }
    }
  } catch (error) {
    // Another call of the same move has taken over, or has come to its end.
    if (!isRefusedWrite(error)) {
      throw error;
    }
  }
  return copying.answer();
}

/** No progress, where an erasure has made the copy stale: then it begins again. */
const progressUnlessStale = (progress: MoveProgress, { erasures }: Leaving): MoveProgress =>
  progress.step === 'clear' || progress.erasures === erasures ? progress : AT_START;

/**
 * Does what is left to do once the municipality lives in its new database. Doing any of it twice does no harm.
 *
 * @param copied how many rows were copied
 */
async function finishMove(
  context: CallContext,
  route: Route,
  copied: number,
  endsAtMs = performance.now() + PART_MS,
): Promise<MoveAnswer> {
  const { env, requestId } = context;
  const { id, code } = route;
  const [from, to] = [getDatabase(env, route.from), getDatabase(env, route.to)];
  await completeArrival(to, code, route);
  await storeVersion(to, code, { requestId, now: clockNow() });
  if (route.to !== HOME) {
    await renewPointer(env.DB, route);
  }
  await keepCleaning(to, route, copied);
  await rememberPlace(context, code, route.to);
  // Null: another call has cleaned it up, and the municipality is on its way again.
  const isClean = await nullIfRefused(() => cleanUpUntil(endsAtMs, from, id, requireLeft(route)));
  if (isClean === false) {
    return { state: 'cleaning', copied, remaining: 0 };
  }
  await endMove(from, to, route);
  return { state: 'done', copied, remaining: 0 };
}

const LIVES_THERE = {
  en: 'the municipality is in this database already',
  it: 'il comune è già in questa base dati',
};
