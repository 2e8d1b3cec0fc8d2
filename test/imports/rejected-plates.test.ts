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
const kept = () => rowsOf('select digest, at from rejected_plates');
const keptOfSubscriptions = () => rowsOf('select digest, at from rejected_subscription_plates');
const counted = () => rowsOf('select source_code, unremembered, unreadable from rejected_lines');
const ONE = [{ digest: expect.stringMatching(/^[0-9a-f]{64}$/), at: NOW }];

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
    expect([await kept(), await counted()]).toEqual([ONE, []]);
  });

  it.each([
    ['that is not a plate', line({ plate: '--' })],
    ['in no JSON', '{"plate": "A1"'],
    ['under another name', line({ plate: undefined, targa: 'A1' })],
    ['in a line that is too long', line({ plate: 'A1', note: 'x'.repeat(256 * 1024) })],
  ])('%s is counted as one in which no plate could be read', async (_, rejected) => {
    await send(rejected);
    expect([await kept(), await counted()]).toEqual([
      [],
      [{ source_code: 'app1', unremembered: 0, unreadable: 1 }],
    ]);
  });

  it('is kept for a day, the first ten thousand of a source', async () => {
    const lines = Array.from({ length: 10_002 }, (_, n) => line({ plate: `P${n}`, area_code: 'NONE' }));
    await sendSessions(lines.slice(0, 10_000));
    expect([(await kept()).length, await counted()]).toEqual([10_000, []]);
    await sendSessions(lines);
    expect(await kept()).toHaveLength(10_000);
    expect(await counted()).toEqual([{ source_code: 'app1', unremembered: 2, unreadable: 0 }]);
    await runRetention(env, (NOW + DAY_MS + 1) as never);
    expect([await kept(), await counted()]).toEqual([[], []]);
  });

  it('is forgotten by the next one after a day, and counted by hours', async () => {
    await send(line({ area_code: 'NONE' }), 'no JSON');
    vi.setSystemTime(NOW + HOUR_MS - 1);
    await send('no JSON', 'no JSON');
    vi.setSystemTime(NOW + DAY_MS);
    await send(line({ plate: 'B2', area_code: 'NONE' }), 'no JSON');
    expect(await kept()).toHaveLength(1);
    expect(await rowsOf('select unreadable, last_at from rejected_lines')).toEqual([
      { unreadable: 3, last_at: NOW + HOUR_MS - 1 },
      { unreadable: 1, last_at: NOW + DAY_MS },
    ]);
  });

  it('is kept longer where it is sent again', async () => {
    await send(line({ area_code: 'NONE' }));
    vi.setSystemTime(NOW + HOUR_MS);
    await send(line({ area_code: 'NONE' }));
    expect(await kept()).toMatchObject([{ at: NOW + HOUR_MS }]);
  });

  it('is erased with the plate', async () => {
    await send(line({ area_code: 'NONE' }));
    await sendSubscriptions([aSubscriptionLine({ type: 'NONE', plates: [{ plate: 'A1' }] })]);
    expect(await keptOfSubscriptions()).toHaveLength(1);
    await service.post('/api/v2/admin/plates/erase', { tenant: 'acme', plate: 'A1' }, ADMIN);
    expect([await kept(), await keptOfSubscriptions()]).toEqual([[], []]);
  });

  it('is counted where there is no key to make a digest with', async () => {
    const without = new Service({ DIGEST_KEY: 'too short' });
    await without.settle('/api/v2/imports/sessions?source_code=app1', {
      method: 'POST',
      body: file([line({ area_code: 'NONE' })]),
      headers: { ...credential.headers, 'Content-Type': 'application/x-ndjson' },
    });
    expect([await kept(), await counted()]).toEqual([
      [],
      [{ source_code: 'app1', unremembered: 1, unreadable: 0 }],
    ]);
  });
});

describe('A rejected line of a subscription', () => {
  const title = (...plates: readonly unknown[]) =>
    aSubscriptionLine({ type: 'NONE', plates: plates.map((plate) => ({ plate })) });

  it('leaves a digest of each plate that it names', async () => {
    await sendSubscriptions([title('A1', 'B2', 'a-1', 3)]);
    expect(await keptOfSubscriptions()).toHaveLength(3);
    expect([await kept(), await counted()]).toEqual([[], []]);
  });

  it('also where plates stand without their braces, or where a line has too many of them', async () => {
    await sendSubscriptions([
      aSubscriptionLine({ plates: ['A1', 'B2'] }),
      title(...Array.from({ length: 501 }, (_, n) => `P${n}`)),
    ]);
    expect(await keptOfSubscriptions()).toHaveLength(503);
  });

  it.each([
    ['no plates', aSubscriptionLine({ type: 'NONE', plates: [] })],
    ['plates that are none', title('--', '')],
    ['no JSON', '{'],
  ])('is counted with %s', async (_, rejected) => {
    await sendSubscriptions([rejected]);
    expect([await keptOfSubscriptions(), await counted()]).toEqual([
      [],
      [{ source_code: '', unremembered: 0, unreadable: 1 }],
    ]);
  });

  it('is remembered with all of its plates, the first ten thousand lines', async () => {
    const lines = Array.from({ length: 10_001 }, (_, n) => title(`A${n}`, `B${n}`));
    await sendSubscriptions(lines);
    expect(await keptOfSubscriptions()).toHaveLength(20_000);
    expect(await counted()).toEqual([{ source_code: '', unremembered: 1, unreadable: 0 }]);
    // Plates that are remembered already need no room.
    await sendSubscriptions(lines.slice(0, 2));
    expect(await counted()).toMatchObject([{ unremembered: 1 }]);
  });
});
