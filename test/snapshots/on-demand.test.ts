import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { OnDemandSnapshots } from '../../src/core/snapshots/on-demand.ts';
import { instant } from '../../src/domain/instant.ts';
import { never } from '../support/afterwards.ts';
import { databaseDouble } from '../support/doubles.ts';
import { CITY, seed } from '../support/seed.ts';

const NOW = Date.UTC(2026, 2, 7, 11);

beforeAll(() => seed(CITY));

describe('A computation on demand that never ends', () => {
  /** One has been started at the instant, and hangs; the database has recovered since. */
  async function afterOneThatHangs() {
    let computations = 0;
    const DB = databaseDouble({
      around: (read) => {
        computations += 1;
        return computations === 1 ? never() : read();
      },
    });
    const onDemand = new OnDemandSnapshots();
    const outcomes: Promise<unknown>[] = [];
    const compute = (at: number) =>
      onDemand.compute(DB, 1, instant(at), {
        waitUntil: (outcome) => outcomes.push(outcome),
      });
    const hanging = compute(NOW);
    return { hanging, compute, outcomes, computations: () => computations };
  }

  it('is waited for by the calls of the next five seconds', async () => {
    const { hanging, compute, computations } = await afterOneThatHangs();
    expect(compute(NOW + 4_999)).toBe(hanging);
    expect(computations()).toBe(1);
  });

  it('is not waited for any longer: the next call has another, and shares that one', async () => {
    const { compute, outcomes, computations } = await afterOneThatHangs();
    const answers = [compute(NOW + 5_000), compute(NOW + 9_999)];
    expect(await Promise.all(answers)).toMatchObject([{ at: NOW + 5_000 }, { at: NOW + 5_000 }]);
    expect(computations()).toBe(2);
    await outcomes[1];
  });

  it('is kept for 30 s where it ends', async () => {
    const onDemand = new OnDemandSnapshots();
    const outcomes: Promise<unknown>[] = [];
    const compute = (at: number) =>
      onDemand.compute(env.DB, 1, instant(at), { waitUntil: (outcome) => outcomes.push(outcome) });
    const made = await compute(NOW);
    await Promise.all(outcomes);
    expect(await compute(NOW + 29_999)).toBe(made);
    expect(await compute(NOW + 30_000)).toMatchObject({ at: NOW + 30_000 });
  });
});
