/** A workbook that cannot be read: damaged, made to do harm, or larger than one may be. */
export class BrokenWorkbook extends Error {
  readonly why: 'damaged' | 'too large';

  constructor(why: BrokenWorkbook['why'], message: string) {
    super(message);
    this.why = why;
  }
}

export const damaged = (message: string): BrokenWorkbook => new BrokenWorkbook('damaged', message);
