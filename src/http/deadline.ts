/** Something of ours answered too late: becomes `TEMPORARY_ERROR`. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
}

/** The time that an answer may take in all. Whatever is awaited through it fails once that time is over. */
export class Deadline {
  /** Frees the timer. To be called when the answer stands. */
  readonly clear: () => void;
  readonly #over: Promise<never>;

  /** @param milliseconds from now on */
  constructor(milliseconds: number) {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new TooLate(`no answer within ${milliseconds} ms`)), milliseconds);
    this.clear = () => clearTimeout(timer);
    this.#over = promise;
    // A deadline that passes while nobody waits on it is no failure.
    promise.catch(() => {});
  }

  /** The promise's outcome, or {@link TooLate} if the deadline comes first. */
  race<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#over]);
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
