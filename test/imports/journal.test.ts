import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Random } from '../domain/random.ts';
import { issueCredential } from '../support/credential.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { freshDatabase } from './fresh-database.ts';
import { journalOf, standing } from './journal-support.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  countsOf,
  file,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
  send,
} from './support.ts';
import { storesLines, watchedDb } from './watched-db.ts';

const NOW = Date.UTC(2026, 2, 10, 11);
const MINUTE_MS = 60_000;
const STARTS = Date.UTC(2026, 2, 10, 11);
const ENDS = Date.UTC(2026, 2, 10, 12);
const LOST = 'D1_ERROR: Network connection lost.';

let headers: Record<string, string>;

beforeEach(async () => {
  await freshDatabase(CITY);
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  ({ headers } = await issueCredential());
});
afterEach(() => {
  vi.useRealTimers();
});

const importInto = (path: string, lines: readonly object[], service = new Service()) =>
  send(service, path, file(lines), headers);
const sessions = (...lines: readonly object[]) => importInto(SESSIONS, lines);
const subscriptions = (...lines: readonly object[]) => importInto(SUBSCRIPTIONS, lines);

const session = {
  session_id: 's-1',
  plate: 'AB123CD',
  area_code: 'S1',
  starts_at: STARTS,
  ends_at: ENDS,
  cancelled_at: null,
  revision: null,
};
const row = {
  kind: 'parking_session',
  recorded_at: NOW,
  request_id: expect.any(String),
  source_code: 'app1',
  key: 's-1',
  plate: 'AB123CD',
  area_id: 1,
  left_area_id: null,
};

