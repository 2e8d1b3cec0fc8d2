const MIN_MS = 10;

/**
 * Waits several times as long as a piece of work has taken, so that other calls get the database in between.
 *
 * @param startedAtMs when it was begun, by `performance.now()`
 */
export async function pauseAfter(startedAtMs: number, factor: number): Promise<void> {
  await scheduler.wait(Math.max(MIN_MS, factor * (performance.now() - startedAtMs)));
}
