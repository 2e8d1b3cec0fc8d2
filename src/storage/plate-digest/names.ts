import type { Env } from '../../env.ts';
import { keyDigest } from './erased-plate.ts';
import { digestKeys, requireDigestKeys } from './plate-digest.ts';

/** What a payment or a subscription may be stored under: its key, or its digest where the key contained an erased plate. */
export const namesOf = (env: Env, sent: string): readonly string[] => [
  sent,
  ...digestKeys(env).map((key) => keyDigest(key, sent)),
];

/**
 * Refuses to record anything if the municipality has erased plates and there is no digest key to recognise them by.
 *
 * @throws Error, a 500 that never means "not paid"
 */
export function requireKnownErasures(env: Env, { hasErased }: { readonly hasErased: boolean }): void {
  if (hasErased) requireDigestKeys(env);
}
