import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import VECTORS from '../../docs/gate-vectors.json' with { type: 'json' };
import { macsBy } from '../../src/base/crypto/macs.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { listKeys } from '../../src/field/entitlement-list/keys.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';

const encoder = new TextEncoder();
const CASES = shortOrThorough(200, 3_000);
/** The hash takes 64 bytes at a time: keys and texts of up to three times as many, and more. */
const MAX_KEY_BYTES = 150;
const MAX_CHARACTERS = 300;

it('HMACs of a list are those of WebCrypto, by any key and of any texts one after the other', async () => {
  const keys = fc.uint8Array({ minLength: 1, maxLength: MAX_KEY_BYTES });
  const text = fc.string({ maxLength: MAX_CHARACTERS, unit: 'grapheme' });
  await fc.assert(
    fc.asyncProperty(keys, fc.array(text, { minLength: 1, maxLength: 4 }), async (key, texts) => {
      await expectThoseOfWebCrypto(key, texts);
    }),
    { seed: RUN_SEED, numRuns: CASES },
  );
});

it('HMACs of texts of every length up to three blocks of the hash are those of WebCrypto', async () => {
  const texts = Array.from({ length: 3 * 64 + 1 }, (_, length) => 'x'.repeat(length));
  await expectThoseOfWebCrypto(new Uint8Array(32).fill(7), texts);
});

it('Hashes of a list are those of the vectors for gates in any language', async () => {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(VECTORS.token));
  const keys = await listKeys(new Uint8Array(digest).toHex(), 'a secret of the service');
  expect(keys.plateKeyId).toBe(VECTORS.key_id);
  expect(VECTORS.hashes.map(({ plate }) => keys.plateHash(storedPlate(plate)))).toEqual(
    VECTORS.hashes.map(({ hash }) => hash),
  );
});

async function expectThoseOfWebCrypto(key: Uint8Array<ArrayBuffer>, texts: readonly string[]): Promise<void> {
  const macs = macsBy(key.slice());
  const made = texts.map((text) => macs(text).toHex());
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  const signed = texts.map((text) => crypto.subtle.sign('HMAC', imported, encoder.encode(text)));
  expect(made).toEqual((await Promise.all(signed)).map((mac) => new Uint8Array(mac).toHex()));
}
