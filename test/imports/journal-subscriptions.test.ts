import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { Service } from '../support/service.ts';
import { journaledCity, journalOf, NOW, ROW } from './journal-support.ts';
import { aSubscriptionLine, SUBSCRIPTIONS } from './support.ts';
import { watchedDb } from './watched-db.ts';

const record = {
  subscription_number: 'R-1',
  type: 'RES',
  plates: [{ valid_from: null, valid_until: null }],
  approval: 'approved',
  authorized_from: null,
  authorized_until: null,
  areas: ['S1'],
  suspended_from: null,
  suspended_until: null,
  revoked_at: null,
  revision: null,
  periods: [{ starts_at: Date.UTC(2026, 1, 28, 23), ends_at: Date.UTC(2026, 2, 31, 22) }],
};
const row = {
  ...ROW,
  kind: 'subscription',
  source_code: null,
  key: 'R-1',
  area_id: null,
  record,
};

const { importInto, subscriptions } = journaledCity();

describe('The journal of subscriptions', () => {
  it('has a row for each plate, with that plate’s own entries alone', async () => {
    await subscriptions(
      aSubscriptionLine({
        plates: [
          { plate: 'B', valid_until: '2026-03-01T00:00:00Z' },
          { plate: 'A' },
          { plate: 'B', valid_from: '2026-04-01T00:00:00Z' },
        ],
        areas: 'all',
        revision: 7,
      }),
    );
    expect(await journalOf('subscription')).toEqual([
      { ...row, plate: 'A', record: { ...record, areas: 'all', revision: 7 } },
      {
        ...row,
        plate: 'B',
        record: {
          ...record,
          areas: 'all',
          revision: 7,
          plates: [
            { valid_from: Date.UTC(2026, 3, 1), valid_until: null },
            { valid_from: null, valid_until: Date.UTC(2026, 2, 1) },
          ],
        },
      },
    ]);
  });

  it('has a row for every plate before or after a change, without a record for one that has left', async () => {
    await subscriptions(aSubscriptionLine({ plates: [{ plate: 'A' }, { plate: 'B' }] }));
    await subscriptions(aSubscriptionLine({ plates: [{ plate: 'B' }, { plate: 'C' }], revision: 3 }));
    const now = { ...record, revision: 3 };
    expect((await journalOf('subscription')).slice(2)).toEqual([
      { ...row, plate: 'B', record: now },
      { ...row, plate: 'C', record: now },
      { ...row, plate: 'A', record: null },
    ]);
  });

  it.each([
    { approval: 'pending' },
    { authorized_from: '2026-03-01T00:00:00Z' },
    { suspended_from: '2026-03-01T00:00:00Z' },
    { revoked_at: '2026-03-01T00:00:00Z' },
    { revision: 1 },
    { areas: 'all' },
    { areas: ['P1'] },
    { areas: ['P1', 'S1'] },
    { plates: [{ plate: 'AB123CD', valid_from: '2026-03-01T00:00:00Z' }] },
    { periods: [] },
  ])('has a row for a change of %o, and none for the same again', async (change) => {
    await subscriptions(aSubscriptionLine());
    await subscriptions(aSubscriptionLine());
    await subscriptions(aSubscriptionLine(change));
    await subscriptions(aSubscriptionLine(change));
    expect(await journalOf('subscription')).toHaveLength(2);
  });
});

/** Plates whose subscription all is stored of, more of them than are stored again with every change. */
const FLEET = Array.from({ length: 180 }, (_, index) => ({ plate: `FLEET${index}` }));

