const encoder = new TextEncoder();
const imported = new Map<string, Promise<CryptoKey>>();

/** `bytes` random bytes, hexadecimal. */
export function randomHex(bytes: number): string {
  return hex(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** SHA-256 of a text, hexadecimal. */
export async function sha256Hex(text: string): Promise<string> {
  return hex(await crypto.subtle.digest('SHA-256', encoder.encode(text)));
}

/** HMAC-SHA-256 of a text, hexadecimal. */
export async function hmacHex(key: string, text: string): Promise<string> {
  return hex(await crypto.subtle.sign('HMAC', await hmacKey(key), encoder.encode(text)));
}

/** Compares two texts in a time that depends on their length alone. */
export function constantTimeEqual(a: string, b: string): boolean {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  return left.byteLength === right.byteLength && crypto.subtle.timingSafeEqual(left, right);
}

/** Importing a key costs more than using it: each is imported once an isolate. */
function hmacKey(key: string): Promise<CryptoKey> {
  let promise = imported.get(key);
  if (promise === undefined) {
    promise = crypto.subtle.importKey('raw', encoder.encode(key), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'sign',
    ]);
    imported.set(key, promise);
  }
  return promise;
}

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hex(bytes: ArrayBuffer | Uint8Array): string {
  let text = '';
  for (const byte of bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes)) {
    text += DIGITS[byte];
  }
  return text;
}
