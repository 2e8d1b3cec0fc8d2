import { refuse } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import type { Env } from '../../env.ts';
import { getDatabase } from '../../storage/databases/bindings.ts';
import { cleanUpUntil } from './clean-table.ts';
import type { DiscardAnswer } from './contract.ts';
import { PART_MS, requireTurn } from './move-parts.ts';
import { endDiscarding, takeTurn } from './restore-table.ts';
import { readStandings } from './standings.ts';

/**
 * Discards a restore that has begun, a bounded part with each call.
 *
 * @throws Refusal `NOT_FOUND` where none is under way
 */
export async function discardRestore(env: Env, code: string): Promise<DiscardAnswer> {
  const { rows, restoresIn, livesIn } = await readStandings(env, code);
  const standing = restoresIn === null ? undefined : rows.get(restoresIn);
  if (restoresIn === null || standing === undefined || livesIn === restoresIn) {
    refuse('NOT_FOUND', { message: NO_RESTORE });
  }
  const db = getDatabase(env, restoresIn);
  const { id } = standing.row;
  const turn = crypto.randomUUID();
  const restore = await takeTurn(db, id, turn);
  if (!(await cleanUpUntil(performance.now() + PART_MS, db, id, requireTurn(id, turn)))) {
    return { state: 'discarding' };
  }
  await endDiscarding(db, id, turn, restore?.before ?? null);
  return { state: 'discarded' };
}

const NO_RESTORE: Text = {
  en: 'No restore of this municipality is under way.',
  it: 'Nessun ripristino di questo comune è in corso.',
};
