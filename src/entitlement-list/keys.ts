import type { Plate } from '../domain/plate.ts';

const encoder = new TextEncoder();

/** A plate's hash and an entry's id keep this many of their 32 bytes: enough that no two in a city are equal. */
const SHORT_BYTES = 12;

/** The keyed hashes in the lists of one access token. */
export interface ListKeys {
  /** Names the key of the plates, so that the holder of another token sees that the list is not for it. */
  readonly plateKeyId: string;
  plateHash(plate: Plate): Promise<string>;
  /** The id of a right. Of two tokens' lists the ids differ too, so that they cannot be joined. */
  entryId(right: readonly (string | number)[]): Promise<string>;
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
  const [plateKey, plateKeyHash, idKey] = await Promise.all([
    signingKey(plateBytes),
    crypto.subtle.digest('SHA-256', plateBytes),
    deriveKey(encoder.encode(secret), token, 'entitlement-list/ids/1').then(signingKey),
  ]);
  // A plate may have thousands of sessions on a page.
  const plateHashes = new Map<Plate, Promise<string>>();
  return {
    plateKeyId: new Uint8Array(plateKeyHash).toHex().slice(0, 8),
    plateHash: (plate) => plateHashes.getOrInsertComputed(plate, () => shortMac(plateKey, plate)),
    entryId: (right) => shortMac(idKey, JSON.stringify(right)),
  };
}

/** The key that seals the cursors of a token, and nothing else. One a token, so that none seals too much. */
export async function cursorKey(tokenHash: string, secret: string): Promise<CryptoKey> {
  const token = Uint8Array.fromHex(tokenHash);
  const bytes = await deriveKey(encoder.encode(secret), token, 'entitlement-list/cursor/1');
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

/** HKDF-SHA-256, 32 bytes. */
async function deriveKey(secret: Uint8Array, salt: Uint8Array, info: string): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  return crypto.subtle.deriveBits(
    { name: 'HKDF', hash: 'SHA-256', salt, info: encoder.encode(info) },
    key,
    256,
  );
}

const signingKey = (bytes: ArrayBuffer): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);

async function shortMac(key: CryptoKey, text: string): Promise<string> {
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));
  return base64url(mac.subarray(0, SHORT_BYTES));
}

export const base64url = (bytes: Uint8Array): string =>
  bytes.toBase64({ alphabet: 'base64url', omitPadding: true });
