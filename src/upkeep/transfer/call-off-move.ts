import { refuse } from '../../base/errors/refusal.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import type { Env } from '../../env.ts';
import { readArriving } from '../../storage/databases/arrival-table.ts';
import { databasesOf, getDatabase, hasSeveral, isBound } from '../../storage/databases/bindings.ts';
import { allSideBySide } from '../../storage/databases/side-by-side.ts';
import { FROM_BACKUP } from '../../storage/db/schema/moves.ts';
import { nullIfRefused } from '../../storage/db/writable.ts';
import type { CallOffAnswer } from './contract.ts';
import { deleteRows } from './deletion-table.ts';
import { atTarget, type Located, locate } from './locate.ts';
import {
  beginCallingOff,
  endArriving,
  endCallingOff,
  PART_MS,
  type Route,
  requireCalledOff,
  STEP_MS,
  takeCopy,
} from './moves-table.ts';

/**
 * Calls off a municipality's move and deletes the copy, a bounded part per call. Calls may be cut off anywhere, and may run
 * concurrently.
 *
 * @throws Refusal `NOT_FOUND`, also if no move is under way; `MOVE_IN_PROGRESS` once the switch has begun
 */
export async function callOffMove(env: Env, code: string): Promise<CallOffAnswer> {
  const located = await locate(env, code);
  const { name, row, move } = located;
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
  if (!(await deleteCopy(env, located, route))) {
    return { state: 'calling_off' };
  }
  await endCallingOff(from, route);
  return { state: 'called_off' };
}

/**
 * Deletes part of the copy. If its database is away or not bound, the unused copy stays until `deleteLeftCopies` or the next
 * move there deletes it.
 *
 * @returns whether nothing is left that can be deleted now
 */
async function deleteCopy(
  env: Env,
  { row, tenant }: Located,
  route: Route,
  maxSteps?: number,
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
  const guard = requireCalledOff(route);
  // Null: the copy is deleted already.
  const inCopy = <T>(work: () => Promise<T>, withinMs?: number) =>
    atTarget(route, () => nullIfRefused(work), withinMs);
  try {
    await inCopy(() => takeCopy(to, row, tenant, route, null));
    const isGone = await inCopy(() => deleteRows(to, id, guard, { maxSteps }), PART_MS + STEP_MS);
    if (isGone) {
      await inCopy(() => endArriving(to, id, guard));
    }
    return isGone ?? true;
  } catch (error) {
    return noteLeft(errorMessage(error));
  }
}

const NO_MOVE = {
  en: 'No move of this municipality is under way.',
  it: 'Nessun trasferimento di questo comune è in corso.',
};
const SWITCHING = {
  en: 'The municipality is switching to its new database: finish the move.',
  it: 'Il comune sta passando alla nuova base dati: completare il trasferimento.',
};

/** Steps per run and database, of some ten statements each. The next run starts ten minutes later. */
const STEPS_OF_RUN = 10;

/**
 * Deletes copies left by moves that were called off while the copy's database was away or not bound. Skips a copy that a move
 * is working on, or that has arrived.
 */
export async function deleteLeftCopies(env: Env): Promise<void> {
  const databases = databasesOf(env);
  const maxSteps = Math.max(1, Math.floor(STEPS_OF_RUN / databases.length));
  await allSideBySide(hasSeveral(env) ? databases : [], async ({ name, db }) => {
    for (const copy of await readArriving(db)) {
      const left = copy.from === FROM_BACKUP ? null : await findLeft(env, name, copy);
      if (left !== null) {
        await deleteCopy(
          env,
          left,
          { id: left.row.id, code: copy.code, from: left.name, to: name, stay: copy.stay },
          maxSteps,
        );
        // One copy a run, because its size is unknown.
        break;
      }
    }
  });
}

/** @returns the municipality where it lives; null if it has left no copy, or cannot be found, which is logged */
async function findLeft(env: Env, database: string, { code, stay }: Copy): Promise<Located | null> {
  try {
    const located = await locate(env, code);
    const { name, move } = located;
    const isUnderWay = move?.toDatabase === database && move.stay === stay && move.endedAt === null;
    return name === database || isUnderWay ? null : located;
  } catch (error) {
    logEvent('warn', 'move_copy_left', { database, municipality_code: code, message: errorMessage(error) });
    return null;
  }
}
type Copy = Awaited<ReturnType<typeof readArriving>>[number];
