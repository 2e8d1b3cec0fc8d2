import { HMAC } from '@stablelib/hmac';
import { SHA256 } from '@stablelib/sha256';

const encoder = new TextEncoder();

/** Makes the HMAC-SHA-256 of a text, of 32 bytes. */
export type Macs = (text: string) => Uint8Array;

/**
 * HMACs by one key, without a promise for each: with WebCrypto's they take half as long again, and a list or an import has
 * hundreds of thousands of them.
 */
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
