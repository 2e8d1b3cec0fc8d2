import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAILY_CHANGES } from '../../src/domain/daily-changes.ts';
import { DAY_MS } from '../../src/domain/instant.ts';
import { issueCredential } from '../support/credential.ts';
import { databaseDouble } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import {
  APP1_SESSIONS,
  aSessionLine,
  aSubscriptionLine,
  counts,
  countsOf,
  errorsOf,
  file,
  SUBSCRIPTIONS,
  send,
  storedSessions,
  storedSubscriptions,
} from './support.ts';

const NOON = Date.UTC(2026, 2, 10, 12);
const DAY = Math.floor(NOON / DAY_MS);
let headers: Record<string, string>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
});
afterEach(() => {
  vi.useRealTimers();
});

let begun = 0;

/** A city whose tenant may store so many more changes today. */
async function begin(room: number): Promise<void> {
  await freshDatabase(CITY);
  ({ headers } = await issueCredential());
  begun = DAILY_CHANGES - room;
  await use(0);
}

/** Has the tenant stored so many changes since it began. */
const use = (used: number) =>
  env.DB.prepare('insert or replace into changes_by_day (day, tenant_id, changes) values (?, 1, ?)')
    .bind(DAY, begun + used)
    .run();

/** Changes that are counted since then, by day. */
async function counted(): Promise<Record<number, number>> {
  const rows = await env.DB.prepare('select day, changes from changes_by_day').raw<[number, number]>();
  return Object.fromEntries(rows.map(([day, changes]) => [day - DAY, changes - (day === DAY ? begun : 0)]));
}

const sendSessions = (lines: readonly object[], service = new Service()) =>
  send(service, APP1_SESSIONS, file(lines), headers);
const sendSubscriptions = (lines: readonly object[], service = new Service()) =>
  send(service, SUBSCRIPTIONS, file(lines), headers);
const aSession = (id: number, changed: object = {}) => aSessionLine({ session_id: `s-${id}`, ...changed });
const sessions = (from: number, count: number, changed: object = {}) =>
  Array.from({ length: count }, (_, index) => aSession(from + index, changed));
const platesOf = (count: number) => Array.from({ length: count }, (_, index) => ({ plate: `P${index}` }));

const LATER = { ends_at: '2026-03-10T14:00:00+01:00' };
const EARLIER = { ends_at: '2026-03-10T12:30:00+01:00' };

describe('The changes of a day', () => {
  it('are stored up to the limit, and one line beyond it is rejected', async () => {
    await begin(3);
    expect(countsOf(await sendSessions(sessions(1, 2)))).toEqual(counts({ received: 2, created: 2 }));
    const answer = await sendSessions(sessions(2, 3));
    expect(countsOf(answer)).toEqual(counts({ received: 3, created: 1, unchanged: 1, rejected: 1 }));
    expect(errorsOf(answer)).toEqual([
      { line: 3, code: 'QUOTA_EXCEEDED', message: expect.stringContaining('2000000') },
    ]);
    expect((await storedSessions()).map(({ session_id }) => session_id)).toEqual(['s-1', 's-2', 's-3']);
    expect(await counted()).toEqual({ 0: 3 });
  });

  it('are taken again on the next UTC day', async () => {
    await begin(0);
    vi.setSystemTime((DAY + 1) * DAY_MS - 1);
    expect(countsOf(await sendSessions([aSession(1)]))).toEqual(counts({ received: 1, rejected: 1 }));
    vi.setSystemTime((DAY + 1) * DAY_MS);
    expect(countsOf(await sendSessions([aSession(1)]))).toEqual(counts({ received: 1, created: 1 }));
    expect(await counted()).toEqual({ 0: 0, 1: 1 });
  });

  it('count a subscription, and each plate that it gains, changes or loses', async () => {
    await begin(12);
    const lines = [3, 0, 7, 6].map((plates, index) =>
      aSubscriptionLine({ subscription_number: `R-${index}`, plates: platesOf(plates) }),
    );
    const answer = await sendSubscriptions(lines);
    expect(countsOf(answer)).toEqual(counts({ received: 4, created: 3, rejected: 1 }));
    expect(errorsOf(answer)).toMatchObject([{ line: 3, code: 'QUOTA_EXCEEDED' }]);
    expect(await counted()).toEqual({ 0: 12 });
    await begin(100);
    const used: unknown[] = [];
    for (const plates of [platesOf(3), platesOf(3), platesOf(4), [{ plate: 'P0' }]]) {
      await sendSubscriptions([aSubscriptionLine({ plates })]);
      used.push((await counted())[0]);
    }
    expect(used).toEqual([4, 4, 6, 10]);
  });

  it('count what a file changes of a key once, and nothing of what changes nothing', async () => {
    await begin(2);
    const lines = [aSession(1), aSession(1, LATER), aSession(2), aSession(2, LATER), aSession(2)];
    expect(countsOf(await sendSessions(lines))).toMatchObject({ created: 2, updated: 3 });
    expect(countsOf(await sendSessions(lines))).toEqual(counts({ received: 5, unchanged: 4, rejected: 1 }));
    expect(await counted()).toEqual({ 0: 2 });
  });

  it('are the tenant’s, of all its municipalities and sources', async () => {
    await begin(2);
    await sendSubscriptions([aSubscriptionLine()]);
    const answer = await sendSessions([aSession(1)]);
    expect(errorsOf(answer)).toMatchObject([{ code: 'QUOTA_EXCEEDED' }]);
  });

  it('leave a failed import behind where no line had room', async () => {
    await begin(0);
    await sendSessions([aSession(1)]);
    const outcome = await env.DB.prepare('select last_outcome from source_imports').first('last_outcome');
    expect(outcome).toBe('failed');
  });
});

