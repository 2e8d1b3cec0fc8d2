import { macHex } from '../../base/crypto/macs.ts';
import type { Plate } from '../../domain/plate.ts';

/** No normalized plate contains it, and it sorts before all of them. */
const MARK = '*';

/** A row from which a plate is erased, identified by its key in its municipality. */
export interface ErasedRow {
  readonly municipalityId: number;
  readonly kind: string;
  /** Empty except for a session. */
  readonly sourceCode: string;
  readonly key: string;
}

/** A session or a subscription, to which an import may bring the plate again. */
export interface ErasedFrom extends ErasedRow {
  readonly kind: 'parking_session' | 'subscription';
}

/** Replaces a key that contains an erased plate: a mark and a keyed digest of the key. */
export const keyDigest = (key: string, name: string): string => `${MARK}${macHex(key, `key\0${name}`)}`;

/** Whether a key is already a {@link keyDigest}. */
export const isKeyDigest = (name: string): boolean => /^\*[0-9a-f]{64}$/.test(name);

/**
 * The trace that an erased plate leaves: a keyed digest of the plate and of the row from which it was erased.
 *
 * @param key of `DIGEST_KEY`
 */
export const erasedDigest = (
  key: string,
  { municipalityId, kind, sourceCode, key: name }: ErasedRow,
  plate: Plate,
): string => macHex(key, ['erased', municipalityId, kind, sourceCode, name, plate].join('\0'));

const PSEUDONYM_BYTES = 7;

/** A random replacement for a plate: the mark and 14 hexadecimal digits. */
export function newPseudonym(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(PSEUDONYM_BYTES))];
  return `${MARK}${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * The pseudonym that replaces an erased plate in a session and all its versions. A repeated or concurrent erasure gives the
 * same pseudonym. Each session has its own, so that one person's sessions cannot be linked.
 *
 * @param key of `DIGEST_KEY`
 * @param from identified by the digest of its key
 */
export function erasedPseudonym(key: string, from: ErasedRow): string {
  const { municipalityId, kind, sourceCode, key: name } = from;
  const digest = macHex(key, ['pseudonym', municipalityId, kind, sourceCode, name].join('\0'));
  return `${MARK}${digest.slice(0, 2 * PSEUDONYM_BYTES)}`;
}

/** Whether a stored text is a pseudonym rather than a plate. */
export const isPseudonym = (stored: string): boolean => stored.startsWith(MARK);
