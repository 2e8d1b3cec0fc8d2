/** Something of ours answered too late: becomes `TEMPORARY_ERROR`. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
}

/** The time that an answer may take in all. Whatever is awaited through it fails once that time is over. */
export class Deadline {
  readonly #milliseconds: number;
  #over: Promise<never> | undefined;
  #freeTimer = () => {};
  #isCleared = false;

  /** @param milliseconds from when somebody first waits: a call that is refused before costs no timer */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** The promise's outcome, or {@link TooLate} if the deadline comes first. */
  race<T>(promise: Promise<T>): Promise<T> {
    if (this.#isCleared) {
      return promise;
    }
    this.#over ??= this.#windUp();
    return Promise.race([promise, this.#over]);
  }

  /** Frees the timer. To be called when the answer stands: what goes on after it has no deadline any more. */
  clear(): void {
    this.#isCleared = true;
    this.#freeTimer();
  }

  #windUp(): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new TooLate(`no answer within ${this.#milliseconds} ms`)),
      this.#milliseconds,
    );
    this.#freeTimer = () => clearTimeout(timer);
    // A deadline that passes while nobody waits on it is no failure.
    promise.catch(() => {});
    return promise;
  }
}

/** {@link Deadline} for a single promise. */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const deadline = new Deadline(milliseconds);
  try {
    return await deadline.race(promise);
  } finally {
    deadline.clear();
  }
}
