import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { importLines } from '../admin/plates-support.ts';
import { City } from '../support/city.ts';
import { CITY } from '../support/seed.ts';
import { ADMIN } from '../support/service.ts';

const EXPORT = '/api/v2/admin/plates/export';
const NOW = Date.UTC(2026, 2, 10, 11);
const PLATE = 'KNOWN1';

type Body = Record<string, unknown>;
interface Item {
  readonly kind: string;
  readonly key: string;
  readonly recorded_at: string;
  readonly replaced_at: string | null;
  readonly request_id: string | null;
  readonly record: Body;
}

const city = new City(CITY, { now: NOW, anew: true });
let minute = 0;
beforeEach(() => {
  minute = 0;
});

/** Imports lines a minute after the imports before. */
async function send(what: 'sessions' | 'subscriptions', ...lines: readonly Body[]): Promise<void> {
  minute += 1;
  vi.setSystemTime(NOW + minute * MINUTE_MS);
  await importLines(city.service, city.headers, what, lines);
}

const session = (id: string, changed: Body = {}) => ({
  ...{ session_id: id, plate: PLATE, area_code: 'S1' },
  ...{ starts_at: '2026-03-10T10:00:00Z', ends_at: '2026-03-10T12:00:00Z' },
  ...changed,
});
const title = (number: string, changed: Body = {}) => ({
  ...{ subscription_number: number, type: 'RES', approval: 'approved', areas: 'all', periods: [] },
  ...{ plates: [{ plate: PLATE }], ...changed },
});

/** The history, page by page, with what happens between two pages. */
async function historyOf(between: (page: number) => Promise<unknown> = async () => {}): Promise<Item[]> {
  const found: Item[] = [];
  let after: unknown = null;
  let page = 0;
  do {
    const { status, body } = await city.post(EXPORT, { tenant: 'acme', plate: PLATE, after }, ADMIN);
    expect(status).toBe(200);
    expect((body.history as Item[]).length).toBeLessThanOrEqual(1_000);
    found.push(...(body.history as Item[]));
    after = body.next;
    page += 1;
    if (after !== null) await between(page);
  } while (after !== null);
  return found;
}

const minuteOf = (instant: string | null) => instant?.slice(11, 16) ?? null;
const shown = ({ key, recorded_at, replaced_at, record }: Item) => [
  key,
  minuteOf(recorded_at),
  minuteOf(replaced_at),
  record.ends_at,
];

describe('The history in an export', () => {
  it('has each version in which the plate was named, when it came, by which call, and where it left', async () => {
    await send('sessions', session('A'), session('B'));
    await send(
      'sessions',
      session('A', { ends_at: '2026-03-10T13:00:00Z' }),
      session('B', { plate: 'OTHER1' }),
    );
    await send('sessions', session('B'));
    const found = await historyOf();
    expect(found.map(shown)).toEqual([
      ['A', '12:01', '12:02', '2026-03-10T13:00:00+01:00'],
      ['B', '12:01', '12:02', '2026-03-10T13:00:00+01:00'],
      ['A', '12:02', null, '2026-03-10T14:00:00+01:00'],
      ['B', '12:03', null, '2026-03-10T13:00:00+01:00'],
    ]);
    expect(JSON.stringify(found)).not.toContain('OTHER1');
    const calls = new Map(found.map(({ recorded_at, request_id }) => [recorded_at, request_id]));
    expect(new Set(calls.values()).size).toBe(3);
    expect(found.every(({ recorded_at, request_id }) => calls.get(recorded_at) === request_id)).toBe(true);
  });

  it('has what became of the plate on a subscription, and nothing of what concerns other plates alone', async () => {
    const other = { plate: 'OTHER1' };
    await send('subscriptions', title('N'));
    await send('subscriptions', title('N', { plates: [{ plate: PLATE }, other] }));
    await send(
      'subscriptions',
      title('N', { plates: [{ plate: PLATE, valid_until: '2027-01-01T00:00:00Z' }, other] }),
    );
    await send('subscriptions', title('N', { plates: [other] }));
    await send('subscriptions', title('N', { plates: [other], areas: ['S1'] }));
    await send('subscriptions', title('N', { areas: ['S1'] }));
    const found = await historyOf();
    const span = { plate: PLATE, valid_from: null, valid_until: null };
    expect(new Set(found.map(({ request_id }) => request_id)).size).toBe(3);
    expect(
      found.map(({ recorded_at, replaced_at, record }) => [
        ...[minuteOf(recorded_at), minuteOf(replaced_at), record.plates, record.areas],
      ]),
    ).toEqual([
      ['12:01', '12:03', [span], 'all'],
      ['12:03', '12:04', [{ ...span, valid_until: '2027-01-01T01:00:00+01:00' }], 'all'],
      ['12:06', null, [span], ['S1']],
    ]);
  });

  it('lacks no version that is replaced while it goes on', async () => {
    await send('sessions', ...Array.from({ length: 1_500 }, (_, index) => session(`S${index}`)));
    const found = await historyOf(async (page) => {
      if (page > 1) return;
      // One that was answered, one that was not, and one that then stands before what was answered, twice.
      const ends = (hour: number) => ({ ends_at: `2026-03-10T${hour}:00:00Z` });
      await send('sessions', session('S1', ends(13)), session('S1400', ends(13)), session('S1499', ends(11)));
      await send('sessions', session('S1499', { ...ends(11), area_code: 'P1' }));
    });
    const endsOf = (wanted: string) =>
      new Set(
        found
          .filter(({ key }) => key === wanted)
          .map(({ record }) => [record.area_code, record.ends_at].join(' ')),
      );
    const at = (hour: number, area = 'S1') => `${area} 2026-03-10T${hour}:00:00+01:00`;
    expect(new Set(found.map(({ key }) => key)).size).toBe(1_500);
    expect(endsOf('S1')).toEqual(new Set([at(13), at(14)]));
    expect(endsOf('S1400')).toEqual(new Set([at(13), at(14)]));
    expect(endsOf('S1499')).toEqual(new Set([at(13), at(12), at(12, 'P1')]));
  });
});
