import { describe, expect, it } from 'vitest';
import { type RatePolicy, type RateState, type Run, spend } from '../../src/domain/budget.ts';
import { type Instant, instant } from '../../src/domain/instant.ts';
import { Random } from './random.ts';

const T = 1_000_000_000_000;
const at = (milliseconds: number): Instant => instant(T + milliseconds);
const run = (first: number, last: number, count: number): Run => ({
  first: at(first),
  last: at(last),
  count,
});

/** Three calls in ten seconds. Calls less than 100 ms after the first of a run join it. */
const POLICY: RatePolicy = { limit: 3, windowSeconds: 10 };
const WINDOW_MS = 10_000;

/** Makes calls one after the other, at these milliseconds. */
function callsAt(times: readonly number[], policy = POLICY) {
  let state: RateState = [];
  return times.map((time) => {
    const decision = spend(state, policy, at(time));
    state = decision.state;
    return decision;
  });
}

const passesAt = (times: readonly number[], policy = POLICY): string =>
  callsAt(times, policy)
    .map(({ passes }) => (passes ? 'y' : 'n'))
    .join('');

describe('Within any window no more calls than the limit pass', () => {
  it.each([
    ['the first', [0], 'y'],
    ['the limit-th', [0, 1000, 2000], 'yyy'],
    ['not the one after the limit-th', [0, 1000, 2000, 3000], 'yyyn'],
    ['not a millisecond before the first has left the window', [0, 1000, 2000, WINDOW_MS - 1], 'yyyn'],
    ['exactly a window after the first', [0, 1000, 2000, WINDOW_MS], 'yyyy'],
    ['only one then: the second counts still', [0, 1000, 2000, WINDOW_MS, WINDOW_MS], 'yyyyn'],
    ['the whole limit again after a window of rest', [0, 1, 2, 10_002, 10_002, 10_002, 10_002], 'yyyyyyn'],
    ['refused calls cost nothing', [0, 1000, 2000, 9000, 9500, 9999, WINDOW_MS], 'yyynnny'],
    ['all in one millisecond', [0, 0, 0, 0], 'yyyn'],
    ['across the edge of a fixed window', [9999, 9999, 9999, 10_001], 'yyyn'],
  ])('%s', (_, times, expected) => {
    expect(passesAt(times)).toBe(expected);
  });
});

describe('A decision tells what is left', () => {
  it('of the calls', () => {
    expect(callsAt([0, 1000, 2000, 3000]).map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0]);
  });

  it.each([
    ['a whole window after the first call', [0], 10],
    ['until the first call has left, while there is room', [0, 4000], 6],
    ['rounded up to whole seconds', [0, 4001], 6],
    ['until the first call has left, when refused', [0, 1000, 2000, 7000], 3],
    ['rounded up when refused', [0, 1000, 2000, 6999], 4],
    ['at least one', [0, 1000, 2000, WINDOW_MS - 1], 1],
  ])('of the wait: %s', (_, times, seconds) => {
    expect(callsAt(times).at(-1)?.resetSeconds).toBe(seconds);
  });
});

describe('Calls close together are kept as one run', () => {
  it.each([
    ['within a hundredth of the window', [0, 99], [run(0, 99, 2)]],
    ['not from a hundredth of the window on', [0, 100], [run(0, 0, 1), run(100, 100, 1)]],
    ['counted from its first call, not from its last', [0, 60, 120], [run(0, 60, 2), run(120, 120, 1)]],
  ])('%s', (_, times, state) => {
    expect(callsAt(times).at(-1)?.state).toEqual(state);
  });

  it('counts whole until its last call has left the window', () => {
    expect(passesAt([0, 50, 99, WINDOW_MS, 10_098, 10_099])).toBe('yyynny');
  });

  it('never makes more than a hundred and one of them, however many calls pass', () => {
    const policy = { limit: 10_000, windowSeconds: 10 };
    const states = callsAt(
      Array.from({ length: 10_000 }, (_, index) => index * 2),
      policy,
    ).map(({ state }) => state.length);
    expect(Math.max(...states)).toBeLessThanOrEqual(101);
  });
});

