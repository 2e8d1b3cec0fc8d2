/** What D1 says when a statement was lost on the way, and is safe to send again if it is idempotent. */
const LOST = /network connection lost|object to be reset|code was updated|transient issue/i;
const OVERLOADED = /overloaded/i;
/** The first try, and two more. */
const MOST_TRIES = 3;
/** For whom somebody waits: the first try, and one more. */
export const ONCE_MORE = 2;
/** The longest wait before the second try, in milliseconds; twice that before the third. */
const FIRST_WAIT_MS = 100;

/**
 * Does something idempotent to the database, and does it again where it was lost on the way. What the database refuses
 * because it is overloaded is not sent again: that would keep it so.
 *
 * @param action told which try it is, from 1
 */
export async function retried<T>(
  action: (attempt: number) => Promise<T>,
  mostTries = MOST_TRIES,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action(attempt);
    } catch (error) {
      if (attempt === mostTries || !isLost(error)) {
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
