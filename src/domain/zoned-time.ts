import { HOUR_MS, type Instant, instant, MINUTE_MS, SECOND_MS, toWritable } from './instant.ts';
import { Memo } from './memo.ts';

/**
 * Zones change their offset on the quarter hour, so that an offset nearly always holds for a whole slot of this length.
 */
const SLOT_MS = 15 * MINUTE_MS;

/** What is remembered: 64 zones, and per zone some 40 days of slots. */
const MAX_ZONES = 64;
const MAX_SLOTS = 4_096;

interface Zone {
  readonly clock: Intl.DateTimeFormat;
  /** Slot number to offset in milliseconds. Asking the clock costs ten times as much. */
  readonly offsets: Memo<number, number>;
}

const knownZones = new Memo<string, Zone>(MAX_ZONES);

/** As a clock writes it: `GMT`, `GMT+01:00` or, long ago, `GMT+00:49:56`. */
const OFFSET = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Names of the runtime's own that IANA does not have, such as `PST`; some mean another zone elsewhere. */
const NOT_IANA = /^(AC|AE|AG|AR|AS|BE|BS|CA|CN|CS|CT|EA|EC|IE|IS|JS|MI|NE|NS|PL|PN|PR|PS|SS|VS)T$/i;

/**
 * Writes an instant as the clocks of a zone show it, as `Temporal.Instant.toString({ timeZone })` would, but with three
 * digits where there is a fraction. A year without four digits, which no client reads, is written as the first or last
 * second that has them, so that no stored date makes an answer fail.
 *
 * @param timeZone an IANA name, such as `Europe/Rome`
 * @returns ISO 8601 with the zone's offset: `2026-03-29T03:00:00+02:00`, or `2026-03-29T03:00:00.120+02:00`.
 * @throws RangeError when there is no such zone.
 */
export function formatInstant(at: Instant, timeZone: string): string {
  const offset = offsetAt(at, timeZone);
  const wallClock = new Date(toWritable(at + offset)).toISOString();
  return wallClock.slice(0, -'.000Z'.length) + formatFraction(wallClock) + formatOffset(offset);
}

/**
 * Reads the runtime's calendar data, which the first zoned instant of an isolate would otherwise wait for: some 20 ms of
 * CPU. Later zones cost microseconds.
 */
export function prepareTimeZones(): void {
  formatInstant(instant(0), 'Europe/Rome');
}

/**
 * Whether a name is that of an IANA time zone. An offset (`+01:00`) is not: it has no clock changes.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name) || NOT_IANA.test(name)) return false;
  try {
    zoneOf(name);
    return true;
  } catch {
    return false;
  }
}

/** @returns the zone's offset from UTC in milliseconds, positive east of Greenwich. */
export function offsetAt(at: Instant, timeZone: string): number {
  const { clock, offsets } = zoneOf(timeZone);
  const slot = Math.floor(at / SLOT_MS);
  const known = offsets.get(slot);
  if (known !== undefined) return known;

  const slotStart = slot * SLOT_MS;
  const first = readOffset(clock, slotStart);
  const last = readOffset(clock, slotStart + SLOT_MS - 1);
  // The offset changes within the slot, as it did long ago. Such a slot is not remembered.
  if (first !== last) return readOffset(clock, at);

  offsets.set(slot, first);
  return first;
}

/** @throws RangeError when there is no such zone */
function zoneOf(timeZone: string): Zone {
  const known = knownZones.get(timeZone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const zone = { clock, offsets: new Memo<number, number>(MAX_SLOTS) };
  knownZones.set(timeZone, zone);
  return zone;
}

function readOffset(clock: Intl.DateTimeFormat, ms: number): number {
  const { value = '' } = clock.formatToParts(ms).find(({ type }) => type === 'timeZoneName') ?? {};
  const fields = OFFSET.exec(value);
  if (fields === null) throw new Error(`the runtime writes an offset from UTC otherwise: "${value}"`);
  const [, sign, hours = 0, minutes = 0, seconds = 0] = fields;
  const size = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
  return sign === '-' ? -size : size;
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
