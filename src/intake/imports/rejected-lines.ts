import type { NumberedLine } from './ndjson.ts';
import type { Rejection } from './rejection.ts';

/** Where a line is in its file. */
export type LinePlace = Pick<NumberedLine, 'number' | 'from'>;

/** A line that was rejected, and why, unless reading it again shows that. */
export interface RejectedLine extends LinePlace {
  readonly rejection?: Rejection;
}

/** The lines that an import has rejected: all of them counted, the first ones known, in whatever order they come. */
export class RejectedLines {
  readonly #max: number;
  #lines: RejectedLine[] = [];
  count = 0;

  /** @param max how many of them are listed */
  constructor(max: number) {
    this.#max = max;
  }

  add(line: RejectedLine): void {
    this.count += 1;
    this.#lines.push(line);
    if (this.#lines.length >= 2 * this.#max) {
      this.#lines = this.first();
    }
  }

  /** The first ones, in the order of the file. */
  first(): RejectedLine[] {
    return this.#lines.sort((a, b) => a.number - b.number).slice(0, this.#max);
  }
}
