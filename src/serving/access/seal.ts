import { hmac } from '../../base/crypto/digest.ts';

const NONCE_BYTES = 12;
const encoder = new TextEncoder();

/** HKDF-SHA-256, 32 bytes. */
export async function deriveKey(secret: Uint8Array, salt: Uint8Array, info: string): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  return crypto.subtle.deriveBits(
    { name: 'HKDF', hash: 'SHA-256', salt, info: encoder.encode(info) },
    key,
    256,
  );
}

/** Seals texts that a client holds for us, for one purpose alone. */
export interface Sealing {
  readonly key: CryptoKey;
  /** With it, the same value always becomes the same text. Without one, never. */
  readonly nonceKey: string | null;
}

/**
 * Derives the seal of a purpose.
 *
 * @param secret the key of `TOKEN_KEY` that signs
 * @param salt identifies the holder of the texts, so that no key seals too much
 */
export async function sealingOf(
  secret: string,
  salt: Uint8Array,
  purpose: string,
  { alike = false } = {},
): Promise<Sealing> {
  const bytes = encoder.encode(secret);
  const raw = await deriveKey(bytes, salt, purpose);
  return {
    key: await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']),
    nonceKey: alike ? new Uint8Array(await deriveKey(bytes, salt, `${purpose}/nonce`)).toHex() : null,
  };
}

/**
 * Seals a value: AES-GCM, as base64url.
 *
 * @param boundTo has to be the same when it is opened
 */
export async function seal(
  value: unknown,
  boundTo: readonly (string | number)[],
  { key, nonceKey }: Sealing,
): Promise<string> {
  const [text, bound] = [JSON.stringify(value), JSON.stringify(boundTo)];
  const iv =
    nonceKey === null
      ? crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
      : // Of all that is sealed: two values never share a nonce.
        new Uint8Array(await hmac(nonceKey, JSON.stringify([bound, text])), 0, NONCE_BYTES);
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv, additionalData: encoder.encode(bound) },
    key,
    encoder.encode(text),
  );
  return base64url(new Uint8Array([...iv, ...new Uint8Array(sealed)]));
}

/** @returns null for a text of another key or binding, and for one that was made up */
export async function unseal(
  sealed: string,
  boundTo: readonly (string | number)[],
  { key }: Sealing,
): Promise<unknown> {
  try {
    const bytes = Uint8Array.fromBase64(sealed, { alphabet: 'base64url' });
    const opened = await crypto.subtle.decrypt(
      {
        name: 'AES-GCM',
        iv: bytes.subarray(0, NONCE_BYTES),
        additionalData: encoder.encode(JSON.stringify(boundTo)),
      },
      key,
      bytes.subarray(NONCE_BYTES),
    );
    return JSON.parse(new TextDecoder().decode(opened));
  } catch {
    return null;
  }
}

export const base64url = (bytes: Uint8Array): string =>
  bytes.toBase64({ alphabet: 'base64url', omitPadding: true });
