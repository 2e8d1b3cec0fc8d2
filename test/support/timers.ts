import { vi } from 'vitest';

/** Counts the timers that have neither fired nor been cleared, from here to the end of the file. */
export function countTimers(): { readonly armed: () => number; readonly made: () => number } {
  const armed = new Set<unknown>();
  let made = 0;
  const { setTimeout, clearTimeout } = globalThis;
  const wait = scheduler.wait.bind(scheduler);
  vi.stubGlobal('setTimeout', (callback: () => void, milliseconds?: number) => {
    made += 1;
    const timer = setTimeout(() => {
      armed.delete(timer);
      callback();
    }, milliseconds);
    armed.add(timer);
    return timer;
  });
  vi.stubGlobal('clearTimeout', (timer: ReturnType<typeof setTimeout>) => {
    armed.delete(timer);
    clearTimeout(timer);
  });
  vi.stubGlobal('scheduler', {
    wait: async (milliseconds: number) => {
      made += 1;
      const waiting = {};
      armed.add(waiting);
      await wait(milliseconds);
      armed.delete(waiting);
    },
  });
  return { armed: () => armed.size, made: () => made };
}
