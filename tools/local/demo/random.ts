/** Pseudorandom numbers that are the same at every start: mulberry32, seeded with a text by FNV-1a. */
export class Random {
  #state: number;

  constructor(seed: string) {
    this.#state = 0x811c9dc5;
    for (let at = 0; at < seed.length; at++) {
      this.#state = Math.imul(this.#state ^ seed.charCodeAt(at), 0x01000193);
    }
  }

  /** @returns an integer of at least 0 and less than the bound */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  }

  /** @returns true once in this many times */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }
}
