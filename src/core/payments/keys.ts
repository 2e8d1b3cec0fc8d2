import type { Env } from '../../env.ts';
import { digestKeys } from '../../storage/plate-digest/digest-keys.ts';
import { keyDigest } from '../../storage/plate-digest/erased-plate.ts';

/** What a payment may be stored under: its key, or a digest of it where the key was made from a plate that was erased. */
export const namesOf = (env: Env, paymentId: string): readonly string[] => [
  paymentId,
  ...digestKeys(env).map((key) => keyDigest(key, paymentId)),
];
