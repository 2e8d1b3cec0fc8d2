import { isStrongSecret } from '../../base/crypto/secret-strength.ts';
import type { Env } from '../../env.ts';

/**
 * The sufficiently strong keys of `DIGEST_KEY`, in order. The first makes digests. Searches use all of them, and so still find
 * digests made with an older key.
 */
export function digestKeys({ DIGEST_KEY }: Pick<Env, 'DIGEST_KEY'>): readonly string[] {
  return (DIGEST_KEY ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter(isStrongSecret);
}

/**
 * As {@link digestKeys}, for callers that need at least one.
 *
 * @throws Error if there is none
 */
export function requireDigestKeys(env: Pick<Env, 'DIGEST_KEY'>): readonly string[] {
  const keys = digestKeys(env);
  if (keys.length === 0) {
    throw new Error('DIGEST_KEY has no key of at least 32 characters');
  }
  return keys;
}
