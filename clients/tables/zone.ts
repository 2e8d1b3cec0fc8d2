import { Temporal } from 'temporal-polyfill/implementation';
import { SECOND_MS } from '../../src/domain/instant.ts';
import { Memo } from '../../src/domain/memo.ts';

/** The time on a wall clock. */
export interface WallClock {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/**
 * Which instant a wall-clock time means if it occurs twice, or not at all, in the night of a clock change:
 * the earlier or the later one.
 */
export type Side = 'earlier' | 'later';

/** Of each side: two months, in whatever order the rows of a file come. */
const MAX_MINUTES = 100_000;

/**
 * Turns wall-clock times of one time zone into instants. The calendar is slow to answer, and the rows of a file ask for the
 * same minutes: it is asked once for each.
 */
export class Zone {
  readonly name: string;
  readonly #minutes: Readonly<Record<Side, Memo<number, number>>> = {
    earlier: new Memo(MAX_MINUTES),
    later: new Memo(MAX_MINUTES),
  };

  /** @param name of the IANA database, such as `Europe/Rome` */
  constructor(name: string) {
    this.name = name;
  }

  /** @returns milliseconds since the epoch */
  instantOf({ year, month, day, hour, minute, second }: WallClock, side: Side): number {
    const asUtc = Date.UTC(year, month - 1, day, hour, minute);
    let begins = this.#minutes[side].get(asUtc);
    if (begins === undefined) {
      const shown = new Date(asUtc).toISOString().slice(0, -1);
      const zoned = Temporal.PlainDateTime.from(shown).toZonedDateTime(this.name, { disambiguation: side });
      begins = zoned.epochMilliseconds;
      this.#minutes[side].set(asUtc, begins);
    }
    return begins + second * SECOND_MS;
  }
}
