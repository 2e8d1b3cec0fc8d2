import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, expect, it, vi } from 'vitest';
import { City } from '../support/city.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { stopClock } from '../support/stopped-clock.ts';

const NOW = Date.UTC(2026, 2, 7, 11);
const CHECKS = [
  '/api/v2/parking-entitlements/search',
  '/api/v2/parking/check-plate',
  '/api/v1/parking/check-plate',
];
const REPORT = '/api/v2/parking/reports/active-by-area';
const IMPORTS = ['/api/v2/imports/sessions?source_code=app1', '/api/v2/imports/subscriptions'];

const city = new City(CITY);
beforeEach(() => {
  stopClock(NOW);
  return () => vi.useRealTimers();
});

/** Of so many reports at once, those that pass: each is refused for its content type once it is admitted. */
async function passed(
  { headers }: TestCredential,
  calls: number,
  isolates: readonly Service[],
): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: calls }, (_, index) =>
      isolates[index % isolates.length]?.post(REPORT, 'no JSON', headers),
    ),
  );
  return answers.filter((answer) => answer?.status === 415).length;
}

it('Exactly 50 of 500 parallel calls pass, from two isolates, and none more after the object was evicted', async () => {
  const credential = await issueCredential({ rateLimit: 50 });
  const isolates = [new Service(), new Service()];
  const evict = () => evictDurableObject(env.CREDENTIALS.getByName(credential.credentialId));
  expect(await passed(credential, 500, isolates)).toBe(50);
  await evict();
  expect(await passed(credential, 100, isolates)).toBe(0);
  vi.setSystemTime(NOW + 60_000);
  await evict();
  expect(await passed(credential, 500, isolates)).toBe(50);
});

it('All plate checks and the report share one budget, both imports another of the same limit', async () => {
  const { headers } = await issueCredential({ rateLimit: 4 });
  const file = { ...headers, 'Content-Type': 'application/x-ndjson' };
  const call = async () => {
    const calls = [
      ...CHECKS.map((path) => city.service.post(path, { plate: 'A' }, headers)),
      city.service.post(REPORT, {}, headers),
    ];
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    for (const path of IMPORTS) statuses.push((await city.service.post(path, '\n', file)).status);
    return statuses;
  };
  expect(await call()).toEqual(Array(6).fill(200));
  expect(await call()).toEqual([429, 429, 429, 429, 200, 200]);
  expect((await call()).slice(4)).toEqual([429, 429]);
});
