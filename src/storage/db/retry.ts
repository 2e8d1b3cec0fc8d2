/** The messages of D1 for a statement that was lost on the way: it may be sent again if it is idempotent. */
const LOST = /network connection lost|object to be reset|code was updated|transient issue/i;
const OVERLOADED = /overloaded/i;
/** The first try, and two more. */
const MAX_TRIES = 3;
/** When somebody is waiting for the answer: the first try, and one more. */
export const TRIES_WHILE_WAITING = 2;
/** The longest wait before the second try, in milliseconds; twice that before the third. */
const FIRST_WAIT_MS = 100;

/**
 * Does something idempotent with the database, and tries again if it was lost on the way. It does not try again if the
 * database is overloaded, which would keep it overloaded.
 *
 * @param action called with the number of the try, from 1
 */
export async function retry<T>(action: (attempt: number) => Promise<T>, maxTries = MAX_TRIES): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action(attempt);
    } catch (error) {
      if (attempt === maxTries || !isLost(error)) {
        throw error;
      }
      await scheduler.wait(Math.random() * FIRST_WAIT_MS * attempt);
    }
  }
}

function isLost(error: unknown): boolean {
  const message = error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error);
  return LOST.test(message) && !OVERLOADED.test(message);
}
