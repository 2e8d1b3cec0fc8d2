import { hmacHex } from '../access/digest.ts';
import type { Plate } from '../domain/plate.ts';

/** A session or a subscription, by what names it in its municipality. */
export interface ErasedFrom {
  readonly municipalityId: number;
  readonly kind: 'parking_session' | 'subscription';
  /** Empty for a subscription. */
  readonly sourceCode: string;
  readonly key: string;
}

/** What stays of a plate where it was erased: a keyed digest of it and of what it was erased from. */
export const erasedDigest = (
  key: string,
  { municipalityId, kind, sourceCode, key: name }: ErasedFrom,
  plate: Plate,
): Promise<string> => hmacHex(key, ['erased', municipalityId, kind, sourceCode, name, plate].join('\0'));

const PSEUDONYM_BYTES = 7;

/** What stands in an erased plate's place: 15 characters, the first of which is in no normalized plate. */
export function newPseudonym(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(PSEUDONYM_BYTES))];
  return `*${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
