/** Something that we waited for did not come in time: becomes `TEMPORARY_ERROR`. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** The time that an answer may take in all. Whatever is awaited through it fails once that time is over. */
export class Deadline {
  readonly #milliseconds: number;
  #over: Promise<never> | undefined;
  #freeTimer = () => {};
  #isCleared = false;

  /** @param milliseconds counted from the first wait, so that a call that is refused before costs no timer */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** The promise's outcome, or {@link TimeoutError} if the deadline comes first. */
  race<T>(promise: Promise<T>): Promise<T> {
    if (this.#isCleared) {
      return promise;
    }
    this.#over ??= this.#start();
    return Promise.race([promise, this.#over]);
  }

  /** Frees the timer. To be called once the answer is ready: what continues after it has no deadline. */
  clear(): void {
    this.#isCleared = true;
    this.#freeTimer();
  }

  #start(): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new TimeoutError(`no answer within ${this.#milliseconds} ms`)),
      this.#milliseconds,
    );
    this.#freeTimer = () => clearTimeout(timer);
    // A deadline that passes while nobody waits for anything is no failure.
    promise.catch(() => {});
    return promise;
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
