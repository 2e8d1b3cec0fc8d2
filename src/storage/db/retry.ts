/** D1's messages for a lost statement, which may be retried if it is idempotent. */
const LOST = /network connection lost|object to be reset|code was updated|transient issue/i;
const OVERLOADED = /overloaded/i;
const MAX_TRIES = 3;
/** The longest wait before the second try, in milliseconds; twice that before the third. */
const FIRST_WAIT_MS = 100;

/**
 * Runs an idempotent action on the database, and retries it if it was lost. Does not retry while the database is overloaded,
 * which would keep it overloaded.
 *
 * @param mayPass whether another try may end otherwise, by the error of this one
 */
export async function retry<T>(
  action: () => Promise<T>,
  maxTries = MAX_TRIES,
  mayPass: (error: unknown) => boolean = isLost,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (attempt === maxTries || !mayPass(error)) throw error;
      await scheduler.wait(Math.random() * FIRST_WAIT_MS * attempt);
    }
  }
}

/** Whether a statement was lost, so that it may or may not have run. */
export function isLost(error: unknown): boolean {
  const message = error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error);
  return LOST.test(message) && !OVERLOADED.test(message);
}
