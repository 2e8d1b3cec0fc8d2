import { env } from 'cloudflare:workers';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCron } from '../../src/crons.ts';
import { DAY_MS, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import type { Env } from '../../src/env.ts';
import type { Status } from '../../src/office/watch/contract.ts';
import {
  conditionsOf,
  listUnsent,
  messageOf,
  type OpenAlerts,
  openAlerts,
  runAlerts,
  undecidedAlerts,
  withSent,
  withTried,
} from '../../src/office/watch/run-alerts.ts';
import { receiverOf } from '../../src/office/watch/webhook.ts';
import { databaseDouble } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY } from '../support/seed.ts';

const NOW = instant(Date.now());
const at = (ms: number) => instant(NOW + ms);
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const URL_OF_RECEIVER = 'https://alerts.example.org/hook';
const TOLD: Partial<Env> = { ALERT_URL: URL_OF_RECEIVER, ALERT_SECRET: SECRET };
const BROKEN: Partial<Env> = { ...TOLD, SESSION_RETENTION_DAYS: 'a year' };

const WELL: Status = {
  version: 'v',
  database: { size_bytes: 1, schema: 1 },
  late_sources: [],
  snapshots: { oldest_at: new Date(NOW).toISOString() },
  retention: { last_run_at: null, behind: false },
  failing: [],
};
const sized = (bytes: number | null) => ({ database: { size_bytes: bytes, schema: 1 } });

describe('What is reported', () => {
  it.each<[string, Partial<Status>, readonly string[]]>([
    ['nothing, while all is well', {}, []],
    [
      'a late source',
      {
        late_sources: [
          { municipality_code: 'H501', source_code: 'app1', status: 'error', last_successful_at: null },
        ],
      },
      ['source_late H501 app1'],
    ],
    [
      'no snapshot of five minutes',
      { snapshots: { oldest_at: new Date(NOW - 5 * MINUTE_MS).toISOString() } },
      [],
    ],
    [
      'an older one',
      { snapshots: { oldest_at: new Date(NOW - 5 * MINUTE_MS - 1).toISOString() } },
      ['snapshots_old'],
    ],
    ['no snapshot that is not known', { snapshots: { oldest_at: null } }, []],
    ['no database of 8 GB', sized(8_000_000_000), []],
    ['a larger one', sized(8_000_000_001), ['database_filling']],
    ['no database that is away', sized(null), []],
    ['retention that is behind', { retention: { last_run_at: null, behind: true } }, ['retention_behind']],
    ['a setting', { failing: ['secret:DIGEST_KEY'] }, ['setting_unusable secret:DIGEST_KEY']],
  ])('%s', (_, status, keys) => {
    expect(conditionsOf({ ...WELL, ...status }, NOW).map(({ key }) => key)).toEqual(keys);
  });
});

describe('Of what is not known', () => {
  const late = {
    municipality_code: 'H501',
    source_code: 'app1',
    status: 'stale',
    last_successful_at: null,
  } as const;
  const known = { ...WELL, retention: { last_run_at: new Date(NOW).toISOString(), behind: false } };
  const away = { database: { size_bytes: null, schema: null } };

  it.each<[string, Partial<Status>, readonly string[]]>([
    ['is nothing, while all answers', {}, []],
    ['is what the database would say while it is away', away, ['source_late', 'database_filling']],
    ['is what stands behind 200 sources', { late_sources: Array(200).fill(late) }, ['source_late']],
    ['is nothing behind 199', { late_sources: Array(199).fill(late) }, []],
    ['is how old snapshots are', { snapshots: { oldest_at: null } }, ['snapshots_old']],
    ['is when the retention ran', { retention: WELL.retention }, ['retention_behind']],
  ])('%s', (_, status, alerts) => {
    expect([...undecidedAlerts({ ...known, ...status })]).toEqual(alerts);
  });
});

