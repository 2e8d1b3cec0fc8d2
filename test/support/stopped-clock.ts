import { vi } from 'vitest';

/**
 * From here on the clock goes by the steps of the test alone, until `vi.useRealTimers()`. No deadline passes, since they
 * are waited for by `setTimeout`: an object that a busy machine is slow to call does not count as out of reach.
 */
export function stopClock(now: number): void {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now });
}

/** Counts what is on its way to bindings, as a double's `around`. */
export class Traffic {
  #onTheWay = 0;

  readonly around = async <T>(run: () => Promise<T>): Promise<T> => {
    this.#onTheWay += 1;
    try {
      return await run();
    } finally {
      this.#onTheWay -= 1;
    }
  };

  /** What happens between two round trips is over by the next turn of the event loop. */
  async isQuiet(): Promise<boolean> {
    for (let turns = 0; turns < 3; turns += 1) {
      await scheduler.wait(0);
      if (this.#onTheWay > 0) return false;
    }
    return true;
  }
}

/**
 * Waits for no deadline: whenever nothing is on its way, the clock goes on to the next one by itself. So no machine is too
 * slow for what is to come in time.
 */
export async function withoutWaiting<T>(traffic: Traffic, work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    let isOver = false;
    const working = work().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      if (await traffic.isQuiet()) vi.advanceTimersToNextTimer();
    }
    return await working;
  } finally {
    vi.useRealTimers();
  }
}
