import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { issueCredential, type TestCredential } from '../support/credential.ts';
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
/** Changes the limit in the object alone, as the administrator's change does there. */
const setLimit = ({ credentialId }: TestCredential, limit: number) =>
  runInDurableObject(env.CREDENTIALS.getByName(credentialId), async (object, state) => {
    const record = (await state.storage.get('credential')) as Parameters<typeof object.install>[0];
    object.install({
      ...record,
      rate: { ...record.rate, limit },
      credential: { ...record.credential, version: record.credential.version + 1 },
    });
  });
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

  it('lets nothing pass on what its object could not store', async () => {
    const credential = await issueCredential({ rateLimit: 100 });
    const service = new Service();
    const reported = () => report(service, credential);
    await runInDurableObject(objectOf(credential), (object, { storage }) => {
      const full = {
        get: (key: string) => storage.kv.get(key),
        put: () => {
          throw new Error('the disk is full');
        },
      };
      Object.assign(object, { ctx: { storage: { kv: full } } });
    });
    expect((await reported()).status).toBe(500);
    await runInDurableObject(objectOf(credential), (object, state) => Object.assign(object, { ctx: state }));

    const answers = [await reported(), await reported()];
    await evictDurableObject(objectOf(credential));
    answers.push(...(await Promise.all(Array.from({ length: 105 }, reported))));
    expect(passed(answers)).toBeLessThanOrEqual(100);
    expect(passed(answers)).toBeGreaterThanOrEqual(98);
  });

  it('begins a new limit with nothing reserved under the old one', async () => {
    const credential = await issueCredential({ rateLimit: 10_000 });
    const service = new Service();
    await call(service, credential);
    await setLimit(credential, 10);
    await evictDurableObject(objectOf(credential));
    expect((await call(service, credential)).headers.get('RateLimit')).toContain('r=8;');
  });

  it('takes nothing from a lower limit for what was reserved a window ago, when its object slept since', async () => {
    const credential = await issueCredential({ rateLimit: 10_000 });
    const service = new Service();
    await call(service, credential);
    await evictDurableObject(objectOf(credential));
    vi.setSystemTime(NOW + 3_600_000);
    await setLimit(credential, 10);
    expect((await call(service, credential)).headers.get('RateLimit')).toContain('r=9;');
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
