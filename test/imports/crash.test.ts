import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { City, outcomeOf } from '../support/city.ts';
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
  file,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
  send,
  storedSessions,
  storedSubscriptions,
} from './support.ts';
import { storesLines, watchedDb } from './watched-db.ts';

const LOST = 'D1_ERROR: Network connection lost.';
const FULL = 'D1_ERROR: the disk is full';

const city = new City(CITY, { anew: true });
/** By a credential of its own: one that was cut off may still count as under way. */
const importInto = async (path: string, lines: readonly object[], service = city.service) =>
  send(service, path, file(lines), (await issueCredential()).headers);

const KINDS = [
  {
    path: SESSIONS,
    line: (key: string, plate: string, more: object = {}) =>
      aSessionLine({ session_id: key, plate, area_code: plate === 'NEW' ? 'P1' : 'S1', ...more }),
    stored: storedSessions,
    newest: { plate: 'NEW', revision: 2 },
  },
  {
    path: SUBSCRIPTIONS,
    line: (key: string, plate: string, more: object = {}) =>
      aSubscriptionLine({
        subscription_number: key,
        plates: [{ plate }],
        areas: plate === 'NEW' ? ['P1'] : ['S1'],
        ...more,
      }),
    stored: storedSubscriptions,
    newest: { plates: [[1, 'NEW', null, null]], revision: 2 },
  },
];

describe.each(KINDS)('An import that ends at any of its round trips ($path)', ({ path, line, stored }) => {
  /** Two batches, of which the second import changes some, and has new ones. */
  const lines = (plate: string) =>
    Array.from({ length: 1_000 }, (_, index) => line(`k-${index}`, index % 600 < 300 ? plate : 'SAME'));

  it.each([
    ['before', 1],
    ['behind', 2],
  ] as const)('%s the database is completed by the same file', async (where, first) => {
    let trips: number = shortOrThorough(first, 1);
    for (let ended = false; !ended; trips += shortOrThorough(5, 1)) {
      await freshDatabase(CITY);
      countsOf(await importInto(path, lines('OLD').slice(0, 470)));
      let trip = 0;
      const DB = databaseDouble({
        around: async (run, sql) => {
          if (/"calls"|call_log/.test(sql)) return run();
          trip += 1;
          if (trip !== trips) return run();
          if (where === 'behind') await run();
          throw new Error(FULL);
        },
      });
      const broken = await importInto(path, lines('NEW'), new Service({ DB }));
      ended = trip < trips;
      expect(outcomeOf(broken)).toEqual(ended ? [200, undefined] : [500, 'TEMPORARY_ERROR']);
      expect(await brokenHistories()).toEqual([]);
      countsOf(await importInto(path, lines('NEW')));
      expect(await brokenHistories()).toEqual([]);
      expect(await stored()).toHaveLength(1_000);
      // What the first import has stored: no batch was stored twice.
      const { results } = await env.DB.prepare(
        `select count(*) as past from (
           select id from past_parking_sessions union all select id from past_subscriptions
         ) group by id order by 1 desc limit 1`,
      ).all();
      expect(results).toEqual([{ past: 1 }]);
    }
    // The municipality with its codes, two batches, and for sessions the outcome.
    expect(trips).toBeGreaterThan(3);
  });
});

it('A batch that fails in the database stores no part of any subscription', async () => {
  await importInto(SUBSCRIPTIONS, [aSubscriptionLine()]);
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
  expect((await importInto(SUBSCRIPTIONS, lines, new Service({ DB: failing }))).status).toBe(500);
  expect(await storedSubscriptions()).toEqual(before);
  expect(await brokenHistories()).toEqual([]);
});

describe('A batch that is lost on the way', () => {
  /** How an import ends, and how often a batch was tried, of which each fails as long as it has a message. */
  async function tried(...messages: readonly string[]) {
    let attempts = 0;
    const DB = watchedDb({
      before: (statements) => {
        if (!statements.some(storesLines)) return;
        const message = messages[attempts++];
        if (message !== undefined) throw new Error(message);
      },
    });
    const { status } = await importInto(SESSIONS, [aSessionLine()], new Service({ DB }));
    return [status, attempts];
  }

  it('is sent again, twice at most, unless the database refused it', async () => {
    expect(await tried(LOST, LOST)).toEqual([200, 3]);
    expect(await tried(LOST, LOST, LOST)).toEqual([500, 3]);
    expect(await tried('D1_ERROR: D1 DB is overloaded. Requests queued for too long.')).toEqual([500, 1]);
    expect(await tried('D1_ERROR: Network connection lost: overloaded')).toEqual([500, 1]);
    expect(await tried('D1_ERROR: UNIQUE constraint failed')).toEqual([500, 1]);
  });

  it.each(KINDS)('behind the database counts as unchanged ($path)', async ({ path, line, stored }) => {
    await importInto(path, [line('k', 'OLD')]);
    let lost = 0;
    const DB = watchedDb({
      after: (sql) => {
        if (storesLines(sql) && lost < 2) {
          lost += 1;
          throw new Error(LOST);
        }
      },
    });
    const lines = Array.from({ length: 600 }, (_, index) => line(`k-${index}`, 'NEW'));
    const answer = await importInto(path, lines, new Service({ DB }));
    expect(countsOf(answer)).toEqual(counts({ received: 600, created: 100, unchanged: 500 }));
    expect(lost).toBe(2);
    expect(await stored()).toHaveLength(601);
    expect(await brokenHistories()).toEqual([]);
  });
});

describe.each(KINDS)('Two imports at once ($path)', ({ path, line, stored, newest }) => {
  const older = [line('k', 'OLD', { revision: 1 })];
  /** Another import, of a higher revision, which comes in between once. */
  function newer() {
    let hasCome = false;
    return async () => {
      if (hasCome) return;
      hasCome = true;
      await importInto(path, [line('k', 'NEW', { revision: 2 })]);
    };
  }

  it.each([
    ['of what is new', []],
    ['of what is stored', [line('k', 'FIRST', { revision: 0 })]],
  ])('do not undo a revision that is newer, %s', async (_, before) => {
    await importInto(path, before);
    const comes = newer();
    const DB = watchedDb({
      before: async (statements) => {
        if (statements.some(storesLines)) await comes();
      },
    });
    expect((await importInto(path, older, new Service({ DB }))).status).toBe(200);
    expect(await stored()).toMatchObject([newest]);
  });

  it.each(['before', 'after'] as const)(
    'do not undo it by a write that was lost %s the database had it, and is done again',
    async (side) => {
      const comes = newer();
      let [isLost, hasBegun] = [false, false];
      const lose = () => {
        if (isLost) return;
        isLost = true;
        throw new Error(LOST);
      };
      const DB = watchedDb({
        before: async (statements) => {
          if (!statements.some(storesLines)) return;
          if (hasBegun || side === 'before') await comes();
          hasBegun = true;
          if (side === 'before') lose();
        },
        after: (sql) => {
          if (side === 'after' && storesLines(sql)) lose();
        },
      });
      expect((await importInto(path, older, new Service({ DB }))).status).toBe(200);
      expect(isLost).toBe(true);
      expect(await stored()).toMatchObject([newest]);
      expect(await brokenHistories()).toEqual([]);
    },
  );
});
