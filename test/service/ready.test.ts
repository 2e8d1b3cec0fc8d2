import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import { Breakable, hangs } from '../faults/breakable.ts';
import { countedBindings, databaseDouble, objectsDouble, snapshotsDouble } from '../support/doubles.ts';
import { type Answer, type Bindings, runCron, Service } from '../support/service.ts';
import { stopClock } from '../support/stopped-clock.ts';

const away = () => Promise.reject(new Error('away'));
const NO_DATABASE = { DB: databaseDouble({ around: away }) };
const NO_KV = { SNAPSHOTS: snapshotsDouble(away) };
const NO_OBJECT = { CREDENTIALS: objectsDouble(away) };

const ask = (replaced: Bindings = {}): Promise<Answer> => new Service(replaced).call('/ready');

function expectFailing(answer: Answer, failing: readonly string[]): void {
  expect([answer.status, answer.body]).toMatchObject([
    503,
    { success: false, error: { code: 'NOT_READY', details: { failing } } },
  ]);
  expect(answer.headers.get('Retry-After')).toBe('5');
}

beforeEach(() => runCron('* * * * *'));
afterEach(() => void vi.useRealTimers());

describe('A service is ready', () => {
  it('while all its parts work, for anybody who asks', async () => {
    expect(await ask()).toMatchObject({ status: 200, body: { success: true, ready: true, degraded: [] } });
  });

  it.each([
    [5 * MINUTE_MS, []],
    [5 * MINUTE_MS + 1, ['snapshots']],
  ])('while snapshots are %i ms old', async (age, degraded) => {
    const now = Date.now();
    await runCron('* * * * *', now);
    stopClock(now + age);
    expect(await ask()).toMatchObject({ status: 200, body: { degraded } });
  });

  it('before any snapshot was made, and says so; a run that failed has made none', async () => {
    await env.SNAPSHOTS.delete('refreshed');
    await expect(runCron('* * * * *', Date.now(), NO_DATABASE)).rejects.toThrow();
    expect(await ask()).toMatchObject({ status: 200, body: { degraded: ['snapshots'] } });
  });
});

describe('A service is not ready', () => {
  it.each<[string, Bindings, readonly string[]]>([
    ['its database is away', NO_DATABASE, ['database']],
    ['KV is away', NO_KV, ['kv']],
    ['objects are away', NO_OBJECT, ['object']],
    ['TOKEN_KEY is lost', { TOKEN_KEY: '' }, ['secret']],
    ['TOKEN_KEY is too short to sign', { TOKEN_KEY: 'short' }, ['secret']],
    ['DIGEST_KEY is lost', { DIGEST_KEY: ' , ' }, ['secret']],
    [
      'nothing works',
      { ...NO_DATABASE, ...NO_KV, ...NO_OBJECT, TOKEN_KEY: '' },
      ['database', 'kv', 'object', 'secret'],
    ],
  ])('while %s', async (_, replaced, failing) => {
    expectFailing(await ask(replaced), failing);
  });

  it('while its database hangs, and does not wait for it', async () => {
    const isolate = new Breakable();
    Object.assign(isolate, { database: hangs, snapshots: (run: () => unknown) => run() });
    const { answer } = await isolate.byFakeTimers(() => isolate.service.call('/ready'));
    expectFailing(answer, ['database']);
  });

  it('while its database lacks a migration of this version', async () => {
    await env.DB.exec("update d1_migrations set name = '-1 ' || name");
    expectFailing(await ask(), ['database']);
    await env.DB.exec('update d1_migrations set name = substr(name, 4)');
  });

  it('but not while it has a migration of a later version', async () => {
    await env.DB.exec("insert into d1_migrations (name) values ('9999_later.sql')");
    expect((await ask()).status).toBe(200);
    await env.DB.exec("delete from d1_migrations where name = '9999_later.sql'");
  });

  it('and names no secret, database or message to strangers', async () => {
    const answer = await ask({ ...NO_DATABASE, TOKEN_KEY: '' });
    expect(JSON.stringify(answer.body)).not.toMatch(/away|TOKEN_KEY|D1/);
  });
});

it('An isolate keeps what it has found for five seconds', async () => {
  const now = Date.now();
  stopClock(now);
  const { cost, bindings } = countedBindings();
  const service = new Service(bindings);
  await service.call('/ready');
  const { roundTrips, kvCalls, objectCalls } = cost;
  expect({ roundTrips, kvCalls, objectCalls }).toEqual({ roundTrips: 1, kvCalls: 1, objectCalls: 1 });

  vi.setSystemTime(now + 5 * SECOND_MS - 1);
  await service.call('/ready');
  expect(cost.roundTrips).toBe(1);

  vi.setSystemTime(now + 5 * SECOND_MS);
  await service.call('/ready');
  expect(cost.roundTrips).toBe(2);
});
