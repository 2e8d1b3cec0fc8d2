import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadline, TimeoutError } from '../../src/base/platform/deadline.ts';
import { TenantTurns, WaitingLine } from '../../src/base/platform/turns.ts';

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
  return { begun, take, turns };
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

  it('asks for its turn the more seldom the more is before it, and each is done in the end', async () => {
    const { take } = working();
    const asked = vi.spyOn(WaitingLine.prototype, 'hasSlot');
    const first = Promise.withResolvers<void>();
    const all = Array.from({ length: 100 }, (_, index) => take(String(index), 1, first.promise));
    await scheduler.wait(400);
    // Each of them asked once at first, and the one that is next every 5 ms.
    expect(asked.mock.calls.length).toBeLessThan(600);
    first.resolve();
    expect(await Promise.all(all)).toHaveLength(100);
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

describe('Between two pieces of a tenant', () => {
  /** A clock that the test moves. */
  let nowMs = 0;
  beforeEach(() => {
    nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    return () => vi.restoreAllMocks();
  });

  /** Does a piece that takes so long, after calls of these tenants, and asks for the next. */
  async function afterPiece(tookMs: number, callers: readonly number[]) {
    const { begun, take, turns } = working();
    for (const caller of callers) turns.noteCall(caller);
    const piece = Promise.withResolvers<void>();
    const first = take('first', 1, piece.promise);
    await scheduler.wait(0);
    nowMs += tookMs;
    piece.resolve();
    await first;
    return { begun, next: take('next', 1, Promise.resolve()) };
  }

  it.each([
    ['as long as the first took', 30, 30],
    ['50 ms at most', 400, 50],
  ])('it rests while another tenant calls, %s', async (_, tookMs, restMs) => {
    const { begun, next } = await afterPiece(tookMs, [2, 1, 1]);
    nowMs += restMs - 1;
    await scheduler.wait(60);
    expect(begun).toEqual(['first']);
    nowMs += 1;
    expect(await next).toBe('next');
  });

  it.each([
    ['nobody else calls', 30, [1]],
    ['another tenant called a second ago', 1_000, [2, 1]],
  ])('it does not rest where %s', async (_, tookMs, callers) => {
    expect(await (await afterPiece(tookMs, callers)).next).toBe('next');
  });
});
