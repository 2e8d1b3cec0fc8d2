import type { Env } from '../../env.ts';
import { keyDigest } from '../../storage/plate-digest/erased-plate.ts';
import { digestKeys } from '../../storage/plate-digest/plate-digest.ts';

/** What a payment or a subscription may be stored under: its key, or its digest where the key contained an erased plate. */
export const namesOf = (env: Env, sent: string): readonly string[] => [
  sent,
  ...digestKeys(env).map((key) => keyDigest(key, sent)),
];
