import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { issueCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY, STREET } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import {
  aSubscriptionLine,
  counts,
  countsOf,
  errorsOf,
  file,
  SUBSCRIPTIONS,
  send,
  storedSubscriptions,
} from './support.ts';

const STORED = {
  subscription_number: 'R-1',
  type_id: 1,
  approval: 'approved',
  authorized_from: null,
  authorized_until: null,
  suspended_from: null,
  suspended_until: null,
  revoked_at: null,
  revision: null,
  plates: [[1, 'AB123CD', null, null]],
  periods: [[Date.UTC(2026, 1, 28, 23), Date.UTC(2026, 2, 31, 22)]],
  areas: ['S1'],
};

const service = new Service();
let headers: Record<string, string>;

beforeEach(async () => {
  await freshDatabase({ ...CITY, areas: [...CITY.areas, { ...STREET, id: 3, code: 'OLD', active: false }] });
  ({ headers } = await issueCredential());
});

const importLines = (lines: readonly unknown[]) => send(service, SUBSCRIPTIONS, file(lines), headers);

describe('An import of subscriptions', () => {
  it('stores each line with its plates, periods and areas', async () => {
    const answer = await importLines([aSubscriptionLine({ plates: [{ plate: 'ab-123 cd' }] })]);
    expect(countsOf(answer)).toEqual(counts({ received: 1, created: 1 }));
    expect(await storedSubscriptions()).toEqual([STORED]);
  });

  it('stores every field', async () => {
    await importLines([
      aSubscriptionLine({
        approval: 'pending',
        plates: [
          { plate: 'ZZ1', valid_from: '1970-01-01T00:00:01Z', valid_until: '1970-01-01T00:00:02Z' },
          { plate: 'ZZ1', valid_from: '1970-01-01T00:00:03Z' },
        ],
        areas: 'all',
        periods: [],
        authorized_from: '1970-01-01T00:00:04Z',
        authorized_until: '1970-01-01T00:00:05Z',
        suspended_from: '1970-01-01T00:00:06Z',
        suspended_until: '1970-01-01T00:00:07Z',
        revoked_at: '1970-01-01T00:00:08Z',
        revision: 9,
      }),
    ]);
    expect(await storedSubscriptions()).toEqual([
      {
        ...STORED,
        approval: 'pending',
        authorized_from: 4_000,
        authorized_until: 5_000,
        suspended_from: 6_000,
        suspended_until: 7_000,
        revoked_at: 8_000,
        revision: 9,
        plates: [
          [1, 'ZZ1', 1_000, 2_000],
          [1, 'ZZ1', 3_000, null],
        ],
        periods: [],
        areas: null,
      },
    ]);
  });

  it('writes nothing when the same file comes twice, in whatever order its lists stand', async () => {
    const plates = [{ plate: 'A1' }, { plate: 'B1' }];
    await importLines([aSubscriptionLine({ plates, areas: ['P1', 'S1'] })]);
    const before = await env.DB.prepare('select id from subscription_plates order by id').all();
    const again = aSubscriptionLine({ plates: plates.toReversed(), areas: ['S1', 'P1', 'S1'] });
    expect(countsOf(await importLines([again]))).toEqual(counts({ received: 1, unchanged: 1 }));
    const after = await env.DB.prepare('select id from subscription_plates order by id').all();
    expect(after.results).toEqual(before.results);
  });

  it('replaces a subscription as a whole, and leaves no row of its lists behind', async () => {
    await importLines([
      aSubscriptionLine({
        plates: [{ plate: 'A1' }, { plate: 'B1' }],
        areas: ['S1', 'P1'],
        revoked_at: '2026-01-01T00:00:00Z',
      }),
    ]);
    expect(countsOf(await importLines([aSubscriptionLine()]))).toEqual(counts({ received: 1, updated: 1 }));
    expect(await storedSubscriptions()).toEqual([STORED]);
    expect(await env.DB.prepare('select count(*) as plates from subscription_plates').first()).toEqual({
      plates: 1,
    });
  });

  it('leaves the subscriptions alone that the file does not name', async () => {
    await importLines([aSubscriptionLine(), aSubscriptionLine({ subscription_number: 'R-2' })]);
    await importLines([aSubscriptionLine({ plates: [] })]);
    expect(await storedSubscriptions()).toEqual([
      { ...STORED, plates: [] },
      { ...STORED, subscription_number: 'R-2' },
    ]);
  });

  it('lets the last of several lines of one subscription win', async () => {
    const answer = await importLines([
      aSubscriptionLine(),
      aSubscriptionLine({ plates: [{ plate: 'A1' }] }),
      aSubscriptionLine({ plates: [{ plate: 'B1' }] }),
    ]);
    expect(countsOf(answer)).toEqual(counts({ received: 3, created: 1, unchanged: 2 }));
    expect(await storedSubscriptions()).toEqual([{ ...STORED, plates: [[1, 'B1', null, null]] }]);
  });

  it('leaves a subscription alone that has a higher revision than the line', async () => {
    await importLines([aSubscriptionLine({ revision: 2, revoked_at: '2026-01-01T00:00:00Z' })]);
    const before = await storedSubscriptions();
    expect(countsOf(await importLines([aSubscriptionLine({ revision: 1 })]))).toEqual(
      counts({ received: 1, unchanged: 1 }),
    );
    expect(await storedSubscriptions()).toEqual(before);
  });

  it('lets the last line win among equal revisions, and a line without one keep the revision', async () => {
    await importLines([aSubscriptionLine({ revision: 2, plates: [{ plate: 'A1' }] })]);
    await importLines([aSubscriptionLine({ revision: 2, plates: [{ plate: 'B1' }] })]);
    expect(await storedSubscriptions()).toEqual([
      { ...STORED, revision: 2, plates: [[1, 'B1', null, null]] },
    ]);
    const answer = await importLines([aSubscriptionLine({ plates: [{ plate: 'C1' }] })]);
    expect(countsOf(answer)).toEqual(counts({ received: 1, updated: 1 }));
    expect(await storedSubscriptions()).toEqual([
      { ...STORED, revision: 2, plates: [[1, 'C1', null, null]] },
    ]);
  });

  it('keeps the row of a subscription that it replaces', async () => {
    await importLines([aSubscriptionLine({ subscription_number: 'R-0' }), aSubscriptionLine()]);
    const ids = async () =>
      (await env.DB.prepare('select id from subscriptions order by subscription_number').all()).results;
    const before = await ids();
    await importLines([aSubscriptionLine({ subscription_number: 'R-0', plates: [] })]);
    expect(await ids()).toEqual(before);
  });

  it('takes lines for an inactive area', async () => {
    await importLines([aSubscriptionLine({ areas: ['OLD'] })]);
    expect(await storedSubscriptions()).toEqual([{ ...STORED, areas: ['OLD'] }]);
  });

  it('keeps numbers and plates of digits as texts, zeros and all', async () => {
    await importLines([aSubscriptionLine({ subscription_number: '007', plates: [{ plate: '0123' }] })]);
    expect(await storedSubscriptions()).toMatchObject([
      { subscription_number: '007', plates: [[1, '0123', null, null]] },
    ]);
  });

  it('answers for its bad lines and takes the others', async () => {
    const answer = await importLines([
      aSubscriptionLine({ type: 'X' }),
      aSubscriptionLine({ areas: ['X'] }),
      aSubscriptionLine({ plates: [{ plate: '?' }] }),
      aSubscriptionLine({ holder: 'Rossi' }),
      '{',
      aSubscriptionLine(),
    ]);
    expect(countsOf(answer)).toEqual(counts({ received: 6, created: 1, rejected: 5 }));
    expect(errorsOf(answer).map(({ line, code }) => [line, code])).toEqual([
      [1, 'SUBSCRIPTION_TYPE_NOT_FOUND'],
      [2, 'AREA_NOT_FOUND'],
      [3, 'INVALID_PLATE'],
      [4, 'INVALID_REQUEST'],
      [5, 'INVALID_JSON'],
    ]);
  });

  it('of nothing answers zero counts', async () => {
    expect(countsOf(await send(service, SUBSCRIPTIONS, '', headers))).toEqual(counts({}));
  });

  it('is seen by the plate check', async () => {
    const day = 24 * 3_600_000;
    const now = Date.now();
    await importLines([
      aSubscriptionLine({
        areas: 'all',
        periods: [
          { starts_at: new Date(now - day).toISOString(), ends_at: new Date(now + day).toISOString() },
        ],
      }),
    ]);
    const answer = await service.post('/api/v2/parking/check-plate', { plate: 'AB 123 CD' }, headers);
    expect(answer.body).toMatchObject({ has_valid_subscription: true });
  });
});

describe('A dry run of subscriptions', () => {
  it('counts what the same import does then, and stores nothing', async () => {
    const numbered = (number: number, changed: object = {}) =>
      aSubscriptionLine({ subscription_number: `R-${number}`, ...changed });
    await importLines([1, 2, 3, 4, 5].map((number) => numbered(number)));
    const before = await storedSubscriptions();
    const lines = [
      numbered(1, { plates: [{ plate: 'AB123CD' }, { plate: 'NEW' }] }),
      numbered(2, { plates: [] }),
      numbered(3, { approval: 'pending' }),
      numbered(4, { revision: 3 }),
      numbered(5),
      numbered(6),
    ];
    const expected = counts({ received: 6, created: 1, updated: 3, unchanged: 2 });
    const judged = await send(service, `${SUBSCRIPTIONS}?dry_run=true`, file(lines), headers);
    expect(countsOf(judged)).toEqual(expected);
    expect(await storedSubscriptions()).toEqual(before);
    expect(countsOf(await importLines(lines))).toEqual(expected);
  });
});
