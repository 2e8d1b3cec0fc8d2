import { refuse } from '../../base/errors/refusal.ts';
import { errorMessage } from '../../base/platform/error-message.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import type { Env } from '../../env.ts';
import { getDatabase, isBound } from '../../storage/databases/bindings.ts';
import {
  beginCallingOff,
  endArriving,
  endCallingOff,
  requireCalledOff,
  stopArriving,
} from './call-off-table.ts';
import { cleanUp } from './clean-table.ts';
import type { CallOffAnswer } from './contract.ts';
import { locate } from './locate.ts';
import { MAX_STEPS, nullIfRefused, PART_MS, type Route } from './move-parts.ts';
import { readTenant, type Standing } from './moves-table.ts';
import { atTarget } from './target.ts';

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
export async function deleteCopy(
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
