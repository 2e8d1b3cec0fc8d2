import { describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { Service } from '../support/service.ts';
import { asOf, brokenHistories, changesRecorded, importingCity, NOW, versions } from './past-support.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  countsOf,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
  storedSessions,
} from './support.ts';
import { storesLines, watchedDb } from './watched-db.ts';

const LOST = 'D1_ERROR: Network connection lost.';

const { importInto, sessions, subscriptions } = importingCity();

/** What each version of a kind says of a property, and its interval. */
const told = async (kind: 'session' | 'subscription' | 'span', property: string) =>
  (await versions(kind)).map(({ says, recorded_at, replaced_at }) => [
    says[property],
    recorded_at,
    replaced_at,
  ]);

describe('The versions of a session', () => {
  it('are the present alone, where it has not changed', async () => {
    await sessions(aSessionLine());
    expect(await told('session', 'plate')).toEqual([['AB123CD', NOW, null]]);
  });

  it('are one a change, and none for what changes nothing', async () => {
    await sessions(aSessionLine({ revision: 2 }));
    await sessions(aSessionLine({ revision: 2 }));
    await sessions(aSessionLine({ revision: 1, plate: 'OLD' }));
    vi.setSystemTime(NOW + MINUTE_MS);
    // A line without a revision leaves the session the one it has.
    await sessions(aSessionLine({ cancelled_at: '2026-03-10T12:30:00+01:00' }));
    expect(await told('session', 'cancelled_at')).toEqual([
      [undefined, NOW, NOW + MINUTE_MS],
      [NOW + 30 * MINUTE_MS, NOW + MINUTE_MS, null],
    ]);
    expect(await storedSessions()).toMatchObject([{ revision: 2 }]);
  });

  it('are none for a revision that is only raised, which counts from then on', async () => {
    await sessions(aSessionLine({ revision: 1 }));
    expect(countsOf(await sessions(aSessionLine({ revision: 5 })))).toMatchObject({ unchanged: 1 });
    await sessions(aSessionLine({ revision: 4, plate: 'OLD' }));
    expect(await told('session', 'plate')).toEqual([['AB123CD', NOW, null]]);
    expect(await storedSessions()).toMatchObject([{ revision: 5 }]);
  });

  it('keep the plate that a corrected session has left, and the area', async () => {
    await sessions(aSessionLine());
    await sessions(aSessionLine({ plate: 'AB123CE', area_code: 'P1' }));
    expect((await versions('session')).map(({ says }) => [says.plate, says.area_id])).toEqual([
      ['AB123CD', 1],
      ['AB123CE', 2],
    ]);
  });

  it('never go back in time, though a clock does, and no two changes have one instant', async () => {
    await sessions(aSessionLine());
    vi.setSystemTime(NOW - MINUTE_MS);
    await sessions(aSessionLine({ session_id: 's-2' }));
    vi.setSystemTime(NOW + MINUTE_MS);
    await sessions(aSessionLine({ session_id: 's-3' }));
    const instants = [NOW, NOW + 1, NOW + MINUTE_MS];
    expect(await changesRecorded()).toEqual(instants);
    expect((await versions('session')).map(({ recorded_at }) => recorded_at)).toEqual(instants);
  });

  it('have the instant at which their batch was stored, not that of the call', async () => {
    const DB = watchedDb({
      after: (sql) => {
        // The second batch comes a minute later.
        if (storesLines(sql)) vi.setSystemTime(Date.now() + MINUTE_MS);
      },
    });
    const lines = Array.from({ length: 700 }, (_, index) => aSessionLine({ session_id: `t-${index}` }));
    await importInto(SESSIONS, lines, new Service({ DB }));
    const instants = (await versions('session')).map(({ recorded_at }) => recorded_at);
    expect([instants[0], instants.at(-1)]).toEqual([NOW, NOW + MINUTE_MS]);
  });
});

describe('The versions of a subscription', () => {
  it.each([
    { approval: 'pending' },
    { authorized_from: '2026-03-01T00:00:00Z' },
    { suspended_from: '2026-03-01T00:00:00Z' },
    { revoked_at: '2026-03-01T00:00:00Z' },
    { areas: 'all' },
    { areas: ['P1'] },
    { areas: ['P1', 'S1'] },
    { periods: [] },
  ])('are two after a change of %o, and none more for the same again', async (change) => {
    await subscriptions(aSubscriptionLine());
    await subscriptions(aSubscriptionLine());
    await subscriptions(aSubscriptionLine(change));
    await subscriptions(aSubscriptionLine(change));
    expect(await told('subscription', 'number')).toEqual([
      ['R-1', NOW, NOW + 1],
      ['R-1', NOW + 1, null],
    ]);
    expect(await told('span', 'plate')).toEqual([['AB123CD', NOW, null]]);
  });

  it.each([
    [
      'comes',
      [{ plate: 'AB123CD' }, { plate: 'NEW' }],
      [
        ['AB123CD', NOW, null],
        ['NEW', NOW + 1, null],
      ],
    ],
    ['goes', [], [['AB123CD', NOW, NOW + 1]]],
    [
      'has another validity',
      [{ plate: 'AB123CD', valid_from: '2026-03-01T00:00:00Z' }],
      [
        ['AB123CD', NOW, NOW + 1],
        ['AB123CD', NOW + 1, null],
      ],
    ],
  ])('are those of the plate alone, where a plate %s', async (_, plates, spans) => {
    await subscriptions(aSubscriptionLine());
    await subscriptions(aSubscriptionLine({ plates }));
    expect(await told('span', 'plate')).toEqual(spans);
    expect(await told('subscription', 'number')).toEqual([['R-1', NOW, null]]);
  });
});

