import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { CITY, seed } from '../support/seed.ts';
import { brokenPromises, MIN_USED_UP, soakBudgets } from './budgets.ts';

const forMs = Number(env.SOAK_MINUTES) * 60_000;
const SEED = Date.now() % 1_000_000;

beforeAll(() => seed(CITY));

it(`Budgets hold for ${env.SOAK_MINUTES} min under bursts and evictions (seed ${SEED})`, {
  timeout: forMs + 60_000,
}, async () => {
  const reports = await soakBudgets({ seed: SEED, forMs, callers: 64 });
  expect(brokenPromises(reports)).toEqual([]);
  expect(reports.filter(({ passed, evictions }) => passed === 0 || evictions === 0)).toEqual([]);
  expect(reports.filter(({ waits }) => waits > 0)).toHaveLength(2);
  expect(reports.filter(({ refused }) => refused > 0).length).toBeGreaterThanOrEqual(MIN_USED_UP);
});
