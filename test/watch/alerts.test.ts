import { env } from 'cloudflare:workers';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCron } from '../../src/crons.ts';
import { DAY_MS, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import type { Env } from '../../src/env.ts';
import type { Status } from '../../src/office/watch/contract.ts';
import { messagesOf, nextAlerts, runAlerts, watchedIn } from '../../src/office/watch/run-alerts.ts';
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
    const held = watchedIn({ ...WELL, ...status }, NOW).flatMap((alert) => Object.keys(alert.held));
    expect(held).toEqual(keys);
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
    const unknown = watchedIn({ ...known, ...status }, NOW).filter(({ isKnown }) => !isKnown);
    expect(unknown.map(({ alert }) => alert)).toEqual(alerts);
  });
});

const ALERT = 'retention_behind';
const NOTHING = [{ alert: ALERT, isKnown: true, held: {} }];
const HOLDS = [{ alert: ALERT, isKnown: true, held: { k: {} } }];
const UNKNOWN = [{ alert: ALERT, isKnown: false, held: {} }];
const begun = nextAlerts({}, HOLDS, NOW);
const taken = { k: { alert: ALERT, about: {}, begunAt: NOW, sentAt: NOW, endedAt: null } };
const ended = nextAlerts(taken, NOTHING, at(1));

describe('An alert is sent', () => {
  it.each<[string, ReturnType<typeof nextAlerts>, readonly string[]]>([
    ['when it begins', begun, ['began']],
    ['until it is taken', nextAlerts(begun, HOLDS, at(MINUTE_MS)), ['began']],
    ['not again within a day', nextAlerts(taken, HOLDS, at(DAY_MS - 1)), []],
    ['when it has ended', ended, ['ended']],
    ['not as ended while it is not known whether it holds', nextAlerts(taken, UNKNOWN, at(1)), []],
    ['as ended, where that was known before', nextAlerts(ended, UNKNOWN, at(2)), ['ended']],
    ['when it begins again', nextAlerts(ended, HOLDS, at(2)), ['began']],
  ])('%s', (_, alerts, sent) => {
    const types = messagesOf(alerts, at(DAY_MS - 1)).map(({ type }) => type);
    expect(types).toEqual(sent.map((phase) => `${ALERT}.${phase}`));
  });

  it('again after a day', () => {
    const types = messagesOf(taken, at(DAY_MS)).map(({ type }) => type);
    expect(types).toEqual(['retention_behind.continues']);
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

  it('sends that it has ended to a receiver whose answer to the beginning was lost', async () => {
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
