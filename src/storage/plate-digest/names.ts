import type { Env } from '../../env.ts';
import { keyDigest } from './erased-plate.ts';
import { digestKeys, requireDigestKeys } from './plate-digest.ts';

/** What a payment or a subscription may be stored under: its key, or its digest where the key contained an erased plate. */
export const namesOf = (env: Env, sent: string): readonly string[] => [
  sent,
  ...digestKeys(env).map((key) => keyDigest(key, sent)),
];

/**
 * Without a digest key nobody can tell which plates and keys are erased: then nothing is recorded where any is.
 *
 * @throws Error, a 500 that never means "not paid"
 */
export function requireKnownErasures(env: Env, { hasErased }: { readonly hasErased: boolean }): void {
  if (hasErased) requireDigestKeys(env);
}
