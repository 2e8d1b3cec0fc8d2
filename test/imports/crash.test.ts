import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { issueCredential } from '../support/credential.ts';
import { databaseDouble } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { brokenHistories } from './past-support.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  counts,
  countsOf,
  errorCode,
  file,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
  send,
  storedSessions,
  storedSubscriptions,
} from './support.ts';
import { storesLines, watchedDb } from './watched-db.ts';

let headers: Record<string, string>;
let others: Record<string, string>;

beforeEach(async () => {
  await freshDatabase(CITY);
  ({ headers } = await issueCredential());
  ({ headers: others } = await issueCredential());
});

/** A service whose n-th attempt to store a batch (from 1) fails before it reaches the database. */
function failingAt(fails: (attempt: number) => string | null) {
  const tally = { attempts: 0 };
  const service = new Service({
    DB: watchedDb({
      before: (statements) => {
        if (!statements.some(storesLines)) return;
        tally.attempts += 1;
        const message = fails(tally.attempts);
        if (message !== null) throw new Error(message);
      },
    }),
  });
  return { service, tally };
}

/** Lines of twelve batches, or of three: of keys whose lines lie far apart in the file. */
const KEYS = shortOrThorough(700, 5_300);
const LINES = KEYS + 600;

const SESSION_FILE = file(
  Array.from({ length: LINES }, (_, index) =>
    aSessionLine({ session_id: `s-${index % KEYS}`, plate: `P${index}` }),
  ),
);
const SUBSCRIPTION_FILE = file(
  Array.from({ length: LINES }, (_, index) =>
    aSubscriptionLine({ subscription_number: `R-${index % KEYS}`, plates: [{ plate: `P${index}` }] }),
  ),
);
const IMPORTS = [
  { path: SESSIONS, body: SESSION_FILE, stored: storedSessions },
  { path: SUBSCRIPTIONS, body: SUBSCRIPTION_FILE, stored: storedSubscriptions },
];

describe.each(IMPORTS)('An import that breaks off ($path)', ({ path, body, stored }) => {
  it.each(shortOrThorough([2], [1, 2, 9]))(
    'at batch %i is a failure of ours, and the same file again completes it',
    async (k) => {
      const { service } = failingAt((attempt) => (attempt === k ? 'D1_ERROR: the disk is full' : null));
      const broken = await send(service, path, body, headers);
      expect([broken.status, errorCode(broken)]).toEqual([500, 'TEMPORARY_ERROR']);
      expect(broken.headers.get('Retry-After')).toBe('1');
      expect(broken.body).not.toHaveProperty('received');
      expect(await stored()).toHaveLength((k - 1) * 500);
      expect(await brokenHistories()).toEqual([]);

      const complete = await send(new Service(), path, body, headers);
      expect(complete.status).toBe(200);
      const completed = await stored();
      await freshDatabase(CITY);
      const { headers: others } = await issueCredential();
      await send(new Service(), path, body, others);
      expect(completed).toHaveLength(KEYS);
      expect(completed).toEqual(await stored());
      expect(await brokenHistories()).toEqual([]);
    },
  );
});

describe.each([
  [SESSIONS, { plate: 'NEW', area_code: 'P1' }],
  [SUBSCRIPTIONS, { plates: [{ plate: 'NEW' }], areas: ['P1'] }],
] as const)('An import that ends at any of its round trips (%s)', (path, change) => {
  const line = path === SESSIONS ? aSessionLine : aSubscriptionLine;
  const id = path === SESSIONS ? 'session_id' : 'subscription_number';
  /** Two batches, with changed, unchanged and new ones. */
  const lines = (changed: object) =>
    Array.from({ length: 1_000 }, (_, index) =>
      line({ [id]: `k-${index}`, ...(index % 600 < 300 ? changed : {}) }),
    );

  it.each([
    ['before', 1],
    ['behind', 2],
  ] as const)('%s the database leaves present and past in step', async (where, first) => {
    let trips: number = shortOrThorough(first, 1);
    for (let ended = false; !ended; trips += shortOrThorough(5, 1)) {
      await freshDatabase(CITY);
      ({ headers } = await issueCredential());
      ({ headers: others } = await issueCredential());
      countsOf(await send(new Service(), path, file(lines({}).slice(0, 470)), headers));
      let trip = 0;
      const DB = databaseDouble({
        around: async (run, sql) => {
          if (/"calls"|call_log/.test(sql)) return run();
          trip += 1;
          if (trip !== trips) return run();
          if (where === 'behind') await run();
          throw new Error('D1_ERROR: the disk is full');
        },
      });
      const { status } = await send(new Service({ DB }), path, file(lines(change)), headers);
      ended = trip < trips;
      expect(status).toBe(ended ? 200 : 500);
      expect(await brokenHistories()).toEqual([]);
      await send(new Service(), path, file(lines(change)), headers);
      expect(await brokenHistories()).toEqual([]);
      const { results } = await env.DB.prepare(
        `select count(*) as past from (
           select id from past_parking_sessions union all select id from past_subscriptions
         ) group by id order by 1 desc limit 1`,
      ).all<{ past: number }>();
      // What the first import has stored: no batch was stored twice.
      expect(results).toEqual([{ past: 1 }]);
    }
    // The municipality with its codes, two batches, and for sessions the outcome.
    expect(trips).toBeGreaterThan(3);
  });
});

