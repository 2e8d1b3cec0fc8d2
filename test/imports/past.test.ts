import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { ADMIN, Service } from '../support/service.ts';
import { asOf, changesRecorded, importingCity, NOW, versions } from './past-support.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  countsOf,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
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
    expect((await told('session', 'revision')).map(([revision]) => revision)).toEqual([2, 2]);
  });

  it('are one a file, however far apart its lines are', async () => {
    await sessions(
      aSessionLine(),
      ...Array.from({ length: 700 }, (_, index) => aSessionLine({ session_id: `t-${index}` })),
      aSessionLine({ ends_at: null }),
    );
    const own = (await versions('session')).filter(({ says }) => says.session_id === 's-1');
    expect(own.map(({ says, replaced_at }) => [says.ends_at, replaced_at])).toEqual([[undefined, null]]);
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
    // Each file is a change, and so is how its import ended.
    expect(await changesRecorded()).toEqual([
      NOW,
      NOW + 1,
      NOW + 2,
      NOW + 3,
      NOW + MINUTE_MS,
      NOW + MINUTE_MS + 1,
    ]);
    expect((await versions('session')).map(({ recorded_at }) => recorded_at)).toEqual([
      NOW,
      NOW + 2,
      NOW + MINUTE_MS,
    ]);
  });

  it('have the instant at which their batch was stored, not that of the call', async () => {
    const DB = watchedDb({
      before: (statements) => {
        // The second batch comes a minute later.
        if (statements.some(storesLines)) vi.setSystemTime(Date.now() + MINUTE_MS);
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
    { revision: 1 },
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

describe('The versions of how the imports of a source stand', () => {
  it('are one for each import that has finished', async () => {
    await sessions();
    vi.setSystemTime(NOW + MINUTE_MS);
    await sessions({ bad: 'line' });
    expect((await versions('import')).map(({ says, replaced_at }) => [says, replaced_at])).toEqual([
      [{ last_outcome: 'succeeded', last_finished_at: NOW, last_successful_at: NOW }, NOW + MINUTE_MS],
      [{ last_outcome: 'failed', last_finished_at: NOW + MINUTE_MS, last_successful_at: NOW }, null],
    ]);
  });
});

describe.each([
  ['sessions', SESSIONS, aSessionLine({ plate: 'NEW' }), aSessionLine()],
  ['subscriptions', SUBSCRIPTIONS, aSubscriptionLine({ plates: [{ plate: 'NEW' }] }), aSubscriptionLine()],
] as const)('The answer of the database that is lost, of %s', (kind, path, line, before) => {
  /** How an import ended is stored of sessions alone. */
  const TIMES = { sessions: 2, subscriptions: 1 };
  const plates = async () =>
    (await versions(kind === 'sessions' ? 'session' : 'span')).map(({ says }) => says.plate);

  it('stores nothing twice, when the write is done again', async () => {
    await importInto(path, [before]);
    const recorded = await changesRecorded();
    let lost = 0;
    const DB = watchedDb({
      after: (sql) => {
        if ((storesLines(sql) || sql.includes('into "source_imports"')) && lost < TIMES[kind]) {
          lost += 1;
          throw new Error(LOST);
        }
      },
    });
    countsOf(await importInto(path, [line], new Service({ DB })));
    expect(lost).toBe(TIMES[kind]);
    expect(await plates()).toEqual(['AB123CD', 'NEW']);
    expect(await changesRecorded()).toHaveLength(2 * recorded.length);
  });

  it('undoes nothing that another import has stored in between', async () => {
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
    // The other import came after the one whose answer was lost, and stands.
    expect(await plates()).toEqual(['AB123CD', 'NEW', 'AB123CD']);
  });

  it('is no reason to leave out what is decided again, since a plate was erased meanwhile', async () => {
    await importInto(path, [before]);
    await sessions(aSessionLine({ session_id: 'other', plate: 'ERASED1' }));
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
          const body = { tenant: 'acme', plate: 'ERASED1' };
          expect((await new Service().post('/api/v2/admin/plates/erase', body, ADMIN)).status).toBe(200);
        }
      },
    });
    expect(countsOf(await importInto(path, [line], new Service({ DB })))).toMatchObject({ updated: 1 });
    const own = (await plates()).filter((plate) => plate === 'AB123CD' || plate === 'NEW');
    expect(own).toEqual(['AB123CD', 'NEW', 'AB123CD', 'NEW']);
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
    expect(read).toBeLessThanOrEqual(6 * FLEET.length);
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
        type: 'RES',
        approval: 'approved',
        areas: ['P1'],
        periods: [[at(periods[0]?.starts_at), at(periods[0]?.ends_at), null]],
      },
    ]);
  });
});

describe('A file of fleets', () => {
  /** The most spans that one round trip has stored or taken away, with their entries in indexes. */
  async function mostWritten(lineOf: (number: number) => object) {
    let [most, written] = [0, 0];
    const DB = watchedDb({
      before: () => {
        written = 0;
      },
      after: (sql, meta) => {
        written += /^\s*insert into "(past_)?subscription_plates"/.test(sql) ? meta.rows_written : 0;
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
    // A span has entries in four indexes, a past one in two.
    expect(await mostWritten((number) => fleet(number, 500))).toBe(1_000 * 5);
    expect(await mostWritten((number) => fleet(number, 0))).toBe(2_000 * 3);
    const counts = await env.DB.prepare(
      `select (select count(*) from subscription_plates) as now, (select count(*) from past_subscription_plates) as past`,
    ).first();
    expect(counts).toEqual({ now: 0, past: 4_000 });
  });
});
