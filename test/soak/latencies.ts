/** Latencies of one stretch of time, in milliseconds. */
export class Latencies {
  readonly #values: number[] = [];

  add(milliseconds: number): void {
    this.#values.push(milliseconds);
  }

  /** These and others together. */
  with(others: Latencies): Latencies {
    const together = new Latencies();
    together.#values.push(...this.#values, ...others.#values);
    return together;
  }

  get count(): number {
    return this.#values.length;
  }

  /** The latency that this part of the calls stayed below: 0.99 for the 99th percentile. NaN without calls. */
  quantile(part: number): number {
    const sorted = this.#values.toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
  }
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
