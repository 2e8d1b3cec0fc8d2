import { getDatabase, isBound } from '../databases/bindings.ts';
import type { Env } from '../env.ts';
import { refuse } from '../errors/refusal.ts';
import { errorMessage } from '../platform/error-message.ts';
import { logEvent } from '../platform/log-event.ts';
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
import { MOST_STEPS, nullIfRefused, PART_MS, type Way } from './move-parts.ts';
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
  const way: Way = { from: name, to: move.toDatabase, stay: move.stay };
  const from = getDatabase(env, name);
  if (name === way.to || !(await beginCallingOff(from, row.id, way))) {
    refuse('MOVE_IN_PROGRESS', { message: SWITCHING });
  }
  if (!(await deleteCopy(env, row, way))) {
    return { state: 'calling_off' };
  }
  await endCallingOff(from, row.id, way);
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
  way: Way,
  mostSteps = MOST_STEPS,
): Promise<boolean> {
  const { id, code, tenantId } = row;
  if (!isBound(env, way.to)) {
    logEvent('warn', 'move_copy_left', {
      database: way.to,
      municipality_code: code,
      message: 'it is not bound',
    });
    return true;
  }
  const to = getDatabase(env, way.to);
  const tenant = await readTenant(env.DB, tenantId);
  const endsAtMs = performance.now() + PART_MS;
  try {
    // Null: the copy is deleted already.
    const isThere = await atTarget(way, code, () =>
      nullIfRefused(() => stopArriving(to, row, tenant, way).then(() => true)),
    );
    for (let steps = 0; isThere !== null; steps += 1) {
      if (steps === mostSteps || performance.now() > endsAtMs) {
        return false;
      }
      const isClean = await atTarget(way, code, () =>
        nullIfRefused(() => cleanUp(to, id, requireCalledOff(id, way))),
      );
      if (isClean ?? true) {
        await atTarget(way, code, () => nullIfRefused(() => endArriving(to, id, way)));
        return true;
      }
    }
  } catch (error) {
    logEvent('warn', 'move_copy_left', {
      database: way.to,
      municipality_code: code,
      message: errorMessage(error),
    });
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