const CONDITION = { key: 'k', alert: 'retention_behind', begunAt: null, about: {} } as const;
const NONE: OpenAlerts = new Map();
const UNKNOWN = new Set([CONDITION.alert]);
/** Begins an alert, and has it taken. */
const taken = withSent(openAlerts(NONE, [CONDITION], NOW), new Set(['k']), NOW);
const phases = (alerts: OpenAlerts) => listUnsent(alerts, 10, NOW).map(([, { phase }]) => phase);

describe('An alert is sent', () => {
  it.each<[string, OpenAlerts, readonly string[]]>([
    ['when it begins', openAlerts(NONE, [CONDITION], NOW), ['began']],
    [
      'until it is taken',
      openAlerts(openAlerts(NONE, [CONDITION], NOW), [CONDITION], at(MINUTE_MS)),
      ['began'],
    ],
    ['not again within a day', openAlerts(taken, [CONDITION], at(DAY_MS - 1)), []],
    ['again after a day', openAlerts(taken, [CONDITION], at(DAY_MS)), ['continues']],
    ['when it has ended', openAlerts(taken, [], at(1)), ['ended']],
    [
      'not of what ended before anybody was alerted',
      openAlerts(openAlerts(NONE, [CONDITION], NOW), [], at(1)),
      [],
    ],
    [
      'when it has ended, where its beginning was sent and may have been taken',
      openAlerts(withTried(openAlerts(NONE, [CONDITION], NOW), new Set(['k'])), [], at(1)),
      ['ended'],
    ],
    ['not after its end was taken', withSent(openAlerts(taken, [], at(1)), new Set(['k']), at(2)), []],
    ['not as ended while it is not known whether it holds', openAlerts(taken, [], at(1), UNKNOWN), []],
    ['as ended, once that is known', openAlerts(openAlerts(taken, [], at(1), UNKNOWN), [], at(2)), ['ended']],
    [
      'as ended, where that was known before',
      openAlerts(openAlerts(taken, [], at(1)), [], at(2), UNKNOWN),
      ['ended'],
    ],
    ['when it begins again', openAlerts(openAlerts(taken, [], at(1)), [CONDITION], at(2)), ['began']],
  ])('%s', (_, alerts, sent) => {
    expect(phases(alerts)).toEqual(sent);
  });
});

describe('Of more alerts than a minute’s run sends', () => {
  const keys = Array.from({ length: 30 }, (_, index) => `k${String(index).padStart(2, '0')}`);
  const conditions = keys.map((key) => ({ ...CONDITION, key }));
  const MAX = 12;

  /** The keys that each of some minutes sends to a receiver that rejects them all, and adds another alert at a minute. */
  function sentByMinute(minutes: number, addedAt = Infinity): string[][] {
    let alerts = NONE;
    return Array.from({ length: minutes }, (_, minute) => {
      const now = at(minute * MINUTE_MS);
      const added = minute >= addedAt ? [{ ...CONDITION, key: 'added' }] : [];
      alerts = openAlerts(alerts, [...conditions, ...added], now);
      const sent = listUnsent(alerts, MAX, now).map(([key]) => key);
      alerts = withTried(alerts, new Set(sent));
      return sent;
    });
  }

  it('each has its turn, however many a receiver rejects', () => {
    const sent = sentByMinute(6);
    expect(sent.map(({ length }) => length)).toEqual(Array(6).fill(MAX));
    expect(new Set(sent.slice(0, 3).flat())).toEqual(new Set(keys));
    expect(new Set(sent.slice(3).flat())).toEqual(new Set(keys));
  });

  it('a new one comes before those that were rejected', () => {
    expect(sentByMinute(5, 4)[4]).toContain('added');
  });
});

