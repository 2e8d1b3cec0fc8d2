import { vi } from 'vitest';

/**
 * From here on the clock goes by the steps of the test alone, until `vi.useRealTimers()`. No deadline passes, since they
 * are waited for by `setTimeout`: an object that a busy machine is slow to call does not count as out of reach.
 */
export function stopClock(now: number): void {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now });
}
