import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { City } from '../support/city.ts';
import { CITY, STREET } from '../support/seed.ts';
import {
  aSubscriptionLine,
  counts,
  countsOf,
  file,
  SUBSCRIPTIONS,
  send,
  storedSubscriptions,
} from './support.ts';

const city = new City(
  { ...CITY, areas: [...CITY.areas, { ...STREET, id: 3, code: 'OLD', active: false }] },
  { anew: true },
);

const importLines = (lines: readonly unknown[], path = SUBSCRIPTIONS) =>
  send(city.service, path, file(lines), city.headers);
const rowIds = async (table: string) =>
  (await env.DB.prepare(`select id from ${table} order by id`).raw<[number]>()).flat();
const at = (second: number) => `1970-01-01T00:00:0${second}Z`;

describe('An import of subscriptions', () => {
  it('stores every field, its lists in order and each thing once', async () => {
    const answer = await importLines([
      aSubscriptionLine({
        approval: 'pending',
        plates: [
          { plate: 'ZZ1', valid_from: at(3) },
          { plate: 'zz-1', valid_from: at(1), valid_until: at(2) },
          { plate: 'Z Z 1', valid_from: at(3), valid_until: null },
          { plate: '0123' },
        ],
        areas: ['S1', 'OLD', ' S1'],
        periods: [
          { starts_at: at(2), ends_at: at(3) },
          { starts_at: at(1), ends_at: at(2) },
        ],
        authorized_from: at(4),
        authorized_until: at(5),
        suspended_from: at(6),
        suspended_until: at(7),
        revoked_at: at(8),
        revision: 9,
      }),
    ]);
    expect(countsOf(answer)).toEqual(counts({ received: 1, created: 1 }));
    expect(await storedSubscriptions()).toEqual([
      {
        subscription_number: 'R-1',
        type_id: 1,
        approval: 'pending',
        authorized_from: 4_000,
        authorized_until: 5_000,
        suspended_from: 6_000,
        suspended_until: 7_000,
        revoked_at: 8_000,
        revision: 9,
        plates: [
          [1, '0123', null, null],
          [1, 'ZZ1', 1_000, 2_000],
          [1, 'ZZ1', 3_000, null],
        ],
        periods: [
          [1_000, 2_000],
          [2_000, 3_000],
        ],
        areas: ['OLD', 'S1'],
      },
    ]);
  });

  it('writes nothing when the same file comes twice, in whatever order its lists stand', async () => {
    const plates = [{ plate: 'A1' }, { plate: 'B1' }];
    await importLines([aSubscriptionLine({ plates, areas: ['P1', 'S1'] })]);
    const before = await rowIds('subscription_plates');
    const again = aSubscriptionLine({ plates: plates.toReversed(), areas: ['S1', 'P1', 'S1'] });
    expect(countsOf(await importLines([again]))).toEqual(counts({ received: 1, unchanged: 1 }));
    expect(await rowIds('subscription_plates')).toEqual(before);
  });
});

describe('A dry run of subscriptions', () => {
  it('counts what the same import does then, and stores nothing', async () => {
    const numbered = (number: number, changed: object = {}) =>
      aSubscriptionLine({ subscription_number: `R-${number}`, ...changed });
    const stored = [1, 2, 3, 4, 5].map((number) => numbered(number));
    await importLines([...stored, numbered(7), numbered(8), numbered(9, { revision: 5 })]);
    const before = await storedSubscriptions();
    const lines = [
      numbered(1, { plates: [{ plate: 'AB123CD' }, { plate: 'NEW' }] }),
      numbered(2, { plates: [] }),
      numbered(3, { approval: 'pending' }),
      numbered(4, { revision: 3 }),
      numbered(5),
      numbered(6),
      numbered(7, { plates: [{ plate: 'NEW' }] }),
      numbered(8, { plates: [{ plate: 'AB123CD', valid_from: at(1) }], approval: 'pending' }),
      numbered(9, { revision: 4, approval: 'pending', plates: [] }),
    ];
    const expected = counts({ received: 9, created: 1, updated: 5, unchanged: 3 });
    expect(countsOf(await importLines(lines, `${SUBSCRIPTIONS}?dry_run=true`))).toEqual(expected);
    expect(await storedSubscriptions()).toEqual(before);
    expect(countsOf(await importLines(lines))).toEqual(expected);
  });
});
