import * as z from 'zod';
import { type Sealing, seal, sealingOf, unseal } from '../access/seal.ts';
import { signingKeyOf } from '../access/token.ts';
import type { Env } from '../env.ts';
import { refuse } from '../errors/refusal.ts';

const sequence = z.int().min(0);

const subscriptionPlace = z.strictObject({ id: sequence, changedAt: sequence.nullable() }).nullable();

/**
 * How far a backup has come between two of its parts: what its `after` holds. It is sealed all the same, but whoever stores
 * backups keeps it for long: it has positions, and no key or plate of anybody.
 */
const backupState = z.strictObject({
  id: z.uuid(),
  /** How many parts there are already. */
  parts: sequence,
  /** Where it lives, and in which stay: the journal's numbers are of that database. */
  database: z.string(),
  stay: sequence,
  begunAt: sequence,
  /** The newest digest of an erased plate when it was begun. */
  erasedUpTo: sequence,
  /** The newest row of the journal, of any municipality: where it is gone, the database was put back to an earlier time. */
  newest: z.strictObject({ sequence, stamp: sequence }),
  step: z.enum(['copy', 'erased', 'end', 'done']),
  /** How far the copy has come, as a move keeps it. */
  copy: z.strictObject({
    step: z.enum(['configuration', 'subscriptions', 'journal']),
    subscription: subscriptionPlace,
    sequence,
    begunAt: sequence,
    configuredAt: sequence,
    sessions: z.strictObject({
      upTo: sequence,
      newest: z.strictObject({ id: sequence, mark: z.string() }).nullable(),
    }),
  }),
  /** The number of the last digest of an erased plate. */
  erased: sequence,
  /** Where there are too many subscriptions without a plate for the end: they are gone through, again and again. */
  plateless: z
    .strictObject({
      /** When going through them began. */
      begunAt: sequence,
      /** Those that have changed since are read. */
      since: sequence,
      /** The last one that was read; null at the beginning. */
      after: subscriptionPlace,
    })
    .optional(),
});
export type BackupState = z.infer<typeof backupState>;

/** The same place is always sealed as the same text: a restore compares what two parts say of it. */
const sealing = ({ TOKEN_KEY }: Env): Promise<Sealing> =>
  sealingOf(signingKeyOf(TOKEN_KEY), new Uint8Array(), 'backup/after/1', { alike: true });

export const afterOf = async (state: BackupState, code: string, env: Env): Promise<string> =>
  seal(state, [code], await sealing(env));

/** @throws Refusal `CURSOR_GONE` for what this version has not made, for this municipality and by this `TOKEN_KEY` */
export async function stateOf(after: string, code: string, env: Env): Promise<BackupState> {
  const { data } = backupState.safeParse(await unseal(after, [code], await sealing(env)));
  return data ?? refuse('CURSOR_GONE');
}