describe('The message of an alert', () => {
  const KEYS = new Set(['k']);
  const since = (begunAt: string) => [{ ...CONDITION, begunAt }];
  const TROUBLE = since('2026-03-07T10:00:00.000Z');
  const day = (known: OpenAlerts, conditions: typeof TROUBLE, number: number) =>
    withSent(openAlerts(known, conditions, at(number * DAY_MS)), KEYS, at(number * DAY_MS));
  const first = day(NONE, TROUBLE, 0);
  const second = day(first, TROUBLE, 1);
  const third = day(second, TROUBLE, 2);
  const over = day(third, [], 3);
  const again = day(over, TROUBLE, 4);
  const overAgain = day(again, [], 5);
  const messageIn = (alerts: OpenAlerts) => messageOf('k', alerts.get('k') ?? expect.fail('no alert'));

  it('is another one for each phase, and where the same trouble begins again', () => {
    const all = [first, second, third, over, again, overAgain];
    expect(all.map((alerts) => alerts.get('k')?.phase)).toEqual([
      ...['began', 'continues', 'continues', 'ended', 'began', 'ended'],
    ]);
    expect(new Set(all.map(messageIn)).size).toBe(6);
  });

  it.each<[string, OpenAlerts, OpenAlerts, typeof TROUBLE]>([
    ['its beginning', NONE, first, TROUBLE],
    ['that it continues', first, second, TROUBLE],
    ['that it still continues', second, third, TROUBLE],
    ['its end', third, over, []],
    ['that it began again', over, again, TROUBLE],
  ])('is the same for %s, however late that is read', (_, known, then, conditions) => {
    const days = DAY_MS * 9;
    expect(messageIn(openAlerts(known, conditions, at(days)))).toBe(messageIn(then));
    expect(messageIn(openAlerts(known, conditions, at(days + MINUTE_MS)))).toBe(messageIn(then));
  });

  it('is another one for another trouble of the same kind, also where nothing is known of the first', () => {
    const other = openAlerts(NONE, since('2026-04-01T10:00:00.000Z'), NOW);
    expect(messageIn(other)).not.toBe(messageIn(first));
  });

  it('is another one after an end that nobody had to be told', () => {
    const unheard = openAlerts(openAlerts(over, TROUBLE, at(4 * DAY_MS)), [], at(4 * DAY_MS + 1));
    expect(phases(unheard)).toEqual([]);
    expect(messageIn(openAlerts(unheard, TROUBLE, at(5 * DAY_MS)))).not.toBe(messageIn(first));
  });

  it('is forgotten a month after its end, where the data says when another trouble has begun', () => {
    const later = at(35 * DAY_MS);
    expect([...openAlerts(overAgain, [], later).keys()]).toEqual([]);
    const undated = withSent(openAlerts(taken, [], at(1)), KEYS, at(1));
    expect([...openAlerts(undated, [], later).keys()]).toEqual(['k']);
  });
});

it.each([
  ['https://a.example/x', true],
  ['http://localhost:9/x', true],
  ['http://127.0.0.1/', true],
  ['http://a.example/', false],
  ['http://localhost.a.example/', false],
  ['ftp://a.example/', false],
  ['', false],
])('An alert may go to %j: %s', (url, isUsable) => {
  expect(receiverOf(url, SECRET) !== null).toBe(isUsable);
});

interface Sent {
  readonly id: string | null;
  readonly signature: string | null;
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: object };
}

