import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';
import { runRetention } from '../../src/upkeep/retention/run-retention.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';
import { aSubscriptionLine, file } from './support.ts';

const service = new Service();
const NOW = Date.parse('2026-03-07T12:00:00Z');
let credential: TestCredential;

beforeEach(async () => {
  await freshDatabase(CITY);
  credential = await issueCredential();
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  return () => vi.useRealTimers();
});

const iso = (ms: number) => new Date(ms).toISOString();
const line = (changed: object) => ({
  session_id: 's',
  plate: 'A1',
  area_code: 'S1',
  starts_at: iso(NOW),
  ends_at: iso(NOW + HOUR_MS),
  ...changed,
});
const sender = (path: string) => (some: readonly unknown[]) =>
  service.settle(`/api/v2/imports/${path}`, {
    method: 'POST',
    body: file(some),
    headers: { ...credential.headers, 'Content-Type': 'application/x-ndjson' },
  });
const sendSessions = sender('sessions?source_code=app1');
const sendSubscriptions = sender('subscriptions');
const send = (...lines: readonly unknown[]) => sendSessions(lines);
const rowsOf = async (query: string) => (await env.DB.prepare(query).all()).results;
const kept = () => rowsOf('select digest, at from rejected_plates order by id');
const ONE = [{ digest: expect.stringMatching(/^[0-9a-f]{64}$/), at: NOW }];
/** Any plate may have been in a line. */
const ALL = [{ digest: null, at: NOW }];

describe('A rejected line that names a plate', () => {
  const long = 'x'.repeat(300);

  it.each([
    ['of an unknown area', line({ area_code: 'NONE' })],
    ['of an unknown property', line({ price: 1 })],
    ['without a key', line({ session_id: undefined })],
    ['with a key too long', line({ session_id: long })],
    ['shorter than any good one', { plate: 'A1' }],
    ['with a number for a plate', line({ plate: 12_345 })],
  ])('%s leaves a digest, and no plate', async (_, rejected) => {
    await send(rejected);
    expect(await kept()).toEqual(ONE);
  });

  it.each([
    ['that is not a plate', line({ plate: '--' })],
    ['in no JSON', '{"plate": "A1"'],
    ['under another name', line({ plate: undefined, targa: 'A1' })],
    ['in a line that is too long', line({ plate: 'A1', note: 'x'.repeat(256 * 1024) })],
  ])('%s concerns every plate, once there are more than a hundred such', async (_, rejected) => {
    await sendSessions([...Array(99).fill('{}'), rejected]);
    expect(await kept()).toEqual([]);
    await sendSessions([...Array(100).fill('{}'), rejected]);
    expect(await kept()).toEqual(ALL);
  });

  it('is remembered with the first thousand plates of its import; with more, every plate is in doubt', async () => {
    const lines = Array.from({ length: 1_001 }, (_, n) => line({ plate: `P${n}`, area_code: 'NONE' }));
    await sendSessions(lines.slice(0, 1_000));
    expect(new Set((await kept()).map(({ digest }) => digest)).size).toBe(1_000);
    await sendSessions(lines);
    expect((await kept()).slice(1_000)).toEqual(ALL);
  });

  it('is forgotten after a day', async () => {
    await send(line({ area_code: 'NONE' }));
    await runRetention(env, (NOW + DAY_MS + 1) as never);
    expect(await kept()).toEqual([]);
  });

  it.each([
    ['breaks off', `${file([line({ area_code: 'NONE' })])}\n\xff`, 400],
    ['is too large', `${file([line({ area_code: 'NONE' })])}\n${'\n'.repeat(8 * 1024 * 1024)}`, 413],
  ])('is remembered also where the import %s', async (_, text, status) => {
    const answer = await service.settle('/api/v2/imports/sessions?source_code=app1', {
      method: 'POST',
      body: Uint8Array.from(text, (character) => character.charCodeAt(0)),
      headers: { ...credential.headers, 'Content-Type': 'application/x-ndjson' },
    });
    expect(answer.status).toBe(status);
    expect(await kept()).toEqual(ONE);
  });

  it('is erased with the plate', async () => {
    await send(line({ area_code: 'NONE' }));
    await sendSubscriptions([aSubscriptionLine({ type: 'NONE', plates: [{ plate: 'A1' }] })]);
    expect(await kept()).toHaveLength(2);
    await service.post('/api/v2/admin/plates/erase', { tenant: 'acme', plate: 'A1' }, ADMIN);
    expect(await kept()).toEqual([]);
  });

  it('counts as one without a plate where there is no key to make a digest with', async () => {
    const without = new Service({ DIGEST_KEY: 'too short' });
    const sendWithout = (count: number) =>
      without.settle('/api/v2/imports/sessions?source_code=app1', {
        method: 'POST',
        body: file(Array(count).fill(line({ area_code: 'NONE' }))),
        headers: { ...credential.headers, 'Content-Type': 'application/x-ndjson' },
      });
    await sendWithout(100);
    expect(await kept()).toEqual([]);
    await sendWithout(101);
    expect(await kept()).toEqual(ALL);
  });
});

describe('A rejected line of a subscription', () => {
  const title = (...plates: readonly unknown[]) =>
    aSubscriptionLine({ type: 'NONE', plates: plates.map((plate) => ({ plate })) });

  it('leaves a digest of each plate that it names', async () => {
    await sendSubscriptions([title('A1', 'B2', 'a-1', 3)]);
    expect(await kept()).toHaveLength(3);
  });

  it('also where plates stand without their braces, or where a line has too many of them', async () => {
    await sendSubscriptions([
      aSubscriptionLine({ plates: ['A1', 'B2'] }),
      title(...Array.from({ length: 501 }, (_, n) => `P${n}`)),
    ]);
    expect(await kept()).toHaveLength(503);
  });

  it.each([
    ['no plates', aSubscriptionLine({ type: 'NONE', plates: [] })],
    ['plates that are none', title('--', '')],
    ['no JSON', '{'],
  ])('concerns every plate with %s, once there are more than a hundred such', async (_, rejected) => {
    await sendSubscriptions(Array(101).fill(rejected));
    expect(await kept()).toEqual(ALL);
  });
});
