import { hmacHex } from '../access/digest.ts';
import type { Plate } from '../domain/plate.ts';

/** In no normalized plate, and before all that are. */
const MARK = '*';

/** A session or a subscription, by what names it in its municipality. */
export interface ErasedFrom {
  readonly municipalityId: number;
  readonly kind: 'parking_session' | 'subscription';
  /** Empty for a subscription. */
  readonly sourceCode: string;
  readonly key: string;
}

/** What stands in the place of a key that is made from an erased plate: a keyed digest of it, and a mark before. */
export const keyDigest = async (key: string, name: string): Promise<string> =>
  `${MARK}${await hmacHex(key, `key\0${name}`)}`;

/** Whether a key is one already. */
export const isKeyDigest = (name: string): boolean => /^\*[0-9a-f]{64}$/.test(name);

/**
 * What stays of a plate where it was erased: a keyed digest of it and of what it was erased from.
 *
 * @param key of `DIGEST_KEY`
 * @param from its key by its own digest; in rows of earlier versions, as it was
 */
export const erasedDigest = (
  key: string,
  { municipalityId, kind, sourceCode, key: name }: ErasedFrom,
  plate: Plate,
): Promise<string> => hmacHex(key, ['erased', municipalityId, kind, sourceCode, name, plate].join('\0'));

const PSEUDONYM_BYTES = 7;

/** What stands in an erased plate's place: 15 characters, the first of which is in no normalized plate. */
export function newPseudonym(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(PSEUDONYM_BYTES))];
  return `${MARK}${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Whether a stored text stands in a plate's place. */
export const isPseudonym = (stored: string): boolean => stored.startsWith(MARK);
