import type { Plate } from '../../../src/domain/plate.ts';

const KEY_BYTES = 32;
const HASH_BYTES = 12;
const KEY_ID_DIGITS = 8;
const INFO = 'entitlement-list/1';

const encoder = new TextEncoder();

/** How plates are written in the lists of one access token. */
export interface PlateHash {
  /** The first 8 hexadecimal digits of the key's SHA-256: identifies the key without revealing it. */
  readonly keyId: string;
  /** `base64url(first 12 bytes of HMAC-SHA-256(key, plate))`, without padding. */
  readonly of: (plate: Plate) => Promise<string>;
}

/** Derives the key of a token: HKDF-SHA-256 over the token's SHA-256, with an empty salt. */
export async function plateHashOf(token: string): Promise<PlateHash> {
  const { subtle } = crypto;
  const secret = await subtle.digest('SHA-256', encoder.encode(token));
  const material = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  const derivation = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: encoder.encode(INFO),
  };
  const bytes = await subtle.deriveBits(derivation, material, KEY_BYTES * 8);
  const key = await subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return {
    keyId: hexOf(await subtle.digest('SHA-256', bytes)).slice(0, KEY_ID_DIGITS),
    of: async (plate) =>
      base64url((await subtle.sign('HMAC', key, encoder.encode(plate))).slice(0, HASH_BYTES)),
  };
}

function hexOf(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function base64url(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
