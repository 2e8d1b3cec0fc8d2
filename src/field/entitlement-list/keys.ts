import { type Macs, macsBy } from '../../base/crypto/digest.ts';
import type { Plate } from '../../domain/plate.ts';

const encoder = new TextEncoder();

/** A plate's hash and an entry's id keep this many of their 32 bytes: enough that no two in a city are equal. */
const SHORT_BYTES = 12;

/** The keyed hashes in the lists of one access token. */
export interface ListKeys {
  /** Names the key of the plates, so that the holder of another token sees that the list is not for it. */
  readonly plateKeyId: string;
  /** Names the key of the ids: under another one, every entry has another id. */
  readonly entryKeyId: string;
  plateHash(plate: Plate): string;
  /** Differs between the lists of two tokens, so that they cannot be joined. */
  entryId(kind: 'session' | 'subscription', row: number): string;
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
  const plateKey = await deriveKey(token, new Uint8Array(), 'entitlement-list/1');
  const idKey = await deriveKey(encoder.encode(secret), token, 'entitlement-list/ids/1');
  const [plateMacs, idMacs] = [macsBy(plateKey), macsBy(idKey)];
  return {
    plateKeyId: await idOfKey(plateKey),
    entryKeyId: await idOfKey(idKey),
    plateHash: (plate) => shortMac(plateMacs, plate),
    entryId: (kind, row) => shortMac(idMacs, `${kind} ${row}`),
  };
}

/** The first 8 hexadecimal digits of the key's SHA-256. */
const idOfKey = async (key: Uint8Array<ArrayBuffer>): Promise<string> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', key)).toHex().slice(0, 8);

const shortMac = (macs: Macs, text: string): string =>
  macs(text).subarray(0, SHORT_BYTES).toBase64({ alphabet: 'base64url' });

/** HKDF-SHA-256, 32 bytes. */
async function deriveKey(secret: Uint8Array, salt: Uint8Array, info: string) {
  const key = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  const algorithm = { name: 'HKDF', hash: 'SHA-256', salt, info: encoder.encode(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 256));
}
