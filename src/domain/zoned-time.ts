import { fromEpochMilliseconds, toZonedDateTimeISO } from 'temporal-polyfill/fns/Instant';
import { create, offsetNanoseconds } from 'temporal-polyfill/fns/ZonedDateTime';
import { DAY_MS, type Instant, instant, LAST_INSTANT, MINUTE_MS, toWritable } from './instant.ts';
import { Memo } from './memo.ts';

/**
 * Time zones change their offset on the quarter hour, so that an offset nearly always holds for a whole slot of this length.
 */
const SLOT_MS = 15 * MINUTE_MS;

/** The cache's bounds: 64 time zones, and some 40 days of slots for each. */
const MAX_TIME_ZONES = 64;
const MAX_SLOTS = 4_096;

/** Slot number to offset in milliseconds, per time zone. Asking Temporal costs several µs, this a tenth. */
const knownOffsets = new Memo<string, Memo<number, number>>(MAX_TIME_ZONES);

/**
 * Writes an instant as the clocks of a time zone show it, as `Temporal.Instant.toString({ timeZone })` would, but with three
 * digits where there is a fraction. A year without four digits, which no client reads, is written as the first or last
 * second that has them, so that no stored date makes an answer fail.
 *
 * @param timeZone an IANA name, such as `Europe/Rome`
 * @returns ISO 8601 with the time zone's offset: `2026-03-29T03:00:00+02:00`, or `2026-03-29T03:00:00.120+02:00`.
 * @throws RangeError when there is no such time zone.
 */
export function formatInstant(at: Instant, timeZone: string): string {
  const offset = offsetAt(at, timeZone);
  const wallClock = new Date(toWritable(at + offset)).toISOString();
  return wallClock.slice(0, -'.000Z'.length) + formatFraction(wallClock) + formatOffset(offset);
}

/**
 * Whether a stretch of time has a length once both its ends are written by {@link formatInstant}. One that lies wholly beyond
 * the calendar, by the clocks of the time zone, has none.
 */
export function isWrittenWithLength(from: Instant, until: Instant, timeZone: string): boolean {
  const written = (at: Instant) => {
    const offset = offsetAt(at, timeZone);
    return toWritable(at + offset) - offset;
  };
  return from < LAST_INSTANT - DAY_MS || written(from) < written(until);
}

/**
 * Reads the runtime's calendar data, which the first zoned instant of an isolate would otherwise wait for: some 20 ms of
 * CPU. Later time zones cost microseconds.
 */
export function prepareTimeZones(): void {
  formatInstant(instant(0), 'Europe/Rome');
}

/**
 * Whether a name is that of an IANA time zone, spelled as IANA does: clients look it up in tables of their own, not all of which
 * ignore case. An offset (`+01:00`) is none: it has no clock changes.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return create(0n, name).timeZoneId === name;
  } catch {
    return false;
  }
}

/** @returns the time zone's offset from UTC in milliseconds, positive east of Greenwich. */
export function offsetAt(at: Instant, timeZone: string): number {
  const slot = Math.floor(at / SLOT_MS);
  const known = knownOffsets.get(timeZone)?.get(slot);
  if (known !== undefined) return known;

  const slotStart = slot * SLOT_MS;
  const first = computeOffset(slotStart, timeZone);
  const last = computeOffset(slotStart + SLOT_MS - 1, timeZone);
  // The offset changes within the slot, as it did long ago. Such a slot is not remembered.
  if (first !== last) return computeOffset(at, timeZone);

  remember(timeZone, slot, first);
  return first;
}

function computeOffset(ms: number, timeZone: string): number {
  return offsetNanoseconds(toZonedDateTimeISO(fromEpochMilliseconds(ms), timeZone)) / 1e6;
}

function remember(timeZone: string, slot: number, offset: number): void {
  const slots = knownOffsets.get(timeZone) ?? new Memo<number, number>(MAX_SLOTS);
  slots.set(slot, offset);
  knownOffsets.set(timeZone, slots);
}

/** @returns the fraction of a second with its point, always of three digits, or nothing when it is zero. */
function formatFraction(isoText: string): string {
  const fraction = isoText.slice(-'.000Z'.length, -'Z'.length);
  return fraction === '.000' ? '' : fraction;
}

/** @returns `±HH:MM`. Offsets with seconds (local mean times of the 19th century) are shown to the nearest minute. */
function formatOffset(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / MINUTE_MS);
  const hh = String(Math.floor(minutes / 60)).padStart(2, '0');
  const mm = String(minutes % 60).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${hh}:${mm}`;
}
