import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { installInObject } from '../../src/access/credential-objects.ts';
import { readCredentialRecord } from '../../src/access/credentials-table.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { databaseDouble, objectsDouble } from '../support/doubles.ts';
import { CITY, ROME, seed } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';

const NOW = Date.UTC(2026, 2, 7, 11);
const PATH = '/api/v2/parking-entitlements/search';
const OPTIONS = '/api/v2/parking-meters/subscription-options';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  return () => vi.useRealTimers();
});

beforeAll(() =>
  seed({ ...CITY, municipalities: [ROME, { ...ROME, id: 2, code: 'OTHER', name: 'Altrove' }] }),
);

/** Changes a credential as the administration does: the row, then the object. */
async function change({ credentialId }: TestCredential, set: string, ...values: unknown[]): Promise<void> {
  await env.DB.prepare(`update credentials set version = version + 1, ${set} where id = ?`)
    .bind(...values, credentialId)
    .run();
  await installInObject(
    env,
    (await readCredentialRecord(env.DB, credentialId)) ?? expect.fail('no such credential'),
  );
}

type Check = (path: string, headers?: Record<string, string>, at?: number) => Promise<Answer>;

/** A service whose readings of parking data are counted: they go through a session of the database, the log does not. */
function countedService() {
  const cost = { readings: 0 };
  const DB = databaseDouble({
    around: (run, where) => {
      cost.readings += where === undefined ? 0 : 1;
      return run();
    },
  });
  const service = new Service({ DB });
  const checkWith =
    (credential: TestCredential): Check =>
    (path, headers = {}, at = NOW) => {
      vi.setSystemTime(at);
      return service.post(path, { plate: 'A' }, { ...credential.headers, ...headers });
    };
  return { cost, checkWith, check: (credential: TestCredential) => checkWith(credential)(PATH) };
}

describe('A credential that this isolate has not seen admitted a moment ago', () => {
  it('reads no parking data when it is refused', async () => {
    const { cost, check } = countedService();
    expect((await check(await issueCredential({ revokedAt: 1 }))).status).toBe(401);
    expect((await check(await issueCredential({ scopes: [] }))).status).toBe(403);
    expect(cost.readings).toBe(0);
  });

  it.each<[string, (check: Check) => Promise<Answer>]>([
    ['from another address', (check) => check(PATH, { 'CF-Connecting-IP': '198.51.100.1' })],
    ['for another operation', (check) => check(OPTIONS)],
    ['a minute ago', (check) => check(PATH, {}, NOW + 60_000)],
  ])('is one that was admitted %s', async (_, ask) => {
    const { cost, checkWith } = countedService();
    const credential = await issueCredential();
    const check = checkWith(credential);
    await check(PATH);
    await change(credential, 'revoked_at = ?', NOW);
    cost.readings = 0;
    expect((await ask(check)).status).toBe(401);
    expect(cost.readings).toBe(0);
  });

  it('is not one that was admitted a millisecond less than a minute ago', async () => {
    const { cost, checkWith } = countedService();
    const credential = await issueCredential();
    const check = checkWith(credential);
    await check(PATH);
    await change(credential, 'revoked_at = ?', NOW);
    cost.readings = 0;
    expect((await check(PATH, {}, NOW + 59_999)).status).toBe(401);
    expect(cost.readings).toBe(1);
  });
});

describe('A credential that was admitted a moment ago', () => {
  it('learns nothing once it is revoked: what was read beside the admission is thrown away', async () => {
    const { cost, check } = countedService();
    const credential = await issueCredential();
    expect((await check(credential)).status).toBe(200);
    await change(credential, 'revoked_at = ?', NOW);
    cost.readings = 0;

    const answer = await check(credential);
    expect(answer.body).toMatchObject({ success: false, error: { code: 'TOKEN_REVOKED' } });
    expect(answer.headers.get('WWW-Authenticate')).toContain('invalid_token');
    expect(cost.readings).toBe(1);
  });

  it('is not read for again after a refusal', async () => {
    const { cost, check } = countedService();
    const credential = await issueCredential();
    await check(credential);
    await change(credential, 'revoked_at = ?', NOW);
    await check(credential);
    cost.readings = 0;
    expect((await check(credential)).status).toBe(401);
    expect(cost.readings).toBe(0);
  });

  it('is refused before its bad body is', async () => {
    const service = new Service();
    const credential = await issueCredential({ rateLimit: 1 });
    await service.post(PATH, { plate: 'A' }, credential.headers);
    const answer = await service.post(PATH, 'no JSON', {
      ...credential.headers,
      'Content-Type': 'text/plain',
    });
    expect(answer.body.error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect(answer.headers.get('Retry-After')).toBe('60');
  });

  it('has a failure of its admission told once in the log', async () => {
    let away = false;
    const CREDENTIALS = objectsDouble((run) => (away ? Promise.reject(new Error('away')) : run()));
    const service = new Service({ CREDENTIALS });
    const { headers } = await issueCredential();
    expect((await service.post(OPTIONS, { plate: 'A' }, headers)).status).toBe(200);
    away = true;
    const log = vi.spyOn(console, 'error');
    expect((await service.post(OPTIONS, { plate: 'A' }, headers)).status).toBe(500);
    expect(log.mock.calls.map(([line]) => JSON.parse(String(line)).event)).toEqual(['failure']);
    log.mockRestore();
  });

  it('is judged by the municipalities that it has now', async () => {
    const { check } = countedService();
    const credential = await issueCredential();
    expect((await check(credential)).body.municipality).toMatchObject({ code: 'H501' });
    await env.DB.prepare('update credential_municipalities set municipality_id = 2 where credential_id = ?')
      .bind(credential.credentialId)
      .run();
    await change(credential, 'name = ?', 'moved');
    expect((await check(credential)).body.municipality).toMatchObject({ code: 'OTHER' });
  });

  it('is judged by the historical days that it has now', async () => {
    const service = new Service();
    const credential = await issueCredential({ historicalDaysAllowed: 0 });
    const yesterday = { plate: 'A', checked_at: new Date(NOW - 3_600_000).toISOString() };
    const check = (body: object) => service.post(PATH, body, credential.headers);
    expect((await check({ plate: 'A' })).status).toBe(200);
    expect((await check(yesterday)).status).toBe(422);
    await change(credential, 'historical_days_allowed = ?', 1);
    expect((await check(yesterday)).status).toBe(200);
  });
});
