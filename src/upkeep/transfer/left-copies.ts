import type { Env } from '../../env.ts';
import { readArriving } from '../../storage/databases/arrival-table.ts';
import { databasesOf, hasSeveral } from '../../storage/databases/bindings.ts';
import { sideBySide, splitOutcomes } from '../../storage/databases/side-by-side.ts';
import { FROM_BACKUP } from '../../storage/db/schema/moves.ts';
import { deleteCopy } from './call-off-move.ts';
import { locate } from './locate.ts';

type Copy = Awaited<ReturnType<typeof readArriving>>[number];

/** What one run takes of each database, in steps of some ten statements: the next run comes ten minutes later. */
const MAX_STEPS = 10;

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
  const maxSteps = Math.max(1, Math.floor(MAX_STEPS / databases.length));
  const outcomes = await sideBySide(databases, async ({ name, db }) => {
    const failures: unknown[] = [];
    const copies = await readArriving(db);
    for (const copy of copies.filter(({ from }) => from !== FROM_BACKUP)) {
      try {
        if (await deleteIfLeft(env, name, copy, maxSteps)) {
          // One copy a run: nobody knows how much there is to delete.
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
