import { type Failure, failed } from '../result.ts';

/** The time that a call has, its further tries included, and its caller's own signal. */
export class TimeLimit {
  /** Ends when the time is up, or when the caller's signal says so. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #startedAt = performance.now();
  readonly #budgetMs: number;
  readonly #caller: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #onAbort = (): void => this.#controller.abort();

  /** @param budgetMs milliseconds from now */
  constructor(budgetMs: number, caller?: AbortSignal) {
    this.signal = this.#controller.signal;
    this.#budgetMs = budgetMs;
    this.#caller = caller;
    this.#timer = setTimeout(this.#onAbort, budgetMs);
    if (caller?.aborted) this.#controller.abort();
    else caller?.addEventListener('abort', this.#onAbort);
  }

  tookMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  remainingMs(): number {
    return this.#budgetMs - this.tookMs();
  }

  /** The failure of a call that this limit has ended. */
  failure(): Failure {
    return this.#caller?.aborted
      ? failed('unavailable', 'ABORTED', 'The caller ended the call.')
      : failed('unavailable', 'TIMED_OUT', `No answer came within ${this.#budgetMs} ms.`);
  }

  /**
   * Waits for something that may not know of the limit.
   *
   * @throws Error when the limit ends first
   */
  async within<T>(work: Promise<T>): Promise<T> {
    let stop: (() => void) | undefined;
    const ended = new Promise<never>((_, reject) => {
      stop = () => reject(new Error('the time limit has ended it'));
      if (this.signal.aborted) stop();
      else this.signal.addEventListener('abort', stop);
    });
    try {
      return await Promise.race([work, ended]);
    } finally {
      if (stop !== undefined) this.signal.removeEventListener('abort', stop);
      // The losing promise may still reject, with no handler left.
      work.catch(() => {});
      ended.catch(() => {});
    }
  }

  /** Waits for the time, or until the limit ends. */
  async wait(milliseconds: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const pause = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    try {
      await this.within(pause);
    } catch {
      // The caller checks the limit next.
    } finally {
      clearTimeout(timer);
    }
  }

  /** Frees the timer and the caller's signal. */
  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#onAbort);
  }
}
