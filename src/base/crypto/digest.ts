const encoder = new TextEncoder();
const importedKeys = new Map<string, Promise<CryptoKey>>();

/** `bytes` random bytes, hexadecimal. */
export function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}

/** SHA-256 of a text, hexadecimal. */
export async function sha256Hex(text: string): Promise<string> {
  return hex(await crypto.subtle.digest('SHA-256', encoder.encode(text)));
}

/** HMAC-SHA-256 of a text, hexadecimal. */
export async function hmacHex(key: string, text: string): Promise<string> {
  return hex(await crypto.subtle.sign('HMAC', await hmacKey(key), encoder.encode(text)));
}

/** Compares two texts in a time that depends only on their lengths. */
export function constantTimeEqual(a: string, b: string): boolean {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  return left.byteLength === right.byteLength && crypto.subtle.timingSafeEqual(left, right);
}

/** Importing a key costs more than using it, so each isolate imports it once. */
function hmacKey(key: string): Promise<CryptoKey> {
  return importedKeys.getOrInsertComputed(key, () =>
    crypto.subtle.importKey('raw', encoder.encode(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
  );
}

const hex = (bytes: ArrayBuffer): string => new Uint8Array(bytes).toHex();
