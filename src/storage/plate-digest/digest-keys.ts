import { isStrongSecret } from '../../base/crypto/secret-strength.ts';
import type { Env } from '../../env.ts';

/**
 * The keys of `DIGEST_KEY` that are long enough to be relied on, in their order. The first makes digests; all of them
 * are looked up, so that what was made before a new key is still found.
 */
export function digestKeys({ DIGEST_KEY }: Pick<Env, 'DIGEST_KEY'>): readonly string[] {
  return (DIGEST_KEY ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter(isStrongSecret);
}

/**
 * The same, for callers that cannot do without.
 *
 * @throws Error when there is none
 */
export function requireDigestKeys(env: Pick<Env, 'DIGEST_KEY'>): readonly string[] {
  const keys = digestKeys(env);
  if (keys.length === 0) {
    throw new Error('DIGEST_KEY has no key of at least 32 characters');
  }
  return keys;
}
