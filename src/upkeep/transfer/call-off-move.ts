import { refuse } from '../../base/errors/refusal.ts';
import { errorMessage } from '../../base/platform/error-message.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import type { Env } from '../../env.ts';
import { readArriving } from '../../storage/databases/arrival-table.ts';
import { databasesOf, getDatabase, hasSeveral, isBound } from '../../storage/databases/bindings.ts';
import { sideBySide, splitOutcomes } from '../../storage/databases/side-by-side.ts';
import { nullIfRefused } from '../../storage/db/null-if-refused.ts';
import { FROM_BACKUP } from '../../storage/db/schema/moves.ts';
import type { CallOffAnswer } from './contract.ts';
import { atTarget, locate } from './locate.ts';
import { cleanUp, MAX_STEPS, PART_MS, type Route, readTenant, type Standing } from './moves-table.ts';
import {
  beginCallingOff,
  endArriving,
  endCallingOff,
  requireCalledOff,
  stopArriving,
} from './switch-table.ts';

/**
 * Calls off the move of a municipality, a bounded part with each call: it stays where it is, and its copy is deleted. It may be
 * cut off anywhere, and called by several at once.
 *
 * @throws Refusal `NOT_FOUND`, also where no move is under way; `MOVE_IN_PROGRESS` once its switch has begun
 */
export async function callOffMove(env: Env, code: string): Promise<CallOffAnswer> {
  const { name, row, move } = await locate(env, code);
  if (move === null || move.state === 'done') {
    refuse('NOT_FOUND', { message: NO_MOVE });
  }
  if (move.state === 'called_off') {
    return { state: 'called_off' };
  }
  const route: Route = { id: row.id, code, from: name, to: move.toDatabase, stay: move.stay };
  const from = getDatabase(env, name);
  if (name === route.to || !(await beginCallingOff(from, route))) {
    refuse('MOVE_IN_PROGRESS', { message: SWITCHING });
  }
  if (!(await deleteCopy(env, row, route))) {
    return { state: 'calling_off' };
  }
  await endCallingOff(from, route);
  return { state: 'called_off' };
}

/**
 * Deletes some of the copy. One in a database that is not bound, or is away, is left: it is not in use, and `deleteLeftCopies`
 * or the next move there deletes it once the database is back.
 *
 * @returns whether nothing is left that can be deleted
 */
async function deleteCopy(
  env: Env,
  row: Standing['row'],
  route: Route,
  maxSteps = MAX_STEPS,
): Promise<boolean> {
  const { id, code, to: database } = route;
  const noteLeft = (message: string): true => {
    logEvent('warn', 'move_copy_left', { database, municipality_code: code, message });
    return true;
  };
  if (!isBound(env, database)) {
    return noteLeft('it is not bound');
  }
  const to = getDatabase(env, database);
  const tenant = await readTenant(env.DB, row.tenantId);
  const endsAtMs = performance.now() + PART_MS;
  // Null: the copy is deleted already.
  const inCopy = <T>(work: () => Promise<T>) => atTarget(route, () => nullIfRefused(work));
  try {
    const isThere = await inCopy(() => stopArriving(to, row, tenant, route).then(() => true));
    for (let steps = 0; isThere !== null; steps += 1) {
      if (steps === maxSteps || performance.now() > endsAtMs) {
        return false;
      }
      if ((await inCopy(() => cleanUp(to, id, requireCalledOff(route)))) ?? true) {
        await inCopy(() => endArriving(to, route));
        return true;
      }
    }
  } catch (error) {
    return noteLeft(errorMessage(error));
  }
  return true;
}

const NO_MOVE = {
  en: 'No move of this municipality is under way.',
  it: 'Nessun trasferimento di questo comune è in corso.',
};
const SWITCHING = {
  en: 'The municipality is switching to its new database: finish the move.',
  it: 'Il comune sta passando alla nuova base dati: completare il trasferimento.',
};

type Copy = Awaited<ReturnType<typeof readArriving>>[number];

/** What one run takes of each database, in steps of some ten statements: the next run comes ten minutes later. */
const STEPS_OF_RUN = 10;

/**
 * Deletes some of the copies left by moves that were called off while the copy's database was away or not bound. A copy that a
 * move is working on, or that has arrived, is left alone.
 *
 * @throws AggregateError of what failed
 */
export async function deleteLeftCopies(env: Env): Promise<void> {
  if (!hasSeveral(env)) {
    return;
  }
  const databases = databasesOf(env);
  const maxSteps = Math.max(1, Math.floor(STEPS_OF_RUN / databases.length));
  const outcomes = await sideBySide(databases, async ({ name, db }) => {
    const failures: unknown[] = [];
    const copies = await readArriving(db);
    for (const copy of copies.filter(({ from }) => from !== FROM_BACKUP)) {
      try {
        if (await deleteIfLeft(env, name, copy, maxSteps)) {
          // One copy a run: how much there is to delete is not known.
          break;
        }
      } catch (error) {
        failures.push(error);
      }
    }
    return failures;
  });
  const { values, failures } = splitOutcomes(outcomes);
  failures.push(...values.flat());
  if (failures.length > 0) {
    throw new AggregateError(failures, 'not every copy that a move has left could be deleted');
  }
}

/** @returns whether it was left */
async function deleteIfLeft(
  env: Env,
  database: string,
  { code, stay }: Copy,
  maxSteps: number,
): Promise<boolean> {
  const { name, row, move } = await locate(env, code);
  const isUnderWay = move?.toDatabase === database && move.stay === stay && move.endedAt === null;
  if (name === database || isUnderWay) {
    return false;
  }
  await deleteCopy(env, row, { id: row.id, code, from: name, to: database, stay }, maxSteps);
  return true;
}
