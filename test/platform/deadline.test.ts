import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadline, TimeoutError, withTimeout } from '../../src/base/platform/deadline.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = () => new Promise<never>(() => {});

/** How a promise has ended so far. */
function outcomeOf(promise: Promise<unknown>): { ended: unknown } {
  const outcome: { ended: unknown } = { ended: 'not yet' };
  promise.then(
    (value) => {
      outcome.ended = value;
    },
    (error: unknown) => {
      outcome.ended = error;
    },
  );
  return outcome;
}

describe('A deadline', () => {
  it('lets pass what comes in time', async () => {
    await expect(new Deadline(100).race(Promise.resolve('here'))).resolves.toBe('here');
  });

  it('fails all that wait for it at once, and not a millisecond before', async () => {
    const deadline = new Deadline(100);
    const waiting = [outcomeOf(deadline.race(never())), outcomeOf(deadline.race(never()))];
    await vi.advanceTimersByTimeAsync(99);
    expect(waiting.map(({ ended }) => ended)).toEqual(['not yet', 'not yet']);
    await vi.advanceTimersByTimeAsync(1);
    expect(waiting.map(({ ended }) => ended)).toEqual([expect.any(TimeoutError), expect.any(TimeoutError)]);
  });

  it('has one timer however many wait, and none before somebody does', () => {
    const deadline = new Deadline(100);
    expect(vi.getTimerCount()).toBe(0);
    outcomeOf(deadline.race(never()));
    outcomeOf(deadline.race(never()));
    expect(vi.getTimerCount()).toBe(1);
  });

  it('gives a part a shorter time of its own, with the same timer, and the rest what is left', async () => {
    const deadline = new Deadline(100);
    const [part, rest] = [outcomeOf(deadline.race(never(), 40)), outcomeOf(deadline.race(never()))];
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(39);
    expect([part.ended, rest.ended]).toEqual(['not yet', 'not yet']);
    await vi.advanceTimersByTimeAsync(1);
    expect([part.ended, rest.ended]).toEqual([expect.any(TimeoutError), 'not yet']);
    await vi.advanceTimersByTimeAsync(59);
    expect(rest.ended).toBe('not yet');
    await vi.advanceTimersByTimeAsync(1);
    expect(rest.ended).toEqual(expect.any(TimeoutError));
  });

  it('gives no part more time than is left of its own', async () => {
    const deadline = new Deadline(100);
    outcomeOf(deadline.race(never()));
    await vi.advanceTimersByTimeAsync(70);
    const part = outcomeOf(deadline.race(never(), 500));
    await vi.advanceTimersByTimeAsync(30);
    expect(part.ended).toEqual(expect.any(TimeoutError));
  });

  it('is over for good once it is cleared: what goes on after the answer has none', async () => {
    const deadline = new Deadline(100);
    const before = outcomeOf(deadline.race(never()));
    deadline.clear();
    const after = outcomeOf(deadline.race(never()));
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([before.ended, after.ended]).toEqual(['not yet', 'not yet']);
  });

  it('of a single promise leaves no timer behind, whether it comes or fails', async () => {
    await withTimeout(100, Promise.resolve());
    await expect(withTimeout(100, Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(vi.getTimerCount()).toBe(0);
  });
});
