import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';
import { aSubscriptionLine, countsOf, file, SUBSCRIPTIONS, send as sendFile } from '../imports/support.ts';
import { City } from '../support/city.ts';
import { APP_SOURCE } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';
import { A_STREET, iso, NOW } from './street.ts';

const city = new City(
  { ...A_STREET, sources: [APP_SOURCE, { ...APP_SOURCE, id: 2, code: 'app2' }] },
  { now: NOW, anew: true },
);

async function send(path: string, lines: readonly unknown[], through = city.service) {
  const answer = await sendFile(through, path, file(lines), city.headers);
  expect(countsOf(answer).rejected).toBe(lines.length);
}
const sessions = (lines: readonly unknown[], source = 'app1', through?: Service) =>
  send(`/api/v2/imports/sessions?source_code=${source}`, lines, through);
const subscriptions = (lines: readonly unknown[]) => send(SUBSCRIPTIONS, lines);

/** Of an unknown area, each with a plate of its own. */
const rejected = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({
    ...{ session_id: `s${n}`, plate: `P${from + n}`, area_code: 'NONE' },
    starts_at: iso(NOW),
  }));
const unreadable = (count: number): string[] => Array(count).fill('{"plate": "AB12');

/** Whether a plate is in doubt for a line that was rejected. */
async function doubts(plate: string, through?: Service): Promise<boolean> {
  const checks = [{ id: '1', plate, area_code: 'S1', seen_at: iso(Date.now() - 2 * HOUR_MS) }];
  const { body } = await city.post('/api/v2/patrol/checks', { checks }, {}, through);
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
    await city.post('/api/v2/admin/plates/erase', { tenant: 'acme', plate: 'MINE' }, ADMIN);
    expect(await doubts('MINE')).toBe(false);
  });

  it('a plate though another tenant erases it whose code is that of the municipality', async () => {
    await env.DB.exec("insert into tenants (id, code, name, active) values (9, 'H501', 'City', 1)");
    await sessions(rejected(1));
    await subscriptions([aSubscriptionLine({ type: 'NONE', plates: [{ plate: 'P1' }] })]);
    for (const plate of ['P0', 'P1']) {
      await city.post('/api/v2/admin/plates/erase', { tenant: 'H501', plate }, ADMIN);
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
    await sessions(rejected(101), 'app1', without);
    expect(await doubts('OTHER')).toBe(true);
    vi.setSystemTime(NOW + DAY_MS);
    expect(await doubts('OTHER', without)).toBe(false);
  });
});
