interface Waiting {
  readonly share: number;
  readonly begin: () => void;
}

/** Bounds concurrent work: each piece takes a share, and waits in line until there is room for it. */
export class Shares {
  readonly #total: number;
  #taken = 0;
  #working = 0;
  readonly #waiting: Waiting[] = [];

  constructor(total: number) {
    this.#total = total;
  }

  /** @param asked a share above the total is cut to the total, so that the work runs alone */
  async within<T>(asked: number, work: () => Promise<T>): Promise<T> {
    const share = Math.min(asked, this.#total);
    await new Promise<void>((begin) => {
      this.#waiting.push({ share, begin });
      this.#beginNext();
    });
    try {
      return await work();
    } finally {
      this.#working -= 1;
      // Fractions leave a remainder, which would keep the largest waiting forever.
      this.#taken = this.#working === 0 ? 0 : this.#taken - share;
      this.#beginNext();
    }
  }

  #beginNext(): void {
    for (
      let [next] = this.#waiting;
      next !== undefined && this.#taken + next.share <= this.#total;
      [next] = this.#waiting
    ) {
      this.#waiting.shift();
      this.#taken += next.share;
      this.#working += 1;
      next.begin();
    }
  }
}
