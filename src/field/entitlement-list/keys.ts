import { type Macs, macsBy } from '../../base/crypto/macs.ts';
import type { Plate } from '../../domain/plate.ts';
import { base64url, deriveKey, type Sealing, sealingOf } from '../../serving/access/seal.ts';
import type { Right } from './changes.ts';

const encoder = new TextEncoder();

/** A plate's hash and an entry's id keep this many of their 32 bytes: enough that no two in a city are equal. */
const SHORT_BYTES = 12;
/** In base64, which writes three bytes as four characters. */
const SHORT_CHARACTERS = 16;

/** The keyed hashes in the lists of one access token. */
export interface ListKeys {
  /** Names the key of the plates, so that the holder of another token sees that the list is not for it. */
  readonly plateKeyId: string;
  /** Returns the hashes of these plates and of all earlier ones. */
  plateHashes(plates: readonly Plate[]): ReadonlyMap<Plate, string>;
  /** Returns the ids of rights. They differ between the lists of two tokens, so that the lists cannot be joined. */
  entryIds(rights: readonly Right[]): readonly string[];
}

/**
 * The keys of a token's lists. The key of the plates follows from the token alone, so that a gate can derive it; that of
 * the ids also needs the service's secret.
 *
 * @param tokenHash SHA-256 of the access token as it was sent, hexadecimal
 * @param secret the key of `TOKEN_KEY` that signs
 */
export async function listKeys(tokenHash: string, secret: string): Promise<ListKeys> {
  const token = Uint8Array.fromHex(tokenHash);
  const plateBytes = await deriveKey(token, new Uint8Array(), 'entitlement-list/1');
  const [plateKeyHash, idBytes] = await Promise.all([
    crypto.subtle.digest('SHA-256', plateBytes),
    deriveKey(encoder.encode(secret), token, 'entitlement-list/ids/1'),
  ]);
  const [plateMacs, idMacs] = [macsBy(new Uint8Array(plateBytes)), macsBy(new Uint8Array(idBytes))];
  // A plate may have thousands of sessions on a page.
  const hashes = new Map<Plate, string>();
  return {
    plateKeyId: new Uint8Array(plateKeyHash).toHex().slice(0, 8),
    plateHashes: (plates) => {
      const unknown = [...new Set(plates)].filter((plate) => !hashes.has(plate));
      const macs = shortMacs(plateMacs, unknown);
      for (const [index, plate] of unknown.entries()) hashes.set(plate, macs[index] ?? '');
      return hashes;
    },
    entryIds: (rights) =>
      shortMacs(
        idMacs,
        rights.map((right) => JSON.stringify(right)),
      ),
  };
}

/** The key that seals only the cursors of a token. Each token has its own, so that no key seals too much. */
export const cursorSealing = (tokenHash: string, secret: string): Promise<Sealing> =>
  sealingOf(secret, Uint8Array.fromHex(tokenHash), 'entitlement-list/cursor/1');

/** Encodes all as one text and cuts that: encoding each one separately takes longer than hashing it. */
function shortMacs(macs: Macs, texts: readonly string[]): string[] {
  const bytes = new Uint8Array(texts.length * SHORT_BYTES);
  for (const [index, text] of texts.entries()) {
    bytes.set(macs(text).subarray(0, SHORT_BYTES), index * SHORT_BYTES);
  }
  const written = base64url(bytes);
  return texts.map((_, index) => written.slice(index * SHORT_CHARACTERS, (index + 1) * SHORT_CHARACTERS));
}
