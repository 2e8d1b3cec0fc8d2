import { Temporal } from 'temporal-polyfill/implementation';
import { describe, expect, it, vi } from 'vitest';

import { DAY_MS, HOUR_MS, type Instant, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import { Memo } from '../../src/domain/memo.ts';
import { formatInstant, isTimeZone } from '../../src/domain/zoned-time.ts';
import { time } from './fixtures.ts';

const ZONES = [
  'Europe/Rome',
  'Atlantic/Azores',
  'Asia/Kolkata',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'UTC',
] as const;

function temporalWrites(at: Instant, timeZone: string): string {
  const fractionalSecondDigits = at % 1_000 === 0 ? 0 : 3;
  return Temporal.Instant.fromEpochMilliseconds(at).toString({ timeZone, fractionalSecondDigits });
}

describe('An instant in a zone', () => {
  it.each([
    ['before the spring change', '2026-03-29T00:59:59.999Z', '2026-03-29T01:59:59.999+01:00'],
    ['at the spring change', '2026-03-29T01:00:00Z', '2026-03-29T03:00:00+02:00'],
    ['in the first of two hours in autumn', '2026-10-25T00:30:00Z', '2026-10-25T02:30:00+02:00'],
    ['in the second of two hours in autumn', '2026-10-25T01:30:00Z', '2026-10-25T02:30:00+01:00'],
    ['with a fraction that ends in zeros', '2026-01-01T00:00:00.120Z', '2026-01-01T01:00:00.120+01:00'],
    ['with a millisecond', '2026-01-01T00:00:00.001Z', '2026-01-01T01:00:00.001+01:00'],
    ['without seconds', '2026-01-01T00:00Z', '2026-01-01T01:00:00+01:00'],
    ['in local mean time, to the nearest minute', '1860-01-01T00:00Z', '1860-01-01T00:49:56+00:50'],
  ])('is written as the clocks of Rome show it, %s', (_, utc, expected) => {
    expect(formatInstant(time(utc), 'Europe/Rome')).toBe(expected);
  });

  it('is written as the first or last second where the zone’s year would not have four digits', () => {
    expect(formatInstant(time('9999-12-31T23:59:59Z'), 'Europe/Rome')).toBe('9999-12-31T23:59:59+01:00');
    expect(formatInstant(time('9999-12-31T22:59:59Z'), 'Europe/Rome')).toBe('9999-12-31T23:59:59+01:00');
    expect(formatInstant(time('0000-01-01T00:00:00Z'), 'America/New_York')).toBe('0000-01-01T00:00:00-04:56');
  });

  it('is written with an offset in UTC too', () => {
    expect(formatInstant(time('2026-01-01T00:00Z'), 'UTC')).toBe('2026-01-01T00:00:00+00:00');
  });

  it.each([-1, 0, 253_402_300_799_999 - DAY_MS, -62_167_219_200_000 + DAY_MS])(
    'is written as Temporal writes it at the edges of the years (%d)',
    (ms) => {
      for (const zone of ZONES) {
        expect(formatInstant(instant(ms), zone)).toBe(temporalWrites(instant(ms), zone));
      }
    },
  );

  it.each(ZONES)(
    'is written as Temporal writes it, through the nights of 2026 that change clocks in %s',
    (zone) => {
      for (const night of [
        '2026-03-08',
        '2026-03-29',
        '2026-04-05',
        '2026-10-04',
        '2026-10-25',
        '2026-11-01',
      ]) {
        const midnight = time(`${night}T00:00Z`);
        for (let ms = -12 * HOUR_MS; ms < 12 * HOUR_MS; ms += 15 * MINUTE_MS) {
          for (const at of [instant(midnight + ms - 1), instant(midnight + ms), instant(midnight + ms + 1)]) {
            expect(formatInstant(at, zone)).toBe(temporalWrites(at, zone));
          }
        }
      }
    },
  );

  it('is written right where a zone changed its offset off the quarter hour', () => {
    // Liberia left its own time (-00:44:30) for UTC in the middle of a slot.
    const change = time('1972-01-07T00:44:30Z');
    expect(formatInstant(instant(change - 1), 'Africa/Monrovia')).toBe('1972-01-06T23:59:59.999-00:45');
    expect(formatInstant(change, 'Africa/Monrovia')).toBe('1972-01-07T00:44:30+00:00');
    for (const ms of [-MINUTE_MS, -1, 0, 1, MINUTE_MS]) {
      const at = instant(change + ms);
      expect(formatInstant(at, 'Africa/Monrovia')).toBe(temporalWrites(at, 'Africa/Monrovia'));
    }
  });

  it('stays right when the memo is full and starts over', () => {
    const start = time('2026-01-01T00:00Z');
    for (let slot = 0; slot < 5_000; slot += 1) formatInstant(instant(start + slot * 15 * MINUTE_MS), 'UTC');
    expect(formatInstant(start, 'UTC')).toBe('2026-01-01T00:00:00+00:00');
    for (const zone of Intl.supportedValuesOf('timeZone').slice(0, 70)) {
      expect(formatInstant(start, zone)).toBe(temporalWrites(start, zone));
    }
    expect(formatInstant(start, 'UTC')).toBe('2026-01-01T00:00:00+00:00');
  });

  it('is written by the polyfill, as in what is built: the runtime of the tests has no Temporal of its own', () => {
    expect('Temporal' in globalThis).toBe(false);
  });

  it('asks Temporal once for a quarter of an hour, and never again for any of its instants', () => {
    const remembered = vi.spyOn(Memo.prototype, 'set');
    for (const ms of [0, 1, 15 * MINUTE_MS - 1]) formatInstant(instant(ms), 'Asia/Tokyo');
    // Each answer is remembered under its quarter's number.
    expect(remembered.mock.calls.filter(([key]) => typeof key === 'number')).toHaveLength(1);
    vi.restoreAllMocks();
  });

  it('throws for a zone that does not exist', () => {
    expect(() => formatInstant(time('2026-01-01T00:00Z'), 'Europe/Atlantis')).toThrow(RangeError);
  });
});

describe('A time zone', () => {
  it.each(['Europe/Rome', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+1', 'Asia/Calcutta'])(
    'is %s',
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );

  it.each([
    '',
    ' ',
    'Europe',
    'Europe/Atlantis',
    'Europe/Rome ',
    ' Europe/Rome',
    '+01:00',
    '-03:30',
    '+01',
    'Z',
    '2026-03-10T12:00Z',
    'Rome',
    'europe/rome',
    'PST',
    'IST',
    'ist',
  ])('is not "%s"', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});
