import { type Change, limitWith } from '../../domain/daily-changes.ts';
import { type Instant, utcDay } from '../../domain/instant.ts';

/** What a batch adds to the day. */
export interface BatchCount {
  /** Days since 1970. */
  readonly day: number;
  readonly count: number;
  /** The most that may have been stored before it. Infinity for a batch that stores nothing. */
  readonly maxBefore: number;
}

/** The room of a batch: takes the changes that fit, and counts them. */
export class BatchRoom {
  readonly #used: number;
  #count = 0;
  #maxBefore = Number.POSITIVE_INFINITY;

  /** @param used how much the tenant has stored in the day */
  constructor(used: number) {
    this.#used = used;
  }

  /**
   * Takes a change in place of an earlier one of the same key, if there is room for it.
   *
   * @param earlier null if there is none
   * @returns whether there was
   */
  take(change: Change, earlier: Change | null): boolean {
    const count = this.#count - (earlier?.cost ?? 0) + change.cost;
    const maxBefore = limitWith(change.isEnding) - count;
    if (change.cost > 0 && this.#used > maxBefore) {
      return false;
    }
    this.#count = count;
    this.#maxBefore = Math.min(this.#maxBefore, maxBefore);
    return true;
  }

  get outcome(): Omit<BatchCount, 'day'> {
    return { count: this.#count, maxBefore: this.#maxBefore };
  }
}

/**
 * The room of a day as an import knows it: read once, then counted on with what the import stores. Other
 * imports may use it meanwhile: then the database refuses a batch without room, and the import reads the room
 * again. If two store the same change at once, each counts it here: at the very end of the room the later one
 * may be refused a few lines too many.
 */
export class DailyRoom {
  readonly #read: (day: number) => Promise<number>;
  #day = 0;
  #used: number | null = null;

  /** @param read how much the database has of a day */
  constructor(read: (day: number) => Promise<number>) {
    this.#read = read;
  }

  /** How much is stored before a batch that begins now. A batch counts on the day on which it begins. */
  async begin(now: Instant): Promise<number> {
    const day = utcDay(now);
    if (this.#used === null || day !== this.#day) {
      this.#day = day;
      this.#used = await this.#read(day);
    }
    return this.#used;
  }

  /**
   * Stores a batch. Where that fails, the room is read again.
   *
   * @param write does it, and counts it in the same transaction
   */
  async count(batch: Omit<BatchCount, 'day'>, write: (batch: BatchCount) => Promise<void>): Promise<void> {
    const used = this.#used;
    this.#used = null;
    await write({ ...batch, day: this.#day });
    this.#used = used === null ? null : used + batch.count;
  }
}
