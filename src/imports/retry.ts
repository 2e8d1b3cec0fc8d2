/** What D1 says when a statement was lost on the way, and is safe to send again if it is idempotent. */
const LOST = /network connection lost|object to be reset|code was updated|transient issue/i;
const OVERLOADED = /overloaded/i;
/** The first try, and two more. */
const MOST_TRIES = 3;
/** The longest wait before the second try, in milliseconds; twice that before the third. */
const FIRST_WAIT_MS = 100;

/**
 * Does something idempotent to the database, and does it again where it was lost on the way. What the database refuses
 * because it is overloaded is not sent again: that would keep it so.
 */
export async function retried<T>(action: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await action();
    } catch (error) {
      if (tries === MOST_TRIES || !isLost(error)) {
        throw error;
      }
      await scheduler.wait(Math.random() * FIRST_WAIT_MS * tries);
    }
  }
}

function isLost(error: unknown): boolean {
  const message = error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error);
  return LOST.test(message) && !OVERLOADED.test(message);
}
