import type { Random } from '../domain/random.ts';

/**
 * Lets several runs go on one step at a time: once each of them waits for its turn, one is picked. What their seed
 * makes of them can so be made again.
 */
export class Turns {
  readonly #random: Random;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** Runs them all, and returns what they return, in their order. */
  all<Result>(runs: readonly (() => Promise<Result>)[]): Promise<Result[]> {
    this.#running = runs.length;
    return Promise.all(
      runs.map(async (run) => {
        try {
          return await run();
        } finally {
          this.#running -= 1;
          this.#pick();
        }
      }),
    );
  }

  /** Waits for its turn. To be called by the runs alone, each before a step. */
  next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.#pick();
    return promise;
  }

  #pick(): void {
    if (this.#waiting.length > 0 && this.#waiting.length === this.#running) {
      const [picked] = this.#waiting.splice(this.#random.below(this.#waiting.length), 1);
      picked?.();
    }
  }
}
