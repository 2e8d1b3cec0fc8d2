import { describe, expect, it } from 'vitest';
import {
  nextPaymentChange,
  type PaidSpan,
  type PaymentCalendar,
  paymentDue,
} from '../../src/domain/patrol/paid-hours.ts';
import { weekOf } from '../../src/domain/patrol/paid-week.ts';
import { time } from './fixtures.ts';

const WORKDAYS: PaidSpan = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', to: '20:00' };
const NIGHT: PaidSpan = { days: ['sat', 'sun'], from: '00:00', to: '24:00' };
const EARLY: PaidSpan = { days: ['sun'], from: '02:15', to: '02:45' };
const HOLIDAY: PaidSpan = { days: ['holiday'], from: '10:00', to: '12:00' };

const calendar = (
  paidHours: readonly PaidSpan[] | null,
  holidays: readonly string[] = [],
  timeZone = 'Europe/Rome',
): PaymentCalendar => ({ paidHours, holidays, timeZone });

/** `2026-03-10` is a Tuesday; the clock is put forward on 29 March at 02:00, and back on 25 October at 03:00. */
const DUE: readonly [string, PaymentCalendar, instant: string, expected: boolean][] = [
  ['without hours', calendar(null), '2026-03-10T03:00+01:00', true],
  ['with no hours at all', calendar([]), '2026-03-10T10:00+01:00', false],
  ['a millisecond before the first hour', calendar([WORKDAYS]), '2026-03-10T07:59:59.999+01:00', false],
  ['at the start of the hours', calendar([WORKDAYS]), '2026-03-10T08:00+01:00', true],
  ['a millisecond before the end', calendar([WORKDAYS]), '2026-03-10T19:59:59.999+01:00', true],
  ['at the end', calendar([WORKDAYS]), '2026-03-10T20:00+01:00', false],
  ['on a day that is not named', calendar([WORKDAYS]), '2026-03-14T10:00+01:00', false],
  ['the last millisecond before midnight', calendar([NIGHT]), '2026-03-14T23:59:59.999+01:00', true],
  ['midnight into the next paid day', calendar([NIGHT]), '2026-03-15T00:00+01:00', true],
  ['24:00 of the last paid day', calendar([NIGHT]), '2026-03-16T00:00+01:00', false],
  ['midnight before the first paid day', calendar([NIGHT]), '2026-03-13T23:59:59.999+01:00', false],
  [
    'overlapping hours',
    calendar([WORKDAYS, { ...WORKDAYS, from: '19:00', to: '21:00' }]),
    '2026-03-10T20:00+01:00',
    true,
  ],
  [
    'the hours of a weekday on a holiday',
    calendar([WORKDAYS], ['2026-03-10']),
    '2026-03-10T10:00+01:00',
    false,
  ],
  [
    'the hours of holidays on a holiday',
    calendar([WORKDAYS, HOLIDAY], ['2026-03-10']),
    '2026-03-10T10:00+01:00',
    true,
  ],
  [
    'the hours of holidays on another day',
    calendar([HOLIDAY], ['2026-03-11']),
    '2026-03-10T10:00+01:00',
    false,
  ],
  [
    'a holiday by the local date, not UTC',
    calendar([WORKDAYS, NIGHT], ['2026-03-14']),
    '2026-03-13T23:30Z',
    false,
  ],
  ['the hour that the clock leaves out', calendar([EARLY]), '2026-03-29T01:59:59.999+01:00', false],
  ['the moment after that hour', calendar([EARLY]), '2026-03-29T03:00+02:00', false],
  ['an hour that comes twice, first time', calendar([EARLY]), '2026-10-25T02:30+02:00', true],
  ['between the two', calendar([EARLY]), '2026-10-25T02:50+02:00', false],
  ['an hour that comes twice, second time', calendar([EARLY]), '2026-10-25T02:30+01:00', true],
];

