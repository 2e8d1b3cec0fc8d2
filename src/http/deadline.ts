/** Something of ours answered too late: becomes `TEMPORARY_ERROR`. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
}

interface Alarm {
  readonly at: number;
  readonly ring: () => void;
}

/**
 * The time that an answer may take in all. Whatever is awaited through it fails once that time is over.
 *
 * It runs one timer however many wait, and none before somebody does: a call that is refused before costs none.
 */
export class Deadline {
  readonly #milliseconds: number;
  readonly #endsAt: number;
  readonly #alarms = new Set<Alarm>();
  #ringsAt = Number.POSITIVE_INFINITY;
  #freeTimer = () => {};
  #over: Promise<never> | undefined;

  /** @param milliseconds from now on */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
    this.#endsAt = performance.now() + milliseconds;
  }

  /** The promise's outcome, or {@link TooLate} if the deadline comes first. */
  race<T>(promise: Promise<T>): Promise<T> {
    this.#over ??= this.#alarm(this.#endsAt, this.#milliseconds).rung;
    return Promise.race([promise, this.#over]);
  }

  /** The promise's outcome, or {@link TooLate} if so many milliseconds from now come first, or the deadline. */
  async within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
    const at = Math.min(performance.now() + milliseconds, this.#endsAt);
    const { alarm, rung } = this.#alarm(at, milliseconds);
    try {
      return await Promise.race([promise, rung]);
    } finally {
      this.#alarms.delete(alarm);
    }
  }

  /** Frees the timer. To be called when the answer stands. */
  clear(): void {
    this.#freeTimer();
  }

  #alarm(at: number, milliseconds: number): { alarm: Alarm; rung: Promise<never> } {
    const { promise: rung, reject } = Promise.withResolvers<never>();
    // An alarm that rings while nobody waits for it is no failure.
    rung.catch(() => {});
    const alarm = { at, ring: () => reject(new TooLate(`no answer within ${milliseconds} ms`)) };
    this.#alarms.add(alarm);
    this.#setTimer(at);
    return { alarm, rung };
  }

  #setTimer(at: number): void {
    if (at >= this.#ringsAt) {
      return;
    }
    this.#freeTimer();
    this.#ringsAt = at;
    const timer = setTimeout(() => this.#ring(at), at - performance.now());
    this.#freeTimer = () => clearTimeout(timer);
  }

  #ring(now: number): void {
    this.#ringsAt = Number.POSITIVE_INFINITY;
    for (const alarm of this.#alarms) {
      if (alarm.at <= now) {
        this.#alarms.delete(alarm);
        alarm.ring();
      } else {
        this.#setTimer(alarm.at);
      }
    }
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
