import { Temporal } from 'temporal-polyfill/implementation';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
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

/** A thousand hours of each side: the sessions of a file are mostly of the same weeks. */
const MAX_HOURS = 4_096;

/**
 * Turns wall-clock times of one time zone into instants. A hundred thousand rows a second ask the same few hours, and
 * the calendar is slow to answer: it is asked once an hour of the wall clock.
 */
export class Zone {
  readonly name: string;
  /** Milliseconds between the wall clock, read as UTC, and the instant. */
  readonly #offsets = new Memo<number, number>(MAX_HOURS);

  /** @param name of the IANA database, such as `Europe/Rome` */
  constructor(name: string) {
    this.name = name;
  }

  /** @returns milliseconds since the epoch */
  instantOf(clock: WallClock, side: Side): number {
    const { year, month, day, hour, minute, second } = clock;
    const hourAsUtc = Date.UTC(year, month - 1, day, hour);
    const asUtc = hourAsUtc + minute * MINUTE_MS + second * SECOND_MS;
    const known = this.#offsets.get(hourAsUtc);
    if (known !== undefined) return asUtc - known;

    const first = this.#offsetAt(hourAsUtc, side);
    // The offset is the same before and after this hour, so it holds for the whole hour.
    const isSteady =
      first === this.#offsetAt(hourAsUtc - HOUR_MS, 'earlier') &&
      first === this.#offsetAt(hourAsUtc + 2 * HOUR_MS, 'later') &&
      first === this.#offsetAt(hourAsUtc + HOUR_MS, side === 'earlier' ? 'later' : 'earlier');
    if (!isSteady) return asUtc - this.#offsetAt(asUtc, side);
    this.#offsets.set(hourAsUtc, first);
    return asUtc - first;
  }

  #offsetAt(wallClockAsUtc: number, side: Side): number {
    const shown = new Date(wallClockAsUtc).toISOString().slice(0, -1);
    const zoned = Temporal.PlainDateTime.from(shown).toZonedDateTime(this.name, { disambiguation: side });
    return wallClockAsUtc - zoned.epochMilliseconds;
  }
}
