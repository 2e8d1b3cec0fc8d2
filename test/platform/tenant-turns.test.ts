import { describe, expect, it, vi } from 'vitest';
import { Deadline, TimeoutError } from '../../src/platform/deadline.ts';
import { TenantTurns } from '../../src/platform/tenant-turns.ts';

const MINUTE_MS = 60_000;

/** Work in the turns of an isolate. */
function working() {
  const turns = new TenantTurns();
  const begun: string[] = [];
  const take = (name: string, tenantId: number, work: Promise<unknown>, deadlineMs = MINUTE_MS) => {
    const sender = { tenantId, credentialId: name };
    return turns.take(sender, new Deadline(deadlineMs), async () => {
      begun.push(name);
      await work;
      return name;
    });
  };
  return { begun, take };
}

describe('The heavy work of an isolate', () => {
  it('is done one piece at a time for one tenant, in the order in which it came', async () => {
    const { begun, take } = working();
    const first = Promise.withResolvers<void>();
    const all = [take('a', 1, first.promise), take('b', 1, first.promise), take('c', 1, first.promise)];
    await scheduler.wait(50);
    expect(begun).toEqual(['a']);
    first.resolve();
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('of another tenant waits for none of that', async () => {
    const { take } = working();
    const first = Promise.withResolvers<void>();
    const waiting = take('a', 1, first.promise);
    expect(await take('b', 2, Promise.resolve())).toBe('b');
    first.resolve();
    await waiting;
  });

  it('goes on after a piece that failed', async () => {
    const { take } = working();
    await expect(take('a', 1, Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    expect(await take('b', 1, Promise.resolve())).toBe('b');
  });

  it('does not wait for a piece that never ends', async () => {
    const { take } = working();
    vi.spyOn(performance, 'now').mockImplementation(() => Date.now());
    void take('a', 1, new Promise(() => {}));
    const next = take('b', 1, Promise.resolve());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2_000 });
    expect(await next).toBe('b');
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('is given up past its call’s deadline', async () => {
    const { begun, take } = working();
    const first = Promise.withResolvers<void>();
    const waiting = take('a', 1, first.promise);
    await expect(take('b', 1, Promise.resolve(), 30)).rejects.toThrow(TimeoutError);
    first.resolve();
    await waiting;
    expect(begun).toEqual(['a']);
  });
});
