import * as z from 'zod';
import { refuse } from '../../base/errors/refusal.ts';
import type { Env } from '../../env.ts';
import { type Sealing, seal, sealingOf, unseal } from '../../serving/access/seal.ts';
import { signingKeyOf } from '../../serving/access/token.ts';

const number = z.int().min(0);

/**
 * How far a backup has come between two of its parts: what its `after` holds. It is sealed all the same, but whoever stores
 * backups keeps it for long: it has positions, and no key or plate of anybody.
 */
const backupState = z.strictObject({
  id: z.uuid(),
  /** How many parts there are already. */
  parts: number,
  /** Where it lives, and in which stay. */
  database: z.string(),
  stay: number,
  begunAt: number,
  /** The change as of which everything is read, and the call that made it. */
  asOf: number,
  mark: z.string(),
  /** The newest digest of a plate that was erased from it when it was begun. */
  erasedUpTo: number,
  /** Null: it is whole. */
  position: z.strictObject({ table: z.string(), after: z.array(number).readonly().nullable() }).nullable(),
});
export type BackupState = z.infer<typeof backupState>;

/** The same place is always sealed as the same text: a restore compares what two parts say of it. */
const sealing = ({ TOKEN_KEY }: Env): Promise<Sealing> =>
  sealingOf(signingKeyOf(TOKEN_KEY), new Uint8Array(), 'backup/after/2', { alike: true });

export const afterOf = async (state: BackupState, code: string, env: Env): Promise<string> =>
  seal(state, [code], await sealing(env));

/** @throws Refusal `CURSOR_GONE` for what this version has not made, for this municipality and by this `TOKEN_KEY` */
export async function stateOf(after: string, code: string, env: Env): Promise<BackupState> {
  const { data } = backupState.safeParse(await unseal(after, [code], await sealing(env)));
  return data ?? refuse('CURSOR_GONE');
}