describe('The minute’s run', () => {
  const sent: Sent[] = [];
  let lastSent: { readonly body: string; readonly headers: Record<string, string> } | undefined;
  const receive = (answer: () => Response | Promise<Response>) =>
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
      const headers = new Headers(init?.headers);
      lastSent = { body: String(init?.body), headers: Object.fromEntries(headers) };
      sent.push({
        id: headers.get('webhook-id'),
        signature: headers.get('webhook-signature'),
        body: JSON.parse(String(init?.body)),
      });
      return answer();
    });
  const run = (bindings: Partial<Env>, now: number) => runAlerts({ ...env, ...bindings }, instant(now));

  beforeEach(async () => {
    sent.length = 0;
    await freshDatabase(CITY);
  });
  afterEach(() => vi.restoreAllMocks());

  it('signs what it sends as the library of Standard Webhooks wants it', async () => {
    receive(() => new Response());
    await run(BROKEN, NOW);
    const { body, headers } = lastSent ?? expect.fail('nothing was sent');
    expect(new Webhook(SECRET).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(SECRET).verify(`${body} `, headers)).toThrow('No matching signature found');
  });

  it('sends what begins once, and once that it has ended', async () => {
    receive(() => new Response());
    await run(BROKEN, NOW);
    await run(BROKEN, at(MINUTE_MS));
    await run(TOLD, at(2 * MINUTE_MS));
    await run(TOLD, at(3 * MINUTE_MS));
    expect(sent.map(({ body }) => body.type)).toEqual(['setting_unusable.began', 'setting_unusable.ended']);
    expect(sent[0]?.body.data).toEqual({ name: 'variable:SESSION_RETENTION_DAYS' });
    expect(sent[0]?.signature).toMatch(/^v1,/);
  });

  it.each<[string, () => Response | Promise<Response>]>([
    ['redirects', () => new Response(null, { status: 302, headers: { Location: 'https://b.example' } })],
    ['fails', () => new Response('nonsense', { status: 500 })],
    ['is away', () => Promise.reject(new TypeError('no connection'))],
  ])('sends the same message again where the receiver %s', async (_, answer) => {
    receive(answer);
    await run(BROKEN, NOW);
    vi.restoreAllMocks();
    receive(() => new Response());
    await run(BROKEN, at(MINUTE_MS));
    await run(BROKEN, at(2 * MINUTE_MS));
    expect(sent.map(({ body }) => body)).toEqual([sent[0]?.body, sent[0]?.body]);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  });

  /** KV as another location has it: the alerts as they were before the last write. */
  const staleKv = async () => {
    const stale = await env.SNAPSHOTS.get('alerts', { type: 'text' });
    const get = (key: string, options: { type: 'text' }) =>
      key === 'alerts' ? Promise.resolve(stale) : env.SNAPSHOTS.get(key, options);
    return { SNAPSHOTS: { get, put: env.SNAPSHOTS.put.bind(env.SNAPSHOTS) } as unknown as KVNamespace };
  };
  const ids = () => sent.map(({ body, id }) => `${body.type} ${id}`);

  it('sends what it does not know that it has sent under the id that it had', async () => {
    receive(() => new Response());
    for (const [bindings, days] of [
      [BROKEN, 0],
      [BROKEN, 2],
      [TOLD, 3],
    ] as const) {
      const stale = await staleKv();
      await run(bindings, NOW + days * DAY_MS);
      await run({ ...bindings, ...stale }, NOW + days * DAY_MS + MINUTE_MS);
    }
    expect(sent.map(({ body }) => body.type)).toEqual(
      ['began', 'began', 'continues', 'continues', 'ended', 'ended'].map((of) => `setting_unusable.${of}`),
    );
    expect(new Set(ids()).size).toBe(3);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(3);
  });

  it('sends one message where it is run twice at once', async () => {
    receive(() => new Response());
    await Promise.all([run(BROKEN, NOW), run(BROKEN, at(5))]);
    expect(sent.length).toBe(2);
    expect(new Set(ids()).size).toBe(1);
  });

  it('says that it has ended to a receiver whose answer to the beginning was lost', async () => {
    receive(() => Promise.reject(new TypeError('no answer')));
    await run(BROKEN, NOW);
    vi.restoreAllMocks();
    receive(() => new Response());
    await run(TOLD, at(MINUTE_MS));
    await run(TOLD, at(2 * MINUTE_MS));
    expect(sent.map(({ body }) => body.type)).toEqual(['setting_unusable.began', 'setting_unusable.ended']);
  });

  it('is as it would be without alerts while the database and the receiver are away', async () => {
    receive(() => Promise.reject(new TypeError('no connection')));
    await runCron('* * * * *', { ...env, ...BROKEN }, () => NOW);
    const DB = databaseDouble({ around: () => Promise.reject(new Error('away')) });
    await expect(runCron('* * * * *', { ...env, ...BROKEN, DB }, () => NOW)).rejects.toThrow('away');
  });

  it('sends nothing where no receiver is set', async () => {
    const fetched = receive(() => new Response());
    await run({ SESSION_RETENTION_DAYS: 'a year' }, NOW);
    expect(fetched).not.toHaveBeenCalled();
  });
});