describe('A budget whose policy changes', () => {
  const used = [run(0, 0, 2), run(1000, 1000, 2), run(2000, 2000, 2)];

  it.each([
    ['a lowered limit refuses until enough calls have left', 3, 3000, false, 8],
    ['a limit lowered to one waits for all', 1, 3000, false, 9],
    ['a limit lowered to what is used refuses', 6, 3000, false, 7],
    ['a raised limit lets pass at once', 7, 3000, true, 7],
    ['a lowered limit lets pass once they have left', 3, 11_000, true, 1],
  ])('%s', (_, limit, time, passes, resetSeconds) => {
    const decision = spend(used, { limit, windowSeconds: 10 }, at(time));
    expect(decision).toMatchObject({ passes, resetSeconds });
  });

  it.each([
    [1, 6, 0],
    [7, 6, 0],
    [3, 8, 2],
  ])(
    'and whose call costs %i of a limit of %i says that %i are left, never fewer than none',
    (cost, limit, remaining) => {
      expect(spend(used, { limit, windowSeconds: 10 }, at(3000), { cost, toPass: cost })).toMatchObject({
        passes: false,
        remaining,
      });
      expect(spend(used, { limit: 3, windowSeconds: 10 }, at(3000)).remaining).toBe(0);
    },
  );

  it('a shorter window forgets what it does not reach', () => {
    const decision = spend(used, { limit: 3, windowSeconds: 1 }, at(2500));
    expect(decision).toMatchObject({
      passes: true,
      remaining: 0,
      state: [run(2000, 2000, 2), run(2500, 2500, 1)],
    });
  });
});

describe('A clock that steps back', () => {
  it('lets no more calls pass than one that stands still', () => {
    expect(passesAt([5000, 5000, -60_000, -60_000])).toBe('yyyn');
  });

  it('records calls at the last instant that it showed', () => {
    expect(callsAt([5000, 0]).at(-1)?.state).toEqual([run(5000, 5000, 2)]);
  });

  it('tells a wait after which a call passes by that same clock', () => {
    const [, , , refused] = callsAt([5000, 5000, 5000, 0]);
    expect(refused).toMatchObject({ passes: false, resetSeconds: 15 });
    expect(passesAt([5000, 5000, 5000, 0, 14_999, 15_000])).toBe('yyynny');
  });
});

/** A failure names its seed; that seed in the loop's place runs it alone. */
const SEEDS = 300;
const CALLS = 300;

/** How calls follow each other: in bursts, evenly, and at the distances at which something turns. */
function randomStep(random: Random, { windowSeconds }: RatePolicy): number {
  const windowMs = windowSeconds * 1000;
  const turn = random.pick([0, windowMs / 100, windowMs / 2, windowMs]);
  return random.pick([
    0,
    0,
    1,
    random.below(windowMs / 10),
    Math.max(0, Math.floor(turn) + random.below(3) - 1),
  ]);
}

const randomPolicy = (random: Random): RatePolicy => ({
  limit: 1 + random.below(20),
  windowSeconds: random.pick([1, 2, 7, 60, 3600]),
});

describe(`Over ${SEEDS} seeds of random calls`, () => {
  it('no window holds more than the limit, also one that changes between the calls, and the wait is honest', () => {
    let waits = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = new Random(seed);
      const { windowSeconds, limit } = randomPolicy(random);
      const changes = random.oneIn(2);
      const passed: number[] = [];
      let state: RateState = [];
      let now = 0;
      for (let index = 0; index < CALLS; index++) {
        const policy = { limit: changes ? 1 + random.below(20) : limit, windowSeconds };
        now += randomStep(random, policy);
        const decision = spend(state, policy, at(now));
        state = decision.state;
        if (decision.passes) {
          passed.push(now);
          const inWindow = passed.filter((time) => now - time < windowSeconds * 1000).length;
          expect(inWindow, `seed ${seed}, call ${index}`).toBeLessThanOrEqual(policy.limit);
        } else {
          waits++;
          const waitMs = decision.resetSeconds * 1000;
          const waited = spend(state, policy, at(now + waitMs));
          expect(waited.passes, `seed ${seed}, call ${index}`).toBe(true);
          // Not a hundredth of the window too late.
          const exact = (passed.at(-policy.limit) ?? Number.NaN) + windowSeconds * 1000 - now;
          expect(waitMs - exact, `seed ${seed}, call ${index}`).toBeLessThan(1000 + windowSeconds * 10);
        }
      }
    }
    expect(waits).toBeGreaterThan(SEEDS);
  });
});