describe('A batch that fails in the database', () => {
  it('stores no part of any subscription', async () => {
    await send(new Service(), SUBSCRIPTIONS, file([aSubscriptionLine()]), headers);
    const before = await storedSubscriptions();
    // The last of the batch's statements fails, behind all those that store.
    const failing = {
      prepare: (sql: string) => env.DB.prepare(sql),
      batch: (statements: D1PreparedStatement[]) =>
        env.DB.batch(
          statements.length > 2
            ? [...statements, env.DB.prepare('insert into tenants (code) values (null)')]
            : statements,
        ),
    } as unknown as D1Database;
    const lines = [
      aSubscriptionLine({ plates: [], areas: 'all' }),
      aSubscriptionLine({ subscription_number: 'R-2' }),
    ];
    const answer = await send(new Service({ DB: failing }), SUBSCRIPTIONS, file(lines), headers);
    expect(answer.status).toBe(500);
    expect(await storedSubscriptions()).toEqual(before);
    expect(await brokenHistories()).toEqual([]);
  });
});

const LOST = 'D1_ERROR: Network connection lost.';

describe('A batch that is lost on the way', () => {
  it('is sent again, twice at most', async () => {
    const { service, tally } = failingAt((attempt) => (attempt < 3 ? LOST : null));
    const answer = await send(service, SESSIONS, file([aSessionLine()]), headers);
    expect(countsOf(answer)).toEqual(counts({ received: 1, created: 1 }));
    expect(tally.attempts).toBe(3);
  });

  it('fails the import the third time', async () => {
    const { service, tally } = failingAt(() => LOST);
    expect((await send(service, SESSIONS, file([aSessionLine()]), headers)).status).toBe(500);
    expect(tally.attempts).toBe(3);
  });

  it.each([
    'D1_ERROR: D1 DB is overloaded. Requests queued for too long.',
    'D1_ERROR: Network connection lost: overloaded',
    'D1_ERROR: UNIQUE constraint failed',
  ])('is not sent again when the database refused it: %s', async (message) => {
    const { service, tally } = failingAt(() => message);
    expect((await send(service, SESSIONS, file([aSessionLine()]), headers)).status).toBe(500);
    expect(tally.attempts).toBe(1);
  });

  it.each(IMPORTS)('behind the database counts as unchanged ($path)', async ({ path, body }) => {
    let lost = 0;
    const db = watchedDb({
      after: (sql) => {
        if (storesLines(sql) && lost < 2) {
          lost += 1;
          throw new Error(LOST);
        }
      },
    });
    const answer = await send(new Service({ DB: db }), path, body, headers);
    expect(countsOf(answer)).toEqual(
      counts({ received: LINES, created: KEYS - 500, updated: 600, unchanged: 500 }),
    );
    expect(lost).toBe(2);
    expect(await brokenHistories()).toEqual([]);
  });
});

const REVISED = [
  {
    path: SESSIONS,
    line: (revision: number, plate: string) => aSessionLine({ revision, plate }),
    stored: storedSessions,
    newest: { plate: 'NEW', revision: 2 },
  },
  {
    path: SUBSCRIPTIONS,
    line: (revision: number, plate: string) => aSubscriptionLine({ revision, plates: [{ plate }] }),
    stored: storedSubscriptions,
    newest: { plates: [[1, 'NEW', null, null]], revision: 2 },
  },
];

describe.each(REVISED)('Two imports at once ($path)', ({ path, line, stored, newest }) => {
  /** Another import, of a higher revision, which comes in between once. */
  function newer() {
    const other = new Service();
    let hasCome = false;
    return async () => {
      if (hasCome) return;
      hasCome = true;
      await send(other, path, file([line(2, 'NEW')]), others);
    };
  }

  it.each([
    ['of what is new', []],
    ['of what is stored', [line(0, 'FIRST')]],
  ])('do not undo a revision that is newer, %s', async (_, before) => {
    await send(new Service(), path, file(before), headers);
    const comes = newer();
    const slow = new Service({
      DB: watchedDb({
        before: async (statements) => {
          if (statements.some(storesLines)) await comes();
        },
      }),
    });
    const answer = await send(slow, path, file([line(1, 'OLD')]), headers);
    expect(answer.status).toBe(200);
    expect(await stored()).toMatchObject([newest]);
  });

  it.each(['on its way to the database', 'on its way back'])(
    'do not undo it by a write that was lost %s and is done again',
    async (where) => {
      const comes = newer();
      let lost = false;
      const lose = async () => {
        if (lost) return;
        lost = true;
        await comes();
        throw new Error(LOST);
      };
      const isStored = { lines: false };
      const slow = new Service({
        DB: watchedDb({
          before: async (statements) => {
            if (!statements.some(storesLines)) return;
            if (where === 'on its way to the database') return lose();
            if (isStored.lines) await comes();
          },
          after: (sql) => {
            if (where === 'on its way back' && storesLines(sql) && !isStored.lines) {
              isStored.lines = true;
              throw new Error(LOST);
            }
          },
        }),
      });
      const answer = await send(slow, path, file([line(1, 'OLD')]), headers);
      expect(answer.status).toBe(200);
      expect(await stored()).toMatchObject([newest]);
    },
  );
});
