import { HMAC } from '@stablelib/hmac';
import { hash, SHA256 } from '@stablelib/sha256';

/*
 * Digests of short texts, such as a token or a plate, by a library that needs no promise for each: those of WebCrypto take half as
 * long again, and a list or an import makes hundreds of thousands.
 */

const encoder = new TextEncoder();

/** Makes the HMAC-SHA-256 of a text, of 32 bytes. */
export type Macs = (text: string) => Uint8Array;

/** HMACs by one key. */
export function macsBy(key: Uint8Array): Macs {
  const mac = new HMAC(SHA256, key);
  return (text) => mac.reset().update(encoder.encode(text)).digest();
}

const byKey = new Map<string, Macs>();

/** HMAC-SHA-256 of a text by one of the few keys of a secret, hexadecimal. */
export function macHex(key: string, text: string): string {
  const macs = byKey.getOrInsertComputed(key, () => macsBy(encoder.encode(key)));
  return macs(text).toHex();
}

/** SHA-256 of a text, hexadecimal. */
export const sha256Hex = (text: string): string => hash(encoder.encode(text)).toHex();

/** `bytes` random bytes, hexadecimal. */
export const randomHex = (bytes: number): string => crypto.getRandomValues(new Uint8Array(bytes)).toHex();

/** Compares two texts in a time that depends only on their lengths. */
export function constantTimeEqual(a: string, b: string): boolean {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  return left.byteLength === right.byteLength && crypto.subtle.timingSafeEqual(left, right);
}