describe.each([
  ['sessions', SESSIONS, aSessionLine({ plate: 'NEW' }), aSessionLine()],
  ['subscriptions', SUBSCRIPTIONS, aSubscriptionLine({ plates: [{ plate: 'NEW' }] }), aSubscriptionLine()],
] as const)('The answer of the database that is lost, of %s', (kind, path, line, before) => {
  const plates = async () =>
    (await versions(kind === 'sessions' ? 'session' : 'span')).map(({ says }) => says.plate);

  it('stores nothing twice, when the write is done again', async () => {
    await importInto(path, [before]);
    const recorded = await changesRecorded();
    let lost = 0;
    const DB = watchedDb({
      after: (sql) => {
        if (storesLines(sql) && lost < 2) {
          lost += 1;
          throw new Error(LOST);
        }
      },
    });
    countsOf(await importInto(path, [line], new Service({ DB })));
    expect(lost).toBe(2);
    expect(await plates()).toEqual(['AB123CD', 'NEW']);
    expect(await changesRecorded()).toHaveLength(2 * recorded.length);
  });

  it('is sent again behind another import that came in between', async () => {
    await importInto(path, [before]);
    let [isLost, hasCome] = [false, false];
    const DB = watchedDb({
      after: (sql) => {
        if (storesLines(sql) && !isLost) {
          isLost = true;
          throw new Error(LOST);
        }
      },
      before: async () => {
        if (isLost && !hasCome) {
          hasCome = true;
          await importInto(path, [before]);
        }
      },
    });
    await importInto(path, [line], new Service({ DB }));
    expect(hasCome).toBe(true);
    expect(await plates()).toEqual(['AB123CD', 'NEW', 'AB123CD', 'NEW']);
    expect(await brokenHistories()).toEqual([]);
  });
});

/** More plates than an ordinary fleet has. */
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

  it('costs what changed: of one plate more a few rows, whatever has been known of the others', async () => {
    for (const month of [1, 2, 3]) {
      await subscriptions(
        aSubscriptionLine({ plates: FLEET, authorized_from: `2026-0${month}-01T00:00:00Z` }),
      );
    }
    const change = { authorized_from: '2026-03-01T00:00:00Z', plates: [...FLEET, { plate: 'NEW' }] };
    const { read, written } = await costOf(change);
    expect(written).toBeLessThanOrEqual(16);
    // Its plates are looked for thrice, each by an index.
    expect(read).toBeLessThanOrEqual(7 * FLEET.length);
  });

  it('keeps what its plates share once', async () => {
    await subscriptions(aSubscriptionLine({ plates: FLEET }));
    const { written } = await costOf({ plates: FLEET, authorized_until: '2030-01-01T00:00:00Z' });
    expect(written).toBeLessThanOrEqual(16);
  });

  it('stores the plates, periods and areas that the line has, and no others', async () => {
    const until = (day: number) => `2026-05-${10 + day}T00:00:00Z`;
    await subscriptions(
      aSubscriptionLine({ plates: FLEET, areas: ['S1', 'P1'], authorized_until: '2027-01-01T00:00:00Z' }),
    );
    const old = asOf(await versions(), NOW);
    const plates = [
      ...FLEET.slice(10).map(({ plate }, index) => ({
        plate,
        ...(index < 5 && { valid_until: until(index) }),
      })),
      { plate: 'NEW', valid_from: until(1) },
    ];
    const periods = [{ starts_at: '2026-06-01T00:00:00Z', ends_at: '2026-07-01T00:00:00Z' }];
    await subscriptions(aSubscriptionLine({ plates, periods, areas: ['P1'] }));
    const all = await versions();
    expect(asOf(all, NOW)).toEqual(old);
    const at = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));
    const now = all.filter(({ replaced_at }) => replaced_at === null);
    expect(
      now
        .flatMap(({ kind, says }) =>
          kind === 'span' ? [[says.plate, says.valid_from, says.valid_until]] : [],
        )
        .sort(),
    ).toEqual(
      plates
        .map((span) => ({ valid_from: undefined, valid_until: undefined, ...span }))
        .map(({ plate, valid_from, valid_until }) => [plate, at(valid_from), at(valid_until)])
        .sort(),
    );
    expect(now.filter(({ kind }) => kind === 'subscription').map(({ says }) => says)).toEqual([
      {
        number: 'R-1',
        type: 1,
        approval: 'approved',
        areas: ['P1'],
        periods: [[at(periods[0]?.starts_at), at(periods[0]?.ends_at)]],
      },
    ]);
  });
});
