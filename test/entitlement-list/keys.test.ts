import { expect, it } from 'vitest';
import VECTORS from '../../docs/gate-vectors.json' with { type: 'json' };
import { macsBy } from '../../src/base/crypto/digest.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { listKeys } from '../../src/field/entitlement-list/keys.ts';

const encoder = new TextEncoder();
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

it.each([1, 32, 63, 64, 65, 150])(
  'HMACs of a list by a key of %i bytes are those of WebCrypto, for texts of up to three blocks of the hash',
  async (bytes) => {
    const key = new Uint8Array(bytes).map((_, index) => index * 7);
    const texts = Array.from({ length: 3 * 64 + 1 }, (_, length) => 'xé'.repeat(length).slice(0, length));
    const macs = macsBy(key.slice());
    const imported = await crypto.subtle.importKey('raw', key, HMAC, false, ['sign']);
    for (const text of texts) {
      const signed = await crypto.subtle.sign('HMAC', imported, encoder.encode(text));
      expect(macs(text).toHex()).toBe(new Uint8Array(signed).toHex());
    }
  },
);

it('Hashes of a list are those of the vectors for gates in any language', async () => {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(VECTORS.token));
  const keys = await listKeys(new Uint8Array(digest).toHex(), 'a secret of the service');
  expect(keys.plateKeyId).toBe(VECTORS.key_id);
  expect(VECTORS.hashes.map(({ plate }) => keys.plateHash(storedPlate(plate)))).toEqual(
    VECTORS.hashes.map(({ hash }) => hash),
  );
});
