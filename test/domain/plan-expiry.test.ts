import { describe, expect, it } from 'vitest';

import { parseCalendarDuration, planExpiry } from '../../src/domain/plan-expiry.ts';
import { time } from './fixtures.ts';

const ROME = 'Europe/Rome';

/** @param at and `expiry` as texts with their offset */
function expiryOf(at: string, expiry: string | null, duration: string, timeZone = ROME): string | null {
  const currentExpiry = expiry === null ? null : time(expiry);
  return planExpiry({ at: time(at), currentExpiry, duration, timeZone });
}

describe('The expiry of a plan', () => {
  it.each([
    ['P1D', '17:44 08/03/2026'],
    ['P1W', '17:44 14/03/2026'],
    ['P1M', '17:44 07/04/2026'],
    ['P1Y', '17:44 07/03/2027'],
    ['P1Y2M1W3D', '17:44 17/05/2027'],
  ])(
    'is the consultation plus %s for a title that has expired or was never activated: %s',
    (duration, expected) => {
      expect(expiryOf('2026-03-07T17:44:59.999+01:00', null, duration)).toBe(expected);
    },
  );

  it.each([
    ['P1D', '17:44 01/05/2026'],
    ['P1M', '17:44 30/05/2026'],
    ['P1Y', '17:44 30/04/2027'],
  ])(
    'is the date of the current expiry plus %s for an active title, at the time of the consultation: %s',
    (duration, expected) => {
      expect(expiryOf('2026-03-07T17:44:12+01:00', '2026-04-30T08:15+02:00', duration)).toBe(expected);
    },
  );

  it.each([
    ['31 January plus a month', '2026-01-31', 'P1M', '28/02/2026'],
    ['31 January plus a month, in a leap year', '2028-01-31', 'P1M', '29/02/2028'],
    ['31 January plus two months', '2026-01-31', 'P2M', '31/03/2026'],
    ['29 February plus a year', '2028-02-29', 'P1Y', '28/02/2029'],
    ['29 February plus four years', '2028-02-29', 'P4Y', '29/02/2032'],
    ['31 October plus a month', '2026-10-31', 'P1M', '30/11/2026'],
    ['31 December plus a day', '2026-12-31', 'P1D', '01/01/2027'],
    ['31 January plus a month and a day', '2026-01-31', 'P1M1D', '01/03/2026'],
  ])('keeps the end of a shorter month: %s', (_, date, duration, expected) => {
    expect(expiryOf(`${date}T12:00Z`, null, duration)).toMatch(expected);
    expect(expiryOf('2026-01-10T12:00Z', `${date}T12:00Z`, duration)).toBe(`13:00 ${expected}`);
  });

  it.each([
    ['does not exist on the day of expiry', '2026-03-28T02:30+01:00', 'P1D', '02:30 29/03/2026'],
    ['occurs twice on the day of expiry', '2026-10-24T02:30+02:00', 'P1D', '02:30 25/10/2026'],
    ['is the first of two', '2026-10-25T02:30+02:00', 'P1D', '02:30 26/10/2026'],
    ['is the second of two', '2026-10-25T02:30+01:00', 'P1D', '02:30 26/10/2026'],
    ['follows the gap', '2026-03-29T03:00+02:00', 'P1D', '03:00 30/03/2026'],
    ['precedes the gap', '2026-03-29T01:59:59+01:00', 'P1D', '01:59 30/03/2026'],
  ])('shows the time of the consultation also when it %s', (_, at, duration, expected) => {
    expect(expiryOf(at, null, duration)).toBe(expected);
  });

  it('shows a time that the day of a current expiry does not have', () => {
    expect(expiryOf('2026-03-10T02:30+01:00', '2026-03-28T12:00+01:00', 'P1D')).toBe('02:30 29/03/2026');
    expect(expiryOf('2026-10-10T02:30+02:00', '2026-10-24T12:00+02:00', 'P1D')).toBe('02:30 25/10/2026');
  });

  it.each([
    [ROME, '2026-06-30T22:30Z', '00:30 01/08/2026'],
    [ROME, '2026-06-30T21:59Z', '23:59 30/07/2026'],
    ['Atlantic/Azores', '2026-07-01T00:00Z', '00:00 01/08/2026'],
    ['Atlantic/Azores', '2026-01-01T00:30Z', '23:30 31/01/2026'],
    ['Asia/Kolkata', '2026-06-30T18:30Z', '00:00 01/08/2026'],
    ['Asia/Kolkata', '2026-06-30T18:29Z', '23:59 30/07/2026'],
    ['America/St_Johns', '2026-07-01T02:29Z', '23:59 30/07/2026'],
    ['Pacific/Kiritimati', '2026-01-30T10:00Z', '00:00 28/02/2026'],
  ])('goes by the local date in %s at %s: %s', (timeZone, at, expected) => {
    expect(expiryOf(at, null, 'P1M', timeZone)).toBe(expected);
    const noon = '2026-01-15T12:00Z';
    const [, date = ''] = expected.split(' ');
    // The same date, reached from a current expiry at that instant.
    expect(expiryOf(noon, at, 'P1M', timeZone)).toContain(date);
  });

  it('takes a current expiry at midnight for the day that begins', () => {
    expect(expiryOf('2026-03-07T12:00+01:00', '2026-04-01T00:00+02:00', 'P1M')).toBe('12:00 01/05/2026');
    expect(expiryOf('2026-03-07T12:00+01:00', '2026-03-31T23:59:59.999+02:00', 'P1M')).toBe(
      '12:00 30/04/2026',
    );
  });

  it('is none where the year has no four digits', () => {
    expect(expiryOf('2026-03-07T12:00+01:00', '9999-12-30T12:00Z', 'P1D')).toBe('12:00 31/12/9999');
    expect(expiryOf('2026-03-07T12:00+01:00', '9999-12-31T12:00Z', 'P1D')).toBeNull();
    expect(expiryOf('2026-03-07T12:00+01:00', null, 'P99999Y99999M99999W99999D')).toBeNull();
  });

  it('is none for what is not a duration', () => {
    expect(expiryOf('2026-03-07T12:00+01:00', null, 'a month')).toBeNull();
  });
});

describe('A calendar duration', () => {
  it.each([
    ['P1D', { days: 1 }],
    ['P2W', { weeks: 2 }],
    ['P12M', { months: 12 }],
    ['P1Y', { years: 1 }],
    ['P12345Y', { years: 12_345 }],
    ['P12345M', { months: 12_345 }],
    ['P12345W', { weeks: 12_345 }],
    ['P12345D', { days: 12_345 }],
    ['P1Y2M3W4D', { years: 1, months: 2, weeks: 3, days: 4 }],
    ['P0Y1M', { months: 1 }],
    ['P01M', { months: 1 }],
  ])('is %s', (text, units) => {
    expect(parseCalendarDuration(text)).toMatchObject({ years: 0, months: 0, weeks: 0, days: 0, ...units });
  });

  it.each([
    '',
    'P',
    'P0D',
    'P0Y0M',
    'p1m',
    'P1m',
    'P1H',
    'PT1H',
    'P1DT1H',
    'P1.5M',
    'P1,5M',
    '-P1M',
    'P-1M',
    'P1M1Y',
    'P1D1W',
    ' P1M',
    'P1M ',
    'P1M\n',
    'P١M',
    'P100000Y',
    'P100000M',
    'P100000W',
    'P100000D',
    '1M',
    'P1',
  ])('is not %j', (text) => {
    expect(parseCalendarDuration(text)).toBeNull();
  });
});
