import { macHex } from '../../base/crypto/digest.ts';

/** No normalized plate contains it, and it sorts before all of them. */
const MARK = '*';

const PSEUDONYM_BYTES = 7;

/** A random replacement for an erased plate: the mark and 14 hexadecimal digits. */
export const newPseudonym = (): string =>
  `${MARK}${crypto.getRandomValues(new Uint8Array(PSEUDONYM_BYTES)).toHex()}`;

/** Whether a stored text is a pseudonym rather than a plate. */
export const isPseudonym = (stored: string): boolean => stored.startsWith(MARK);

/**
 * Replaces a session's, subscription's or payment's key that spells an erased plate: a mark and a keyed digest of the key. By it a
 * line that has the key again finds its row.
 *
 * @param key of `DIGEST_KEY`
 */
export const keyDigest = (key: string, name: string): string => `${MARK}${macHex(key, `key\0${name}`)}`;

/** Whether a key is already a {@link keyDigest}. */
export const isKeyDigest = (name: string): boolean => /^\*[0-9a-f]{64}$/.test(name);
