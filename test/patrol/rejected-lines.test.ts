import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';
import { aSubscriptionLine, file } from '../imports/support.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { APP_SOURCE } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';
import { A_STREET, iso, NOW } from './street.ts';

const service = new Service();
let credential: TestCredential;

beforeEach(async () => {
  const sources = [APP_SOURCE, { ...APP_SOURCE, id: 2, code: 'app2' }];
  await freshDatabase({ ...A_STREET, sources });
  credential = await issueCredential();
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  return () => vi.useRealTimers();
});

async function send(path: string, lines: readonly unknown[], through = service) {
  const { status, body } = await through.settle(`/api/v2/imports/${path}`, {
    method: 'POST',
    body: file(lines),
    headers: { ...credential.headers, 'Content-Type': 'application/x-ndjson' },
  });
  expect([status, body.rejected]).toEqual([200, lines.length]);
}
const sessions = (lines: readonly unknown[], source = 'app1') =>
  send(`sessions?source_code=${source}`, lines);
const subscriptions = (lines: readonly unknown[]) => send('subscriptions', lines);

/** Of an unknown area, each with a plate of its own. */
const rejected = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({
    ...{ session_id: `s${n}`, plate: `P${from + n}`, area_code: 'NONE' },
    starts_at: iso(NOW),
  }));
const unreadable = (count: number): string[] => Array(count).fill('{"plate": "AB12');

/** Whether a plate is in doubt for a line that was rejected. */
async function doubts(plate: string, through = service): Promise<boolean> {
  const { body } = await through.settle('/api/v2/patrol/checks', {
    method: 'POST',
    body: { checks: [{ id: '1', plate, area_code: 'S1', seen_at: iso(Date.now() - 2 * HOUR_MS) }] },
    headers: credential.headers,
  });
  const [result] = body.results as { finding: string; doubts: { code: string }[] }[];
  const isDoubtful = result?.doubts.some(({ code }) => code === 'LINE_REJECTED') ?? false;
  expect(result?.finding === 'no_entitlement' && isDoubtful).toBe(false);
  return isDoubtful;
}

describe('A patrol doubts', () => {
  it('a plate that a rejected line of a session has named, for a day, and no other', async () => {
    await sessions(rejected(1));
    expect([await doubts('P0'), await doubts('P1')]).toEqual([true, false]);
    vi.setSystemTime(NOW + DAY_MS - 1);
    expect(await doubts('P0')).toBe(true);
    vi.setSystemTime(NOW + DAY_MS);
    expect(await doubts('P0')).toBe(false);
  });

  it('each plate that a rejected line of a subscription has named, for a day', async () => {
    await subscriptions([
      aSubscriptionLine({ type: 'NONE', plates: [{ plate: 'TWO1' }, { plate: 'TWO2' }] }),
    ]);
    expect([await doubts('TWO1'), await doubts('two-2'), await doubts('TWO3')]).toEqual([true, true, false]);
    vi.setSystemTime(NOW + DAY_MS);
    expect(await doubts('TWO1')).toBe(false);
  });

  it('no plate any more that was erased', async () => {
    await subscriptions([aSubscriptionLine({ type: 'NONE', plates: [{ plate: 'MINE' }] })]);
    await service.post('/api/v2/admin/plates/erase', { tenant: 'acme', plate: 'MINE' }, ADMIN);
    expect(await doubts('MINE')).toBe(false);
  });

  it('a plate though another tenant erases it whose code is that of the municipality', async () => {
    await env.DB.exec("insert into tenants (id, code, name, active) values (9, 'H501', 'City', 1)");
    await sessions(rejected(1));
    await subscriptions([aSubscriptionLine({ type: 'NONE', plates: [{ plate: 'P1' }] })]);
    for (const plate of ['P0', 'P1']) {
      await service.post('/api/v2/admin/plates/erase', { tenant: 'H501', plate }, ADMIN);
    }
    expect([await doubts('P0'), await doubts('P1')]).toEqual([true, true]);
  });

  it('every plate once an import has rejected lines of more plates than are remembered, for a day', async () => {
    await sessions(rejected(1_000));
    await sessions(rejected(1_000, 500), 'app2');
    expect([await doubts('P999'), await doubts('P1499'), await doubts('OTHER')]).toEqual([true, true, false]);
    await sessions(rejected(1_001));
    expect(await doubts('OTHER')).toBe(true);
    vi.setSystemTime(NOW + DAY_MS - 1);
    expect(await doubts('OTHER')).toBe(true);
    vi.setSystemTime(NOW + DAY_MS);
    expect(await doubts('OTHER')).toBe(false);
  });

  it.each([
    ['sessions', sessions],
    ['subscriptions', subscriptions],
  ])(
    'every plate once more than a hundred lines of %s in one import had no plate that could be read',
    async (_, send) => {
      await send(unreadable(100));
      await send(unreadable(100));
      expect(await doubts('OTHER')).toBe(false);
      await send(unreadable(101));
      expect(await doubts('OTHER')).toBe(true);
      vi.setSystemTime(NOW + DAY_MS);
      expect(await doubts('OTHER')).toBe(false);
    },
  );

  it('every plate where there was no key to remember as many by, or is none now', async () => {
    const without = new Service({ DIGEST_KEY: 'short' });
    await sessions(rejected(1));
    expect([await doubts('OTHER'), await doubts('OTHER', without)]).toEqual([false, true]);
    await send('sessions?source_code=app1', rejected(101), without);
    expect(await doubts('OTHER')).toBe(true);
    vi.setSystemTime(NOW + DAY_MS);
    expect(await doubts('OTHER', without)).toBe(false);
  });
});
