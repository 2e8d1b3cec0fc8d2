import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Longer than a decision takes. */
const WINDOW_MS = 2_500;

/** How late this process's timers have been lately: what a busy machine adds to every time that is measured in it. */
export class Lateness {
  readonly #loop = monitorEventLoopDelay({ resolution: 10 });
  readonly #timer: ReturnType<typeof setInterval>;
  #windowBeforeMs = 0;

  constructor() {
    this.#loop.enable();
    this.#timer = setInterval(() => {
      this.#windowBeforeMs = this.#loop.max / 1e6;
      this.#loop.reset();
    }, WINDOW_MS);
  }

  /** The most of the last seconds. */
  recentMs(): number {
    return Math.max(this.#windowBeforeMs, this.#loop.max / 1e6);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#loop.disable();
  }
}
