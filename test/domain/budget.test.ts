import { describe, expect, it } from 'vitest';
import {
  type Budget,
  type RatePolicy,
  restoreBudget,
  type Spend,
  spend,
  UNUSED_BUDGET,
  withoutReservation,
} from '../../src/domain/budget.ts';
import { type Instant, instant } from '../../src/domain/instant.ts';
import { Random } from './random.ts';

const T = 1_000_000_000_000;
const at = (milliseconds: number): Instant => instant(T + milliseconds);
const policy = (limit: number, windowSeconds = 10): RatePolicy => ({ limit, windowSeconds });

/** A credential's object: what it has in memory, and what it has stored. */
class Keeper {
  memory: Budget = UNUSED_BUDGET;
  stored: Budget = UNUSED_BUDGET;
  writes = 0;

  call(rate: RatePolicy, time: number) {
    const { decision, budget, toStore } = spend(this.memory, rate, at(time));
    this.memory = budget;
    if (toStore !== null) {
      this.stored = toStore;
      this.writes += 1;
    }
    return decision;
  }

  loseMemory(time: number): void {
    this.memory = restoreBudget(this.stored, at(time));
    this.stored = this.memory;
  }
}

function keeperAfter(times: readonly number[], rate: RatePolicy): Keeper {
  const keeper = new Keeper();
  for (const time of times) {
    keeper.call(rate, time);
  }
  return keeper;
}

const every = (milliseconds: number, calls: number): number[] =>
  Array.from({ length: calls }, (_, index) => index * milliseconds);

describe('What a write reserves', () => {
  const reservedBy = (what?: Spend) => spend(UNUSED_BUDGET, policy(1_000), at(0), what).toStore?.reserved;

  it('is some calls ahead, unless the call says that none may be', () => {
    expect(reservedBy()).toBeGreaterThan(0);
    expect(reservedBy({ cost: 1 })).toBe(reservedBy());
    expect(reservedBy({ cost: 1, reserves: true })).toBe(reservedBy());
    expect(reservedBy({ cost: 1, reserves: false })).toBe(0);
  });
});

describe('An unused budget', () => {
  it('has no calls, and none reserved', () => {
    expect(UNUSED_BUDGET).toMatchObject({ runs: [], reserved: 0 });
  });
});

describe('Calls are reserved ahead, in one write', () => {
  it.each([
    ['none below fifty: each call is stored', 49, 10, 10],
    ['one of fifty: every other call is stored', 50, 10, 5],
    ['two of a hundred and twenty: every third', 120, 9, 3],
    ['two hundred of ten thousand', 10_000, 402, 2],
  ])('%s', (_, limit, calls, writes) => {
    expect(keeperAfter(every(1, calls), policy(limit)).writes).toBe(writes);
  });

  it('but no more than are left, so that what is stored never says more than the limit', () => {
    const keeper = keeperAfter(every(1, 99), policy(99));
    const used = keeper.stored.runs.reduce((sum, run) => sum + run.count, 0);
    expect(used + keeper.stored.reserved).toBe(99);
  });

  it('for a tenth of the window: a call after that is stored again', () => {
    expect(keeperAfter([0, 1_000], policy(100)).writes).toBe(1);
    expect(keeperAfter([0, 1_001], policy(100)).writes).toBe(2);
  });

  it('a refused call stores nothing', () => {
    const keeper = keeperAfter(every(1, 100), policy(100));
    const { writes, stored } = keeper;
    expect(keeper.call(policy(100), 200).passes).toBe(false);
    expect(keeper).toMatchObject({ writes, stored });
  });
});

