import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Breakable, hangs, only } from '../faults/breakable.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { brokenDatabase, brokenObjects, objectsDouble } from '../support/doubles.ts';
import { CITY, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const PATHS = ['/api/v2/parking-entitlements/search', '/api/v1/parking/check-plate'];
let credential: TestCredential;

beforeAll(async () => {
  await seed(CITY);
  credential = await issueCredential();
});
afterEach(() => vi.restoreAllMocks());

describe.each(PATHS)('While the credential’s object is away, %s', (path) => {
  const check = (service: Service, { headers } = credential, sent = {}) =>
    service.post(path, { plate: 'A' }, { ...headers, ...sent });

  it('goes on from the database, and the structured log says so', async () => {
    const log = vi.spyOn(console, 'warn');
    const answer = await check(new Service({ CREDENTIALS: brokenObjects() }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('RateLimit')).toBe('"calls";r=9999;t=60');
    expect(log.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([
      {
        event: 'admitted_from_database',
        request_id: answer.body.request_id,
        credential_id: credential.credentialId,
        reason: 'error',
      },
    ]);
  });

  it('holds the database’s own 401 and 403', async () => {
    const service = new Service({ CREDENTIALS: brokenObjects() });
    const refusals = [
      [await issueCredential({ revokedAt: 1 }), 'TOKEN_REVOKED'],
      [await issueCredential({ expiresAt: 1 }), 'TOKEN_EXPIRED'],
      [await issueCredential({ ipAllowlist: ['198.51.100.1'] }), 'IP_NOT_ALLOWED'],
      [await issueCredential({ scopes: [] }), 'SCOPE_NOT_ALLOWED'],
    ] as const;
    for (const [refused, code] of refusals) {
      expect((await check(service, refused)).body.error).toMatchObject({ code });
    }
    const forgotten = await issueCredential();
    await env.DB.prepare('delete from credentials where id = ?').bind(forgotten.credentialId).run();
    expect((await check(service, forgotten)).body.error).toMatchObject({ code: 'TOKEN_INVALID' });
  });

  it('lets at most the limit pass in this isolate', async () => {
    const limited = await issueCredential({ rateLimit: 3 });
    const service = new Service({ CREDENTIALS: brokenObjects() });
    const answers = await Promise.all(Array.from({ length: 8 }, () => check(service, limited)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
  });

  it('counts in a window that slides, and forgets nobody for a thousand others', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 2, 7) });
    const limited = await issueCredential({ rateLimit: 1 });
    const others = await issueCredential({ rateLimit: 10_000 });
    const service = new Service({ CREDENTIALS: brokenObjects() });
    expect((await check(service, limited)).status).toBe(200);
    await check(service, others);
    expect((await check(service, limited)).status).toBe(429);
    vi.setSystemTime(Date.UTC(2026, 2, 7) + 60_000);
    expect((await check(service, limited)).status).toBe(200);
    vi.useRealTimers();
  });

  it('throws away what was read for a credential that the database has revoked since', async () => {
    const stored = await issueCredential();
    let away = false;
    const CREDENTIALS = objectsDouble((run) => (away ? Promise.reject(new Error('away')) : run()));
    const service = new Service({ CREDENTIALS });
    expect((await check(service, stored)).status).toBe(200);
    away = true;
    expect((await check(service, stored)).status).toBe(200);
    await env.DB.prepare('update credentials set revoked_at = 1 where id = ?')
      .bind(stored.credentialId)
      .run();
    expect((await check(service, stored)).body.error).toMatchObject({ code: 'TOKEN_REVOKED' });
  });

  it('still refuses a made-up token without asking anybody', async () => {
    const answer = await check(
      new Service({ CREDENTIALS: brokenObjects(), DB: brokenDatabase() }),
      credential,
      {
        Authorization: `Bearer ${credential.accessToken.slice(0, -1)}x`,
      },
    );
    expect(answer.body.error).toMatchObject({ code: 'TOKEN_INVALID' });
  });
});

describe('An object that has lost its credential', () => {
  async function forgotten(changed = {}): Promise<TestCredential> {
    const stored = await issueCredential(changed);
    const object = env.CREDENTIALS.getByName(stored.credentialId);
    await runInDurableObject(object, (_, state) => state.storage.deleteAll());
    await evictDurableObject(object);
    return stored;
  }

  it('and hangs when it is given it, keeps no gate waiting for longer than any other', async () => {
    const stored = await forgotten();
    const isolate = new Breakable();
    isolate.objects = only(2, hangs);
    const { answer, afterMs } = await isolate.byFakeTimers(() =>
      isolate.service.post(PATHS[0] ?? '', { plate: 'A' }, stored.headers),
    );
    expect([answer.status, afterMs]).toEqual([200, 500]);
    expect(isolate.trips.objects).toBe(2);
  });

  it('takes it from the database, and admits the call', async () => {
    const stored = await forgotten({ rateLimit: 1 });
    const service = new Service();
    expect((await service.post(PATHS[0] ?? '', { plate: 'A' }, stored.headers)).status).toBe(200);
    expect((await service.post(PATHS[0] ?? '', { plate: 'A' }, stored.headers)).status).toBe(429);
  });
});
