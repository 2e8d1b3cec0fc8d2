import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Random } from '../domain/random.ts';
import { someOf } from '../support/run-form.ts';
import { CITY, seed } from '../support/seed.ts';
import { stopClock } from '../support/stopped-clock.ts';
import { LoneClient, randomStep } from './budget-clock.ts';

beforeAll(() => seed(CITY));

describe('A client alone on its credential, its object evicted now and then,', () => {
  beforeEach(() => stopClock(Date.UTC(2026, 2, 7, 11)));
  afterEach(() => void vi.useRealTimers());

  const POLICIES = [
    { limit: 1, windowMs: 1_000 },
    { limit: 4, windowMs: 3_600_000 },
    { limit: 50, windowMs: 10_000 },
    { limit: 120, windowMs: 60_000 },
  ];

  it.each(someOf([1, 2], 1).flatMap((number) => POLICIES.map((policy) => ({ number, ...policy }))))(
    'passes as often as its budget says, and after the wait it was given: $limit in $windowMs ms (seed $number)',
    async ({ number, ...policy }) => {
      const random = new Random(number);
      const client = await LoneClient.with(policy);
      for (let steps = 0; steps < 20; steps++) {
        vi.setSystemTime(Date.now() + randomStep(random, policy.windowMs));
        if (random.oneIn(3)) await client.evict();
        await client.burst(random);
      }
      expect(client.wrong).toEqual([]);
      expect(Math.min(client.passed, client.refused, client.evictions)).toBeGreaterThan(0);
    },
  );

  it.each(someOf([1, 2, 3], 1))(
    'has each call counted from its own instant, though %i came long before it',
    async (calls) => {
      const client = await LoneClient.with({ limit: 100, windowMs: 10_000 });
      for (let left = calls; left > 0; left--) await client.call();
      vi.setSystemTime(Date.now() + 9_000);
      await client.call();
      await client.evict();
      vi.setSystemTime(Date.now() + 1_000);
      while ((await client.call()) === null);
      expect(client.wrong).toEqual([]);
    },
  );

  it('has its whole limit, where it was idle for longer than a window after the eviction', async () => {
    const limit = 100;
    const windowMs = 10_000;
    const client = await LoneClient.with({ limit, windowMs });
    for (let left = limit / 4; left > 0; left--) await client.call();
    await client.evict();
    vi.setSystemTime(Date.now() + windowMs * 1.5);
    for (let left = limit; left > 0; left--) expect(await client.call()).toBeNull();
    expect(client.wrong).toEqual([]);
  });

  it('passes after the wait it was given, where one call makes room and the eviction falls into the wait', async () => {
    const client = await LoneClient.with({ limit: 100, windowMs: 10_000 });
    await client.call();
    vi.setSystemTime(Date.now() + 5_000);
    let waitMs: number | null = null;
    while (waitMs === null) waitMs = await client.call();
    expect(waitMs).toBe(5_000);
    await client.obey(waitMs, true);
    expect(client.wrong).toEqual([]);
  });
});
