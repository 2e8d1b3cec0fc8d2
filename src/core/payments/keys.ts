import type { Env } from '../../env.ts';
import { digestKeys } from '../../storage/plate-digest/digest-keys.ts';
import { keyDigest } from '../../storage/plate-digest/erased-plate.ts';

/** What a payment or a subscription may be stored under: its key, or a digest of it where the key spelled an erased plate. */
export const namesOf = (env: Env, sent: string): readonly string[] => [
  sent,
  ...digestKeys(env).map((key) => keyDigest(key, sent)),
];
