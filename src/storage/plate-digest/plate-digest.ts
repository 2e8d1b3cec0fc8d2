import { macHex } from '../../base/crypto/digest.ts';
import { isStrongSecret, keysIn } from '../../base/crypto/secrets.ts';
import type { Plate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';

/**
 * The sufficiently strong keys of `DIGEST_KEY`, in order. The first makes digests. Searches use all of them, and so still find
 * digests made with an older key.
 */
export const digestKeys = ({ DIGEST_KEY }: Pick<Env, 'DIGEST_KEY'>): readonly string[] =>
  keysIn(DIGEST_KEY).filter(isStrongSecret);

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

/**
 * The digest that is stored instead of a plate: HMAC-SHA-256 of a code, NUL and the plate, in hexadecimal. It can confirm a given
 * plate, but cannot be turned back into one. Erased and rejected plates have it whole, calls its first 16 bytes.
 *
 * @param place the code of the municipality; for the call of an options query or a payment, of the tenant
 */
export const plateDigest = (key: string, place: string, plate: Plate): string =>
  macHex(key, `${place}\0${plate}`);

/** The digests of a plate under every key, to search by. */
export const plateDigests = (keys: readonly string[], place: string, plate: Plate): string[] =>
  keys.map((key) => plateDigest(key, place, plate));

/** Tells whether a deployment has a key, without telling the key. */
export const keyCheck = (key: string): string => macHex(key, 'check').slice(0, 16);