describe('Whoever loses their memory', () => {
  it('takes what was reserved to have passed just then', () => {
    const keeper = keeperAfter([0], policy(100));
    keeper.loseMemory(500);
    expect(keeper.memory).toMatchObject({
      runs: [
        { first: at(0), last: at(0), count: 1 },
        { first: at(500), last: at(500), count: 2, assumed: true },
      ],
      reserved: 0,
    });
  });

  it('or when the reservation ended, a tenth of the window after it was made', () => {
    const keeper = keeperAfter([0], policy(100));
    keeper.loseMemory(5_000);
    expect(keeper.memory.runs.at(-1)).toMatchObject({ last: at(1_000), assumed: true });
  });

  it('has nothing to assume any more a window after that', () => {
    const keeper = keeperAfter(every(1, 50), policy(50));
    keeper.loseMemory(86_400_000);
    const passes = every(1, 50).map((time) => keeper.call(policy(50), 86_400_000 + time).passes);
    expect(passes).not.toContain(false);
  });

  it('on a clock that stepped back, no earlier than the last call', () => {
    const keeper = keeperAfter([5_000], policy(100));
    keeper.loseMemory(0);
    expect(keeper.memory.runs.at(-1)).toMatchObject({ last: at(5_000), assumed: true });
  });

  it('counts a call by itself, in addition to those that it assumed a moment before', () => {
    const keeper = keeperAfter([0], policy(100));
    keeper.loseMemory(5_000);
    keeper.call(policy(100), 5_001);
    expect(keeper.memory.runs.map(({ count }) => count)).toEqual([1, 2, 1]);
  });

  it('reserves none again until those that it assumed have left the window', () => {
    const keeper = keeperAfter([0], policy(100));
    keeper.loseMemory(5_000);
    keeper.call(policy(100), 6_000);
    expect(keeper.stored.reserved).toBe(0);
    keeper.call(policy(100), 15_000);
    expect(keeper.stored.reserved).toBe(2);
  });

  it('has nothing to assume where nothing was reserved', () => {
    expect(restoreBudget(UNUSED_BUDGET, at(0))).toEqual(UNUSED_BUDGET);
  });
});

describe('A budget that is withoutReservation', () => {
  it('has its calls, and nothing reserved', () => {
    const { memory } = keeperAfter([0], policy(100));
    expect(withoutReservation(memory)).toMatchObject({ runs: memory.runs, reserved: 0 });
  });
});

/** A failure names its seed; that seed in the loop's place runs it alone. */
const SEEDS = 300;
const CALLS = 400;
const LOSSES = 20;

function randomCalls(seed: number) {
  const random = new Random(seed);
  const rate = policy(random.pick([1, 20, 50, 99, 100, 120, 500]), random.pick([1, 10, 60]));
  const windowMs = rate.windowSeconds * 1000;
  const steps = Array.from({ length: CALLS }, () => ({
    // Dense enough for the limit to be met, with rests in between.
    wait: random.pick([
      0,
      0,
      1,
      random.below(Math.ceil((2 * windowMs) / rate.limit)),
      random.below(20) === 0 ? windowMs : 0,
    ]),
    losesMemory: random.below(CALLS) < LOSSES,
  }));
  return { rate, windowMs, steps };
}

/** The shortest stretch from a call to the one that comes `limit` calls after it. */
const densest = (passed: readonly number[], limit: number): number =>
  Math.min(...passed.map((first, index) => (passed[index + limit] ?? Number.POSITIVE_INFINITY) - first));

describe(`Over ${SEEDS} seeds of random calls and losses of memory`, () => {
  it('no window holds more than the limit, wherever it is placed', () => {
    let refusals = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { rate, windowMs, steps } = randomCalls(seed);
      const keeper = new Keeper();
      const passed: number[] = [];
      let now = 0;
      for (const { wait, losesMemory } of steps) {
        now += wait;
        if (losesMemory) keeper.loseMemory(now);
        if (keeper.call(rate, now).passes) passed.push(now);
        else refusals++;
      }
      expect(densest(passed, rate.limit), `seed ${seed}`).toBeGreaterThanOrEqual(windowMs);
    }
    expect(refusals).toBeGreaterThan(SEEDS);
  });

  it('many losses cost no more than a fiftieth of the limit at a time', () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { rate, windowMs, steps } = randomCalls(seed);
      const keeper = new Keeper();
      const passed: number[] = [];
      let now = 0;
      for (const [index, { wait, losesMemory }] of steps.entries()) {
        now += wait;
        if (losesMemory) keeper.loseMemory(now);
        // Calls of a run count until the last of them has left: a hundredth of the window more.
        const counted = passed.filter((time) => now - time < windowMs * 1.01).length;
        const { passes } = keeper.call(rate, now);
        if (passes) passed.push(now);
        else
          expect(counted, `seed ${seed}, call ${index}`).toBeGreaterThanOrEqual(
            rate.limit - Math.floor(rate.limit / 50),
          );
      }
    }
  });

  it('whoever waits alone as long as the answer says passes, though the memory was lost meanwhile', () => {
    let waits = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { rate, steps } = randomCalls(seed);
      const keeper = new Keeper();
      let now = 0;
      for (const [index, { wait, losesMemory }] of steps.entries()) {
        now += wait;
        const decision = keeper.call(rate, now);
        if (decision.passes) continue;
        waits++;
        now += decision.resetSeconds * 1000;
        if (losesMemory || index % 2 === 0) keeper.loseMemory(now);
        expect(keeper.call(rate, now).passes, `seed ${seed}, call ${index}`).toBe(true);
      }
    }
    expect(waits).toBeGreaterThan(SEEDS);
  });
});
