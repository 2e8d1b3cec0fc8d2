interface Waiting {
  readonly share: number;
  readonly begin: () => void;
}

/** Bounds what is done at the same time: each work takes a share, and waits in line until there is room for it. */
export class Shares {
  readonly #total: number;
  #taken = 0;
  #working = 0;
  readonly #waiting: Waiting[] = [];

  constructor(total: number) {
    this.#total = total;
  }

  /** @param asked one that is greater than the total is taken for the total: such a work is done alone */
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
      // Fractions leave a rest, for which the greatest would never have room.
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
