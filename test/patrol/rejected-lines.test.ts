import { describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';
import { countsOf, file, APP1_SESSIONS as SESSIONS, send } from '../imports/support.ts';
import { City } from '../support/city.ts';
import { ADMIN, Service } from '../support/service.ts';
import { A_STREET, iso, NOW } from './street.ts';

const city = new City(A_STREET, { now: NOW, anew: true });
const KEYLESS = new Service({ DIGEST_KEY: 'short' });

/** Imports lines of an unknown area, each with a plate of its own. */
async function reject(count: number, service = city.service): Promise<void> {
  const lines = Array.from({ length: count }, (_, n) => ({
    ...{ session_id: `s${n}`, plate: `P${n}`, area_code: 'NONE', starts_at: iso(NOW) },
  }));
  expect(countsOf(await send(service, SESSIONS, file(lines), city.headers)).rejected).toBe(count);
}

/** Whether a plate is in doubt for a line that was rejected. */
async function doubts(plate: string, through = city.service): Promise<boolean> {
  const checks = [{ id: '1', plate, area_code: 'S1', seen_at: iso(Date.now() - 2 * HOUR_MS) }];
  const { body } = await city.post('/api/v2/patrol/checks', { checks }, {}, through);
  const [result] = body.results as { finding: string; doubts: { code: string }[] }[];
  const isDoubtful = result?.doubts.some(({ code }) => code === 'LINE_REJECTED') ?? false;
  expect(result?.finding === 'no_entitlement' && isDoubtful).toBe(false);
  return isDoubtful;
}

describe('A patrol doubts', () => {
  it('a plate that a rejected line has named, for a day, and no other', async () => {
    await reject(1);
    expect([await doubts('P0'), await doubts('P1')]).toEqual([true, false]);
    vi.setSystemTime(NOW + DAY_MS - 1);
    expect(await doubts('P0')).toBe(true);
    vi.setSystemTime(NOW + DAY_MS);
    expect(await doubts('P0')).toBe(false);
  });

  it('no plate any more that was erased', async () => {
    await reject(1);
    await city.post('/api/v2/admin/plates/erase', { tenant: 'acme', plate: 'P0' }, ADMIN);
    expect(await doubts('P0')).toBe(false);
  });

  it('every plate, for a day, once an import has rejected lines of more plates than are remembered', async () => {
    await reject(1_000);
    expect(await doubts('OTHER')).toBe(false);
    await reject(1_001);
    expect(await doubts('OTHER')).toBe(true);
    vi.setSystemTime(NOW + DAY_MS);
    expect(await doubts('OTHER')).toBe(false);
  });

  it('every plate where there was no key to remember as many by, or is none now', async () => {
    await reject(1);
    expect([await doubts('OTHER'), await doubts('OTHER', KEYLESS)]).toEqual([false, true]);
    await reject(101, KEYLESS);
    expect(await doubts('OTHER')).toBe(true);
  });
});
