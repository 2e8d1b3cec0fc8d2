import { describe, expect, it } from 'vitest';

import {
  instant,
  isInRange,
  isWritable,
  LAST_INSTANT,
  parseInstant,
  toWritable,
} from '../../src/domain/instant.ts';

describe('An instant', () => {
  it.each([
    ['to the minute', '2026-03-10T12:00Z', Date.UTC(2026, 2, 10, 12)],
    ['to the second', '2026-03-10T12:00:59Z', Date.UTC(2026, 2, 10, 12, 0, 59)],
    ['with a positive offset', '2026-03-10T12:00+01:00', Date.UTC(2026, 2, 10, 11)],
    ['with a negative offset of half an hour', '2026-03-10T12:00-03:30', Date.UTC(2026, 2, 10, 15, 30)],
    ['with an offset that changes the year', '2026-01-01T00:00+14:00', Date.UTC(2025, 11, 31, 10)],
    ['with the furthest offset', '2026-03-10T12:00+23:59', Date.UTC(2026, 2, 9, 12, 1)],
    ['with an offset of zero', '2026-03-10T12:00+00:00', Date.UTC(2026, 2, 10, 12)],
    ['with a basic offset', '2026-03-10T12:00+0130', Date.UTC(2026, 2, 10, 10, 30)],
    ['with a negative basic offset', '2026-03-10T12:00:00-0330', Date.UTC(2026, 2, 10, 15, 30)],
    ['with an offset to the hour', '2026-03-10T12:00+01', Date.UTC(2026, 2, 10, 11)],
    ['with a negative offset to the hour', '2026-03-10T12:00:00.5-10', Date.UTC(2026, 2, 10, 22) + 500],
    ['with one digit of a fraction', '2026-03-10T12:00:00.5Z', Date.UTC(2026, 2, 10, 12) + 500],
    ['with a decimal comma', '2026-03-10T12:00:00,5Z', Date.UTC(2026, 2, 10, 12) + 500],
    ['with a decimal comma and an offset', '2026-03-10T12:00:00,007+0100', Date.UTC(2026, 2, 10, 11) + 7],
    ['with milliseconds', '2026-03-10T12:00:00.007Z', Date.UTC(2026, 2, 10, 12) + 7],
    ['with nanoseconds, floored', '2026-03-10T12:00:00.999999999Z', Date.UTC(2026, 2, 10, 12) + 999],
    ['with nanoseconds before 1970, floored', '1969-12-31T23:59:59.999999999Z', -1],
    ['just before 1970, floored to the earlier one', '1969-12-31T23:59:59.998500000Z', -2],
    ['on a leap day', '2024-02-29T00:00Z', Date.UTC(2024, 1, 29)],
    ['on the leap day of a year that 400 divides', '2000-02-29T00:00Z', Date.UTC(2000, 1, 29)],
    ['in the first century', '0050-06-01T00:00Z', Date.parse('0050-06-01T00:00:00Z')],
    ['in the year 0', '0000-02-29T00:00Z', Date.parse('0000-02-29T00:00:00Z')],
    ['at the end of the year 9999', '9999-12-31T23:59:59.999Z', Date.parse('9999-12-31T23:59:59.999Z')],
  ])('is read %s', (_, text, expected) => {
    expect(parseInstant(text)).toBe(expected);
  });

  it.each([
    ['empty', ''],
    ['without an offset', '2026-03-10T12:00:00'],
    ['a date and an offset', '2026-03-10Z'],
    ['to the hour', '2026-03-10T12Z'],
    ['with a bracketed zone', '2026-03-10T12:00:00+01:00[Europe/Rome]'],
    ['in the basic form', '20260310T120000Z'],
    ['with a basic time', '2026-03-10T1200Z'],
    ['with an offset of one digit', '2026-03-10T12:00+1'],
    ['with an offset of three digits', '2026-03-10T12:00+010'],
    ['with an offset of five digits', '2026-03-10T12:00+01000'],
    ['with Z and an offset', '2026-03-10T12:00Z+01'],
    ['with an offset to the second', '2026-03-10T12:00+01:00:00'],
    ['in a year of five digits', '10000-01-01T00:00Z'],
    ['on 30 February', '2026-02-30T12:00Z'],
    ['on 29 February of a common year', '2026-02-29T12:00Z'],
    ['on 29 February 1900', '1900-02-29T12:00Z'],
    ['on day 0', '2026-03-00T12:00Z'],
    ['in month 0', '2026-00-10T12:00Z'],
    ['in month 13', '2026-13-10T12:00Z'],
    ['at hour 24', '2026-03-10T24:00Z'],
    ['at minute 60', '2026-03-10T12:60Z'],
    ['at second 60', '2026-03-10T12:00:60Z'],
    ['with an offset of 24 hours', '2026-03-10T12:00+24:00'],
    ['with an offset of 60 minutes', '2026-03-10T12:00+01:60'],
    ['with a basic offset of 24 hours', '2026-03-10T12:00+2400'],
    ['with an offset of 24 hours, to the hour', '2026-03-10T12:00+24'],
    ['with a fraction of ten digits', '2026-03-10T12:00:00.1234567890Z'],
    ['with an empty fraction', '2026-03-10T12:00:00.Z'],
    ['with a point and a comma', '2026-03-10T12:00:00.,5Z'],
    ['with a fraction of a minute', '2026-03-10T12:00.5Z'],
    ['with a space for the T', '2026-03-10 12:00Z'],
    ['with a lower-case t', '2026-03-10t12:00Z'],
    ['with a lower-case z', '2026-03-10T12:00z'],
    ['with a typographic minus', '2026-03-10T12:00−01:00'],
    ['with a month of one digit', '2026-3-10T12:00Z'],
    ['with blanks before it', ' 2026-03-10T12:00Z'],
    ['with a line feed behind it', '2026-03-10T12:00Z\n'],
    ['a week date', '2026-W11-2T12:00Z'],
  ])('is refused %s', (_, text) => {
    expect(parseInstant(text)).toBeNull();
  });

  it.each([0, -1, 1.7e12, 8.64e15, -8.64e15])('is made of the whole number of milliseconds %d', (ms) => {
    expect(instant(ms)).toBe(ms);
  });

  it.each([Number.NaN, Infinity, 0.5, 8.64e15 + 1, -8.64e15 - 1])('is never made of %d', (ms) => {
    expect(() => instant(ms)).toThrow(new RangeError(`not an instant in whole milliseconds: ${ms}`));
  });
});

