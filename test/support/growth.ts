import { expect } from 'vitest';

const SIZE = 8 * 1_024;
const TIMES = 8;
/**
 * What grows as it should takes 8 times as long, what grows with the square 64 times. Half of that, since a process whose
 * heap is full collects more garbage for a large text, which has made 8 times look like 26.
 */
const MAX_TIMES_SLOWER = 32;
/** Each measurement is of so many microseconds at least. */
const MIN_MICROS = 10_000;
/** Garbage is collected, and others use the caches, at any time: only what is too slow each time is too slow. */
const ROUNDS = 12;

type Run = () => unknown;

async function microsOf(run: Run): Promise<number> {
  const before = process.threadCpuUsage();
  for (let runs = 1; ; runs += 1) {
    await run();
    const { user, system } = process.threadCpuUsage(before);
    if (user + system >= MIN_MICROS) return (user + system) / runs;
  }
}

/**
 * Eight times as much of a nasty text takes about eight times as long. What takes sixty-four times as long grows with the
 * square of it, however little that is in milliseconds. Measured where a clock tells the time that a thread has worked,
 * so that whatever else the machine does counts for nothing.
 *
 * @param runOf gives what works on a text of so many characters
 */
export async function expectNoFasterGrowth(runOf: (size: number) => Run): Promise<void> {
  const runs = { small: runOf(SIZE), large: runOf(SIZE * TIMES) };
  // What has run for a while runs faster.
  await microsOf(runs.small);
  let timesSlower = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && timesSlower >= MAX_TIMES_SLOWER; round += 1) {
    const small = await microsOf(runs.small);
    timesSlower = Math.min(timesSlower, (await microsOf(runs.large)) / small);
  }
  expect(timesSlower).toBeLessThan(MAX_TIMES_SLOWER);
}