describe('The journal of sessions', () => {
  it('has a new session as it is stored, with the request that brought it', async () => {
    const { body } = await sessions(aSessionLine());
    expect(await journalOf('parking_session')).toEqual([
      { ...row, request_id: body.request_id, record: session },
    ]);
  });

  it('has a row for each change, and none for what changes nothing', async () => {
    await sessions(aSessionLine({ revision: 2 }));
    await sessions(aSessionLine({ revision: 2 }));
    await sessions(aSessionLine({ revision: 1, plate: 'OLD' }));
    vi.setSystemTime(NOW + MINUTE_MS);
    // A line without a revision leaves the session the one it has.
    await sessions(aSessionLine({ cancelled_at: '2026-03-10T12:30:00+01:00' }));
    expect(
      (await journalOf('parking_session')).map(({ recorded_at, record }) => [recorded_at, record]),
    ).toEqual([
      [NOW, { ...session, revision: 2 }],
      [NOW + MINUTE_MS, { ...session, revision: 2, cancelled_at: STARTS + 30 * MINUTE_MS }],
    ]);
  });

  it('has one row a key and file, however far apart its lines are', async () => {
    await sessions(
      aSessionLine(),
      ...Array.from({ length: 700 }, (_, index) => aSessionLine({ session_id: `t-${index}` })),
      aSessionLine({ ends_at: null }),
    );
    const rows = (await journalOf('parking_session')).filter(({ key }) => key === 's-1');
    expect(rows.map(({ record }) => record)).toEqual([{ ...session, ends_at: null }]);
  });

  it('has one more row for the plate that a corrected session leaves, before its own', async () => {
    await sessions(aSessionLine());
    await sessions(aSessionLine({ plate: 'AB123CE' }));
    expect((await journalOf('parking_session')).slice(1)).toEqual([
      { ...row, area_id: null, left_area_id: 1, record: null },
      { ...row, plate: 'AB123CE', record: { ...session, plate: 'AB123CE' } },
    ]);
  });

  it('names the area that a session leaves', async () => {
    await sessions(aSessionLine());
    await sessions(aSessionLine({ area_code: 'P1' }));
    expect((await journalOf('parking_session')).slice(1)).toEqual([
      { ...row, area_id: 2, left_area_id: 1, record: { ...session, area_code: 'P1' } },
    ]);
  });

  it('never goes back in time, though a clock does', async () => {
    await sessions(aSessionLine());
    vi.setSystemTime(NOW - MINUTE_MS);
    await sessions(aSessionLine({ session_id: 's-2' }));
    vi.setSystemTime(NOW + MINUTE_MS);
    await sessions(aSessionLine({ session_id: 's-3' }));
    expect((await journalOf('parking_session')).map(({ recorded_at }) => recorded_at)).toEqual([
      NOW,
      NOW,
      NOW + MINUTE_MS,
    ]);
  });

  it('has the instant at which a batch was stored, not that of the call', async () => {
    const slow = new Service({
      DB: watchedDb({
        before: (statements) => {
          // The second batch comes a minute later.
          if (statements.some(storesLines)) vi.setSystemTime(Date.now() + MINUTE_MS);
        },
      }),
    });
    await importInto(
      SESSIONS,
      Array.from({ length: 400 }, (_, index) => aSessionLine({ session_id: `t-${index}` })),
      slow,
    );
    const instants = (await journalOf('parking_session')).map(({ recorded_at }) => recorded_at);
    expect([instants[0], instants.at(-1)]).toEqual([NOW, NOW + MINUTE_MS]);
  });

  it('gives every row a stamp of its own', async () => {
    await sessions(aSessionLine(), aSessionLine({ session_id: 's-2' }));
    const { results } = await env.DB.prepare('select distinct stamp from journal').all<{ stamp: number }>();
    expect(results).toHaveLength(3);
    expect(results.every(({ stamp }) => Number.isSafeInteger(stamp))).toBe(true);
  });
});

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
const subscriptionRow = {
  ...row,
  kind: 'subscription',
  source_code: null,
  key: 'R-1',
  area_id: null,
  record,
};

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
      { ...subscriptionRow, plate: 'A', record: { ...record, areas: 'all', revision: 7 } },
      {
        ...subscriptionRow,
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
      { ...subscriptionRow, plate: 'A', record: null },
      { ...subscriptionRow, plate: 'B', record: now },
      { ...subscriptionRow, plate: 'C', record: now },
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

describe('The journal of imports', () => {
  it('has each import that finished, and how fresh the source was after it', async () => {
    const { body: first } = await sessions();
    vi.setSystemTime(NOW + MINUTE_MS);
    const { body: second } = await sessions({ bad: 'line' });
    const ofImport = { ...row, kind: 'import', key: null, plate: null, area_id: null };
    expect(await journalOf('import')).toEqual([
      {
        ...ofImport,
        request_id: first.request_id,
        record: {
          outcome: 'succeeded',
          finished_at: NOW,
          request_id: first.request_id,
          last_outcome: 'succeeded',
          last_finished_at: NOW,
          last_successful_at: NOW,
          last_request_id: first.request_id,
        },
      },
      {
        ...ofImport,
        recorded_at: NOW + MINUTE_MS,
        request_id: second.request_id,
        record: {
          outcome: 'failed',
          finished_at: NOW + MINUTE_MS,
          request_id: second.request_id,
          last_outcome: 'failed',
          last_finished_at: NOW + MINUTE_MS,
          last_successful_at: NOW,
          last_request_id: second.request_id,
        },
      },
    ]);
  });
});

describe.each([
  ['sessions', SESSIONS, aSessionLine({ plate: 'NEW' }), aSessionLine()],
  ['subscriptions', SUBSCRIPTIONS, aSubscriptionLine({ plates: [{ plate: 'NEW' }] }), aSubscriptionLine()],
] as const)('The answer of the database that is lost, of %s', (_name, path, line, before) => {
  it('appends nothing twice, when the write is done again', async () => {
    await importInto(path, [before]);
    const { length } = await journalOf('parking_session', 'subscription');
    let lost = 0;
    const DB = watchedDb({
      after: (sql) => {
        if ((storesLines(sql) || sql.includes('source_imports')) && lost < 2) {
          lost += 1;
          throw new Error(LOST);
        }
      },
    });
    countsOf(await importInto(path, [line], new Service({ DB })));
    expect(lost).toBe(2);
    expect(await journalOf('parking_session', 'subscription')).toHaveLength(length + 2);
    expect(await journalOf('import')).toHaveLength(path === SESSIONS ? 2 : 0);
  });

  it('tells what really happened, when another import came in between', async () => {
    await importInto(path, [before]);
    let hasCome = false;
    const DB = watchedDb({
      after: (sql) => {
        if (storesLines(sql) && !hasCome) {
          hasCome = true;
          throw new Error(LOST);
        }
      },
      before: async () => {
        if (hasCome === true && !done) {
          done = true;
          await importInto(path, [before]);
        }
      },
    });
    let done = false;
    await importInto(path, [line], new Service({ DB }));
    const plates = (await journalOf('parking_session', 'subscription'))
      .filter((entry) => entry.record !== null)
      .map(({ plate }) => plate);
    expect(plates).toEqual(['AB123CD', 'NEW', 'AB123CD', 'NEW']);
  });
});

describe('Row and journal', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'stay in step through random files, some of them cut off (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      for (let round = 0; round < 12; round++) {
        vi.setSystemTime(NOW + round * MINUTE_MS);
        let trips = random.below(8);
        const DB = watchedDb({
          after: (sql) => {
            if (sql.includes('call_log')) return;
            trips -= 1;
            if (trips === 0) throw new Error(random.oneIn(2) ? LOST : 'D1_ERROR: the disk is full');
          },
        });
        const revision = random.oneIn(2) ? null : random.below(4);
        const plate = random.pick(['A', 'B', 'C']);
        await importInto(
          SESSIONS,
          random.list(3, () =>
            aSessionLine({
              session_id: `s-${random.below(4)}`,
              plate: random.pick(['A', 'B', 'C']),
              area_code: random.pick(['S1', 'P1']),
              revision,
            }),
          ),
          new Service({ DB }),
        );
        await importInto(
          SUBSCRIPTIONS,
          random.list(2, () =>
            aSubscriptionLine({
              subscription_number: `R-${random.below(3)}`,
              plates: [{ plate }, { plate: random.pick(['D', 'E']) }],
              revision,
            }),
          ),
          new Service({ DB }),
        );
        const { journaled, stored } = await standing();
        expect(journaled).toEqual(stored);
      }
    },
  );
});
