/** Something took too long. Becomes `TEMPORARY_ERROR`. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** A wait, and when it is over, by the stopwatch. */
interface Limit {
  readonly endsAtMs: number;
  readonly expire: () => void;
}

/**
 * The time that an answer may take in all, with shorter limits for parts of it. Promises awaited through it
 * reject once its time is over. All waits share one timer, since timers cost CPU in every call.
 */
export class Deadline {
  readonly #milliseconds: number;
  #endsAtMs: number | undefined;
  readonly #limits = new Set<Limit>();
  #freeTimer = () => {};
  #firesAtMs = Number.POSITIVE_INFINITY;
  #isCleared = false;

  /** @param milliseconds counted from the first wait: a call that is refused earlier costs no timer */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /**
   * The promise's outcome, or {@link TimeoutError} if its time is over first.
   *
   * @param withinMs a shorter time than the deadline's, from now on
   */
  race<T>(promise: Promise<T>, withinMs = Number.POSITIVE_INFINITY): Promise<T> {
    if (this.#isCleared) {
      return promise;
    }
    const now = performance.now();
    this.#endsAtMs ??= now + this.#milliseconds;
    const endsAtMs = Math.min(this.#endsAtMs, now + withinMs);
    const over = Promise.withResolvers<never>();
    const limit: Limit = {
      endsAtMs,
      expire: () =>
        over.reject(new TimeoutError(`no answer within ${Math.min(withinMs, this.#milliseconds)} ms`)),
    };
    this.#limits.add(limit);
    this.#arm(endsAtMs);
    return Promise.race([promise, over.promise]).finally(() => this.#limits.delete(limit));
  }

  /** Frees the timer. Call it once the answer is ready: later work has no deadline. */
  clear(): void {
    this.#isCleared = true;
    this.#freeTimer();
  }

  #arm(atMs: number): void {
    if (atMs < this.#firesAtMs) {
      this.#freeTimer();
      this.#firesAtMs = atMs;
      const timer = setTimeout(() => this.#fire(), atMs - performance.now());
      this.#freeTimer = () => clearTimeout(timer);
    }
  }

  #fire(): void {
    const firedFor = this.#firesAtMs;
    this.#firesAtMs = Number.POSITIVE_INFINITY;
    for (const limit of this.#limits) {
      if (limit.endsAtMs <= firedFor) {
        limit.expire();
      } else {
        this.#arm(limit.endsAtMs);
      }
    }
  }
}

/** {@link Deadline} for a single promise. */
export async function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const deadline = new Deadline(milliseconds);
  try {
    return await deadline.race(promise);
  } finally {
    deadline.clear();
  }
}