const NEXT: readonly [string, PaymentCalendar, instant: string, expected: string | null][] = [
  ['payment always due never changes', calendar(null), '2026-03-10T10:00+01:00', null],
  ['payment never due neither', calendar([]), '2026-03-10T10:00+01:00', null],
  ['before the hours: their start', calendar([WORKDAYS]), '2026-03-10T07:00+01:00', '2026-03-10T08:00+01:00'],
  ['at the start: the end', calendar([WORKDAYS]), '2026-03-10T08:00+01:00', '2026-03-10T20:00+01:00'],
  ['on Friday evening: Monday', calendar([WORKDAYS]), '2026-03-13T20:00+01:00', '2026-03-16T08:00+01:00'],
  ['over a midnight in paid hours', calendar([NIGHT]), '2026-03-14T12:00+01:00', '2026-03-16T00:00+01:00'],
  [
    'over overlapping hours',
    calendar([WORKDAYS, { ...WORKDAYS, from: '19:00', to: '21:00' }]),
    '2026-03-10T10:00+01:00',
    '2026-03-10T21:00+01:00',
  ],
  [
    'a holiday that begins',
    calendar([{ ...NIGHT, days: ['fri', 'sat', 'sun'] }], ['2026-03-14']),
    '2026-03-13T10:00+01:00',
    '2026-03-14T00:00+01:00',
  ],
  [
    'the days before the clock is put forward',
    calendar([WORKDAYS]),
    '2026-03-27T07:00+01:00',
    '2026-03-27T08:00+01:00',
  ],
  [
    'the day after the clock is put forward',
    calendar([WORKDAYS]),
    '2026-03-28T10:00+01:00',
    '2026-03-30T08:00+02:00',
  ],
  [
    'an end in the hour that is left out',
    calendar([{ ...EARLY, from: '01:00' }]),
    '2026-03-29T01:30+01:00',
    '2026-03-29T03:00+02:00',
  ],
  [
    'the second time of a repeated hour',
    calendar([EARLY]),
    '2026-10-25T02:45+02:00',
    '2026-10-25T02:15+01:00',
  ],
  [
    'the clock put back into unpaid time',
    calendar([{ days: ['sun'], from: '02:30', to: '03:00' }]),
    '2026-10-25T02:40+02:00',
    '2026-10-25T02:00+01:00',
  ],
  [
    'a week and a day ahead at most',
    calendar([HOLIDAY], ['2026-03-19']),
    '2026-03-11T10:00+01:00',
    '2026-03-19T10:00+01:00',
  ],
  ['in the west', calendar([WORKDAYS], [], 'America/New_York'), '2026-03-11T23:00Z', '2026-03-12T00:00Z'],
  ['nothing later than that', calendar([HOLIDAY], ['2026-03-19']), '2026-03-11T09:59:59.999+01:00', null],
];

describe('Payment is due by the local clock', () => {
  it.each(DUE)('%s', (_, hours, at, expected) => {
    expect(paymentDue(hours, time(at))).toBe(expected);
  });

  it.each(NEXT)('and changes next: %s', (_, hours, at, expected) => {
    expect(nextPaymentChange(hours, time(at))).toBe(expected === null ? null : time(expected));
  });
});

const span = (days: PaidSpan['days'], from: string, to: string): PaidSpan => ({ days, from, to });

/** Days, and their hours. */
const WEEKS: readonly [string, readonly PaidSpan[], expected: readonly string[]][] = [
  ['no hours', [], []],
  [
    'two kinds of days, by the first of each',
    [NIGHT, WORKDAYS],
    ['mon tue wed thu fri 08:00-20:00', 'sat sun 00:00-24:00'],
  ],
  [
    'a day of each kind under all of its hours',
    [span(['mon', 'tue'], '15:00', '20:00'), span(['tue', 'mon', 'wed'], '08:00', '13:00')],
    ['mon tue 08:00-13:00 15:00-20:00', 'wed 08:00-13:00'],
  ],
  [
    'hours that overlap, touch or are in others as one',
    [
      span(['sun'], '12:00', '18:00'),
      span(['sun'], '08:00', '12:00'),
      span(['sun'], '09:00', '10:00'),
      span(['sun'], '17:00', '19:00'),
      span(['sun'], '19:01', '24:00'),
    ],
    ['sun 08:00-19:00 19:01-24:00'],
  ],
  [
    'holidays along with days of their hours',
    [span(['holiday', 'sat'], '10:00', '12:00'), HOLIDAY],
    ['sat holiday 10:00-12:00'],
  ],
];

describe('The paid hours of a week', () => {
  it.each(WEEKS)('show %s', (_, paidHours, expected) => {
    const shown = weekOf(paidHours).map(({ days, hours }) =>
      [...days, ...hours.map(({ from, to }) => `${from}-${to}`)].join(' '),
    );
    expect(shown).toEqual(expected);
  });
});
