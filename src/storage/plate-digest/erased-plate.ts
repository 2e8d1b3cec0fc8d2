import { macHex } from '../../base/crypto/macs.ts';
import type { Plate } from '../../domain/plate.ts';

/** It is in no normalized plate, and sorts before all of them. */
const MARK = '*';

/** A row that a plate is erased from, by its key in its municipality. */
export interface ErasedRow {
  readonly municipalityId: number;
  readonly kind: string;
  /** Of a session; empty for others. */
  readonly sourceCode: string;
  readonly key: string;
}

/** A session or a subscription: imports may bring its plate again. */
export interface ErasedFrom extends ErasedRow {
  readonly kind: 'parking_session' | 'subscription';
}

/** Replaces a key that is made from an erased plate: a mark, and a keyed digest of the key. */
export const keyDigest = (key: string, name: string): string => `${MARK}${macHex(key, `key\0${name}`)}`;

/** Whether a key is already such a digest. */
export const isKeyDigest = (name: string): boolean => /^\*[0-9a-f]{64}$/.test(name);

/**
 * What remains of a plate where it was erased: a keyed digest of it and of what it was erased from.
 *
 * @param key of `DIGEST_KEY`
 * @param from with the digest of its key
 */
export const erasedDigest = (
  key: string,
  { municipalityId, kind, sourceCode, key: name }: ErasedRow,
  plate: Plate,
): string => macHex(key, ['erased', municipalityId, kind, sourceCode, name, plate].join('\0'));

const PSEUDONYM_BYTES = 7;

/** Replaces a plate: 15 characters, the first of which is in no normalized plate. */
export function newPseudonym(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(PSEUDONYM_BYTES))];
  return `${MARK}${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * The pseudonym that replaces an erased plate in a session and all its versions. Two erasures at once, and the same one again,
 * give the same. Each session has its own, so that nobody can tell which sessions were one person's.
 *
 * @param key of `DIGEST_KEY`
 * @param from with the digest of its key
 */
export function erasedPseudonym(key: string, from: ErasedRow): string {
  const { municipalityId, kind, sourceCode, key: name } = from;
  const digest = macHex(key, ['pseudonym', municipalityId, kind, sourceCode, name].join('\0'));
  return `${MARK}${digest.slice(0, 2 * PSEUDONYM_BYTES)}`;
}

/** Whether a stored text is a pseudonym rather than a plate. */
export const isPseudonym = (stored: string): boolean => stored.startsWith(MARK);