describe('Beyond the changes of a day', () => {
  const OPEN = { ends_at: null };
  const CANCELLED = { cancelled_at: '2026-03-10T12:10:00+01:00' };

  it.each([
    ['a cancellation is taken', {}, CANCELLED, 'updated'],
    ['a stop is taken', OPEN, {}, 'updated'],
    ['an earlier end is taken', {}, EARLIER, 'updated'],
    ['an extension is rejected', {}, LATER, 'rejected'],
    ['a cancellation that is taken back is rejected', CANCELLED, {}, 'rejected'],
    ['an earlier end of another plate is rejected', {}, { ...EARLIER, plate: 'ZZ999ZZ' }, 'rejected'],
  ] as const)('of a session, %s', async (_, before, after, fate) => {
    await begin(1);
    await sendSessions([aSession(1, before)]);
    const answer = await sendSessions([aSession(1, after)]);
    expect(countsOf(answer)).toEqual(counts({ received: 1, [fate]: 1 }));
    expect(await counted()).toEqual({ 0: fate === 'updated' ? 2 : 1 });
  });

  it.each([
    ['a revocation is taken', { revoked_at: '2026-03-10T12:10:00+01:00' }, 'updated'],
    ['a first end is taken', { authorized_until: '2026-03-20T00:00:00+01:00' }, 'updated'],
    [
      'an earlier end of a period is taken',
      { periods: [{ starts_at: '2026-03-01T00:00:00+01:00', ends_at: '2026-03-20T00:00:00+01:00' }] },
      'updated',
    ],
    ['another plate is rejected', { plates: [{ plate: 'ZZ999ZZ' }] }, 'rejected'],
    ['a withdrawn approval is rejected', { approval: 'rejected' }, 'rejected'],
  ] as const)('of a subscription, %s', async (_, after, fate) => {
    await begin(2);
    await sendSubscriptions([aSubscriptionLine()]);
    expect(countsOf(await sendSubscriptions([aSubscriptionLine(after)]))).toEqual(
      counts({ received: 1, [fate]: 1 }),
    );
  });

  it('a line that has no room leaves the one of its key that has', async () => {
    await begin(1);
    await sendSessions([aSession(1)]);
    const answer = await sendSessions([aSession(1, EARLIER), aSession(1, LATER), aSession(2)]);
    expect(countsOf(answer)).toEqual(counts({ received: 3, updated: 1, rejected: 2 }));
    expect(errorsOf(answer).map(({ line }) => line)).toEqual([2, 3]);
    const ends = (await storedSessions()).map(({ ends_at }) => ends_at);
    expect(ends).toEqual([Date.parse(EARLIER.ends_at)]);
  });

  it('what ends something is taken as often again, and no more', async () => {
    await begin(3);
    await sendSessions(sessions(1, 3));
    await use(DAILY_CHANGES + 1);
    const answer = await sendSessions(sessions(1, 3, CANCELLED));
    expect(countsOf(answer)).toEqual(counts({ received: 3, updated: 2, rejected: 1 }));
    expect(await counted()).toEqual({ 0: DAILY_CHANGES + 3 });
  });
});

/** The database, with something done before or behind the first batch that stores lines. */
function aroundFirstBatch(act: (run: () => Promise<unknown>) => Promise<unknown>): Service {
  let isFirst = true;
  return new Service({
    DB: databaseDouble({
      around: async (run, sql) => {
        if (!isFirst || !/into "?changes_by_day/.test(sql)) return run();
        isFirst = false;
        return act(run) as ReturnType<typeof run>;
      },
    }),
  });
}

describe('The changes of a day are never more than the limit', () => {
  it.each([
    ['of sessions', sendSessions, sessions(1, 3), storedSessions],
    [
      'of subscriptions',
      sendSubscriptions,
      ['R-1', 'R-2', 'R-3'].map((subscription_number) =>
        aSubscriptionLine({ subscription_number, plates: [] }),
      ),
      storedSubscriptions,
    ],
  ] as const)('where another import takes the room of a batch %s', async (_, sending, lines, stored) => {
    await begin(5);
    const service = aroundFirstBatch(async (run) => {
      await use(3);
      return run();
    });
    expect(countsOf(await sending(lines, service))).toEqual(counts({ received: 3, created: 2, rejected: 1 }));
    expect(await stored()).toHaveLength(2);
    expect(await counted()).toEqual({ 0: 5 });
  });

  it.each([
    ['before', 'sessions'],
    ['behind', 'sessions'],
    ['before', 'subscriptions'],
    ['behind', 'subscriptions'],
  ] as const)('nor fewer, where the answer of a batch is lost %s the database (%s)', async (where, kind) => {
    await begin(5);
    const service = aroundFirstBatch(async (run) => {
      if (where === 'behind') await run();
      throw new Error('D1_ERROR: Network connection lost.');
    });
    const answer =
      kind === 'sessions'
        ? await sendSessions(sessions(1, 3), service)
        : await sendSubscriptions([aSubscriptionLine({ plates: platesOf(2) })], service);
    expect(countsOf(answer).rejected).toBe(0);
    expect(await counted()).toEqual({ 0: 3 });
  });

  it('in a file of several batches', async () => {
    await begin(700);
    expect(countsOf(await sendSessions(sessions(1, 1_000)))).toEqual(
      counts({ received: 1_000, created: 700, rejected: 300 }),
    );
    expect(await counted()).toEqual({ 0: 700 });
  });
});
