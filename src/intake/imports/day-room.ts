import { type Change, limitWith } from '../../domain/daily-changes.ts';
import { type Instant, utcDay } from '../../domain/instant.ts';

/** A tenant's daily limit, and how much it has stored in a UTC day. */
export interface DayRoom {
  /** Null: no limit. */
  readonly dailyChanges: number | null;
  readonly used: number;
}

/** What a batch adds to the day. */
export interface BatchCount {
  /** Days since 1970. */
  readonly day: number;
  readonly count: number;
  /** The most that may have been stored before it, or infinity. */
  readonly maxBefore: number;
}

/** The room of a batch: takes the changes that fit, and counts them. */
export class BatchRoom {
  readonly #room: DayRoom;
  #count = 0;
  #maxBefore = Number.POSITIVE_INFINITY;

  constructor(room: DayRoom) {
    this.#room = room;
  }

  /**
   * Takes a change in place of an earlier one of the same key, if there is room for it.
   *
   * @param earlier null if there is none
   * @returns whether there was
   */
  take(change: Change, earlier: Change | null): boolean {
    const count = this.#count - (earlier?.cost ?? 0) + change.cost;
    const maxBefore = limitWith(change.isEnding, this.#room.dailyChanges) - count;
    if (change.cost > 0 && this.#room.used > maxBefore) {
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
  readonly #read: (day: number) => Promise<DayRoom>;
  #day = 0;
  #room: DayRoom | null = null;

  /** @param read what the database says of a day */
  constructor(read: (day: number) => Promise<DayRoom>) {
    this.#read = read;
  }

  /** What a batch that begins now may store. A batch counts on the day on which it begins. */
  async begin(now: Instant): Promise<DayRoom> {
    const day = utcDay(now);
    if (this.#room === null || day !== this.#day) {
      this.#day = day;
      this.#room = await this.#read(day);
    }
    return this.#room;
  }

  /**
   * Stores a batch. Where that fails, the room is read again.
   *
   * @param write does it, and counts it in the same transaction
   */
  async count(batch: Omit<BatchCount, 'day'>, write: (batch: BatchCount) => Promise<void>): Promise<void> {
    const room = this.#room;
    this.#room = null;
    await write({ ...batch, day: this.#day });
    this.#room = room && { ...room, used: room.used + batch.count };
  }
}
