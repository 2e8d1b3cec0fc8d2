import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UnreadBodies } from '../../src/serving/http/unread-bodies.ts';

const MIB = 1024 * 1024;
const MAX_MIB = 32;
const MAX_AT_ONCE = 64;
const PAUSE_MS = 1_000;
const MAX_MS = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A body that the test sends byte by byte, and its drain. */
function drained(bodies = new UnreadBodies(), headers: Record<string, string> = {}) {
  let send = () => {};
  const body = new ReadableStream({
    type: 'bytes',
    start: (controller) => {
      send = () => controller.enqueue(new Uint8Array(1));
    },
  });
  const request = new Request('https://parking.test/', { method: 'POST', headers, body });
  const drain = { isOver: false, send };
  const ended = bodies.drain(request, null, performance.now()).then(() => {
    drain.isOver = true;
  });
  return Object.assign(drain, { ended });
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

describe('A body that a call has not read', () => {
  it.each([
    ['to its end', 3, 3],
    [`up to ${MAX_MIB} MiB`, 2 * MAX_MIB, MAX_MIB + 2],
  ])('is read %s', async (_, sent, mostTaken) => {
    let taken = 0;
    const body = new ReadableStream({
      type: 'bytes',
      pull: (controller) => {
        taken += 1;
        controller.enqueue(new Uint8Array(MIB));
        if (taken === sent) controller.close();
      },
    });
    const request = new Request('https://parking.test/', { method: 'POST', body });
    await new UnreadBodies().drain(request, null, performance.now());
    expect(taken).toBeGreaterThanOrEqual(Math.min(sent, MAX_MIB));
    expect(taken).toBeLessThanOrEqual(mostTaken);
  });

  it('is not waited for where it announces more than that', async () => {
    const drain = drained(new UnreadBodies(), { 'Content-Length': String(MAX_MIB * MIB + 1) });
    await pass(0);
    expect(drain.isOver).toBe(true);
  });

  it('is waited for until a second has passed without bytes', async () => {
    const drain = drained();
    for (const send of [true, true, false]) {
      await pass(PAUSE_MS - 1);
      expect(drain.isOver).toBe(false);
      if (send) drain.send();
    }
    await pass(1);
    expect(drain.isOver).toBe(true);
  });

  it('is waited for no longer than a minute', async () => {
    const drain = drained();
    for (let waitedMs = 0; waitedMs < MAX_MS; waitedMs += PAUSE_MS / 2) {
      expect(drain.isOver).toBe(false);
      drain.send();
      await pass(PAUSE_MS / 2);
    }
    expect(drain.isOver).toBe(true);
  });

  it(`is not waited for along with ${MAX_AT_ONCE} others, until one of them has ended`, async () => {
    const bodies = new UnreadBodies();
    const others = Array.from({ length: MAX_AT_ONCE }, () => drained(bodies));
    const oneTooMany = drained(bodies);
    await pass(0);
    expect([others.some(({ isOver }) => isOver), oneTooMany.isOver]).toEqual([false, true]);
    await pass(PAUSE_MS);
    const next = drained(bodies);
    await pass(0);
    expect([others.every(({ isOver }) => isOver), next.isOver]).toEqual([true, false]);
    await pass(PAUSE_MS);
  });
});