describe('A change of a fleet’s subscription', () => {
  /** What an import of it reads and writes. */
  async function costOf(change: Parameters<typeof aSubscriptionLine>[0]) {
    const cost = { read: 0, written: 0 };
    const after = (_: string, meta: D1Meta) => {
      cost.read += meta.rows_read;
      cost.written += meta.rows_written;
    };
    await importInto(SUBSCRIPTIONS, [aSubscriptionLine(change)], new Service({ DB: watchedDb({ after }) }));
    return cost;
  }
  const stored = async (table: string, columns: string) =>
    (await env.DB.prepare(`select ${columns} from ${table} order by 1, 2`).raw()) as unknown[][];

  it('costs what changed: of one plate more a few rows, whatever has been known of the others', async () => {
    for (const month of [1, 2, 3]) {
      await subscriptions(
        aSubscriptionLine({ plates: FLEET, authorized_from: `2026-0${month}-01T00:00:00Z` }),
      );
    }
    const change = { authorized_from: '2026-03-01T00:00:00Z', plates: [...FLEET, { plate: 'NEW' }] };
    const { read, written } = await costOf(change);
    expect(written).toBeLessThanOrEqual(24);
    expect(read).toBeLessThanOrEqual(28 * FLEET.length);
    const [, ...plates] = (await stored('subscription_plates', 'plate, valid_from')).toReversed();
    expect(plates).toHaveLength(FLEET.length);
  });

  it('costs nothing of the past where all of its plates are replaced', async () => {
    await subscriptions(aSubscriptionLine({ plates: FLEET }));
    const others = FLEET.map(({ plate }) => ({ plate: `${plate}X` }));
    const first = await costOf({ plates: others });
    const again = await costOf({ plates: FLEET });
    // Both read what is stored a few times; a history that was read for each plate would be thousands of rows each.
    expect(Math.max(first.read, again.read)).toBeLessThanOrEqual(41 * FLEET.length);
  });

  it('reads no more for a plate with a long history than for a new one, however long the fleet’s own is', async () => {
    await subscriptions(aSubscriptionLine({ plates: [{ plate: 'A' }] }));
    const onto = async (...added: string[]) =>
      (await costOf({ plates: ['A', ...added].map((plate) => ({ plate })) })).read;
    const before = await onto('NEW');
    await env.DB.batch(
      [`'R-1', 'FLEET' || i`, `'OTHER' || i, 'BUSY'`].map((row) =>
        env.DB.prepare(
          `insert into journal (municipality_id, kind, recorded_at, key, plate)
           with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
           select 1, 'subscription', ${NOW}, ${row} from n`,
        ),
      ),
    );
    expect(await onto('NEW', 'BUSY')).toBeLessThanOrEqual(2 * before);
  });

  it('stores the plates, periods and areas that the line has, and no others', async () => {
    const until = (day: number) => `2026-05-${10 + day}T00:00:00Z`;
    await subscriptions(
      aSubscriptionLine({ plates: FLEET, areas: ['S1', 'P1'], authorized_until: '2027-01-01T00:00:00Z' }),
    );
    const plates = [
      ...FLEET.slice(10).map(({ plate }, index) => ({
        plate,
        ...(index < 5 && { valid_until: until(index) }),
      })),
      { plate: 'NEW', valid_from: until(1) },
    ];
    const periods = [{ starts_at: '2026-06-01T00:00:00Z', ends_at: '2026-07-01T00:00:00Z' }];
    await subscriptions(aSubscriptionLine({ plates, periods, areas: ['P1'] }));
    const at = (text: string | undefined) => (text === undefined ? null : Date.parse(text));
    expect(await stored('subscription_plates', 'plate, valid_from, valid_until, municipality_id')).toEqual(
      plates
        .map((span) => ({ valid_from: undefined, valid_until: undefined, ...span }))
        .map(({ plate, valid_from, valid_until }) => [plate, at(valid_from), at(valid_until), 1])
        .sort(),
    );
    expect(await stored('subscription_periods', 'starts_at, ends_at')).toEqual([
      [at(periods[0]?.starts_at), at(periods[0]?.ends_at)],
    ]);
    expect(await stored('subscription_areas', 'area_id, subscription_id')).toHaveLength(1);
    expect(await stored('subscriptions', 'subscription_number, authorized_until')).toEqual([['R-1', null]]);
    // Eleven plates have come or gone, five have another end; the periods are shared by all that are left.
    expect((await journalOf('subscription')).slice(FLEET.length)).toHaveLength(10 + plates.length);
  });
});

describe('A file of fleets', () => {
  /** The most rows of the journal, with their entries in indexes, that one round trip has written. */
  async function mostJournaled(lineOf: (number: number) => object) {
    let [most, written] = [0, 0];
    const DB = watchedDb({
      before: () => {
        written = 0;
      },
      after: (sql, meta) => {
        written += /^\s*insert into "journal"/.test(sql) ? meta.rows_written : 0;
        most = Math.max(most, written);
      },
    });
    const lines = Array.from({ length: 8 }, (_, number) => lineOf(number));
    const { body } = await importInto(SUBSCRIPTIONS, lines, new Service({ DB }));
    expect(body).toMatchObject({ received: 8, rejected: 0, unchanged: 0 });
    return most;
  }
  const fleet = (number: number, length: number) =>
    aSubscriptionLine({
      subscription_number: `R-${number}`,
      plates: Array.from({ length }, (_, index) => ({ plate: `F${number}X${index}` })),
    });

  it('is stored a thousand plates at a time, and so is one that takes all plates away', async () => {
    // A plate's row has entries in four indexes, and the row that a fleet's plates share in three.
    expect(await mostJournaled((number) => fleet(number, 500))).toBe(1_000 * 5 + 2 * 4);
    expect(await mostJournaled((number) => fleet(number, 0))).toBe(2_000 * 5);
    expect((await journalOf('subscription')).filter(({ record: kept }) => kept === null)).toHaveLength(4_000);
    expect(await stored()).toBe(0);
  });

  const stored = () =>
    env.DB.prepare('select count(*) as plates from subscription_plates').first<number>('plates');
});
