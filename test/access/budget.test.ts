import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { changeOf, issueCredential, type TestCredential } from '../support/credential.ts';
import { CITY, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { stopClock } from '../support/stopped-clock.ts';

const NOW = Date.UTC(2026, 2, 7, 11);
const V2 = '/api/v2/parking-entitlements/search';
const ALIAS = '/api/v2/parking/check-plate';
const V1 = '/api/v1/parking/check-plate';
const REPORT = '/api/v2/parking/reports/active-by-area';
const IMPORT = '/api/v2/imports/subscriptions';

beforeAll(() => seed(CITY));
beforeEach(() => {
  stopClock(NOW);
  return () => vi.useRealTimers();
});

const call = (service: Service, { headers }: TestCredential, path = V2) =>
  service.post(path, { plate: 'A' }, headers);
/** It is refused for its content type once it is admitted. */
const report = (service: Service, { headers }: TestCredential) => service.post(REPORT, 'no JSON', headers);
const objectOf = ({ credentialId }: TestCredential) => env.CREDENTIALS.getByName(credentialId);
const setLimit = (credential: TestCredential, limit: number) =>
  changeOf(credential, (held) => ({ ...held, rate: { ...held.rate, limit } }));
const passed = (reports: readonly { status: number }[]) =>
  reports.filter(({ status }) => status === 415).length;

describe('The budget of a credential', () => {
  it('lets exactly 50 of 500 parallel calls pass, from two isolates, and none more after the object was evicted', async () => {
    const credential = await issueCredential({ rateLimit: 50 });
    const isolates = [new Service(), new Service()];
    const parallel = (calls: number) =>
      Promise.all(
        Array.from({ length: calls }, (_, index) => report(isolates[index % 2] as Service, credential)),
      );

    expect(passed(await parallel(500))).toBe(50);
    await evictDurableObject(objectOf(credential));
    expect(passed(await parallel(100))).toBe(0);

    vi.setSystemTime(NOW + 60_000);
    await evictDurableObject(objectOf(credential));
    expect(passed(await parallel(500))).toBe(50);
  });

  it('is one for V2, its alias and V1', async () => {
    const credential = await issueCredential({ rateLimit: 3 });
    const service = new Service();
    for (const path of [V2, ALIAS, V1]) {
      expect((await call(service, credential, path)).status).toBe(200);
    }
    for (const path of [V2, ALIAS, V1]) {
      expect((await call(service, credential, path)).status).toBe(429);
    }
  });

  it('is another one for imports, with the same limit', async () => {
    const credential = await issueCredential({ rateLimit: 1 });
    const service = new Service();
    const imported = () =>
      service.post(IMPORT, '\n', { ...credential.headers, 'Content-Type': 'application/x-ndjson' });
    expect((await call(service, credential)).status).toBe(200);
    expect((await imported()).status).toBe(200);
    expect((await imported()).status).toBe(429);
  });

  it('keeps its word on Retry-After: a client alone that waits so long passes', async () => {
    const credential = await issueCredential({ rateLimit: 2, rateWindowSeconds: 10 });
    const service = new Service();
    await call(service, credential);
    vi.setSystemTime(NOW + 4_500);
    await call(service, credential);
    vi.setSystemTime(NOW + 4_501);
    const refused = await call(service, credential);
    const retryAfter = Number(refused.headers.get('Retry-After'));
    expect(retryAfter).toBe(6);
    vi.setSystemTime(NOW + 4_501 + retryAfter * 1_000);
    expect((await call(service, credential)).status).toBe(200);
    expect((await call(service, credential)).status).toBe(429);
  });

  it('holds a new limit at once, with what has been used', async () => {
    const credential = await issueCredential({ rateLimit: 5 });
    const service = new Service();
    await call(service, credential);
    await call(service, credential);
    await setLimit(credential, 2);
    expect((await call(service, credential)).status).toBe(429);
  });

  it('holds no secret in its object', async () => {
    const credential = await issueCredential();
    await call(new Service(), credential);
    const stored = await runInDurableObject(objectOf(credential), async (_, state) => [
      ...(await state.storage.list()).entries(),
    ]);
    expect(stored.map(([key]) => key)).toEqual(['budget:calls', 'credential']);
    expect(JSON.stringify(stored)).not.toMatch(/pev_/);
  });
});