describe('The range of instants', () => {
  it.each([
    ['before 1970', -1, false],
    ['with 1970', 0, true],
    ['at noon of a day', Date.UTC(2026, 2, 10, 12), true],
    ['with the year 9999', LAST_INSTANT, true],
    ['after the year 9999', Date.UTC(10_000, 0, 1), false],
  ])('begins with 1970 and ends with the year 9999: %s', (_, ms, isIn) => {
    expect(isInRange(instant(ms))).toBe(isIn);
  });
});

describe('A wall clock', () => {
  const FIRST = Date.parse('0000-01-01T00:00:00.000Z');
  const LAST = Date.parse('9999-12-31T23:59:59.999Z');

  it.each([
    ['a millisecond before the year 0', FIRST - 1, false, FIRST],
    ['at the beginning of the year 0', FIRST, true, FIRST],
    ['a millisecond later', FIRST + 1, true, FIRST + 1],
    ['a millisecond before the end of 9999', LAST - 1, true, LAST - 1],
    ['at the end of 9999', LAST, true, LAST],
    ['a millisecond after it', LAST + 1, false, LAST - 999],
  ])('can be written with a year of four digits, or the nearest second can: %s', (_, ms, can, nearest) => {
    expect([isWritable(ms), toWritable(ms)]).toEqual([can, nearest]);
  });
});
