/** HKDF-SHA-256, 32 bytes. */
export async function deriveKey(secret: Uint8Array, salt: Uint8Array, info: string): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  return crypto.subtle.deriveBits(
    { name: 'HKDF', hash: 'SHA-256', salt, info: new TextEncoder().encode(info) },
    key,
    256,
  );
}
