import type { NumberedLine } from './ndjson.ts';

/** Where a line stands. */
export type LinePlace = Pick<NumberedLine, 'number' | 'from'>;

/** The lines that an import has rejected: all of them counted, the first ones known, in whatever order they come. */
export class RejectedLines {
  readonly #most: number;
  #lines: LinePlace[] = [];
  count = 0;

  /** @param most how many of them are to be told */
  constructor(most: number) {
    this.#most = most;
  }

  add({ number, from }: LinePlace): void {
    this.count += 1;
    this.#lines.push({ number, from });
    if (this.#lines.length >= 2 * this.#most) {
      this.#lines = this.first();
    }
  }

  /** The first ones, in the order of the file. */
  first(): LinePlace[] {
    return this.#lines.sort((a, b) => a.number - b.number).slice(0, this.#most);
  }
}
