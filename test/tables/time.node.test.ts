import { describe, expect, it } from 'vitest';
import { readTime, type TimeField, type TimeRules, Zone } from '../../clients/tables/index.ts';
import { instant } from '../../src/domain/instant.ts';
import { formatInstant } from '../../src/domain/zoned-time.ts';
import { shortOrThorough } from '../support/run-form.ts';

const ROME: TimeRules = { zone: new Zone('Europe/Rome'), dateOrder: 'dmy', endDates: null };
const START: TimeField = { side: 'earlier', isEnd: false };
const END: TimeField = { side: 'later', isEnd: true };

const read = (text: string, field: TimeField = START, rules: Partial<TimeRules> = {}): string | undefined => {
  const reading = readTime(text, { ...ROME, ...rules }, field);
  return reading.trouble === undefined ? reading.at : undefined;
};

describe('A time in a cell', () => {
  it.each([
    ['2026-03-07T17:44:12+01:00', '2026-03-07T17:44:12+01:00'],
    ['2026-03-07T16:44:12Z', '2026-03-07T16:44:12Z'],
    ['2026-03-07 17:44', '2026-03-07T16:44:00.000Z'],
    ['2026-03-07T17:44:12', '2026-03-07T16:44:12.000Z'],
    ['2026/3/7 7:04', '2026-03-07T06:04:00.000Z'],
    ['07/03/2026 17:44', '2026-03-07T16:44:00.000Z'],
    ['7.3.2026 17.44', '2026-03-07T16:44:00.000Z'],
    ['07/03/2026 24:00', '2026-03-07T23:00:00.000Z'],
    ['28/03/2026 24:00:00', '2026-03-28T23:00:00.000Z'],
    ['07/03/2026', '2026-03-06T23:00:00.000Z'],
  ])('%s is %s by the clocks of Rome', (text, at) => {
    expect(read(text)).toBe(at);
  });

  it.each([
    '',
    'yesterday',
    '2026-02-30 10:00',
    '31/02/2026 10:00',
    '07/03/26 10:00',
    '2026-03-07 24:01',
    '17:44',
    '0000-01-01',
  ])('%j is none', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it('has its month first where that was said', () => {
    expect(read('03/07/2026 17:44', START, { dateOrder: 'mdy' })).toBe('2026-03-07T16:44:00.000Z');
    expect(read('13/07/2026 17:44', START, { dateOrder: 'mdy' })).toBeUndefined();
  });

  it('needs an offset where nobody knows the time zone, and is never guessed', () => {
    expect(read('2026-03-07 17:44', START, { zone: null })).toBeUndefined();
    expect(read('2026-03-07T17:44:00+01:00', START, { zone: null })).toBe('2026-03-07T17:44:00+01:00');
  });
});

describe('A bare date that ends something', () => {
  it('is refused until somebody says whether that day counts', () => {
    expect(read('31/12/2026', END)).toBeUndefined();
    expect(read('31/12/2026 18:00', END)).toBe('2026-12-31T17:00:00.000Z');
  });

  it('ends with that day where it is included, and at its start where it is not', () => {
    expect(read('31/12/2026', END, { endDates: 'included' })).toBe('2026-12-31T23:00:00.000Z');
    expect(read('31/12/2026', END, { endDates: 'excluded' })).toBe('2026-12-30T23:00:00.000Z');
    expect(read('28/03/2026', END, { endDates: 'included' })).toBe('2026-03-28T23:00:00.000Z');
  });
});

describe('In the night of a clock change', () => {
  it.each([
    ['25/10/2026 01:30', '2026-10-24T23:30:00.000Z', '2026-10-24T23:30:00.000Z'],
    ['25/10/2026 02:30', '2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'],
    ['25/10/2026 03:30', '2026-10-25T02:30:00.000Z', '2026-10-25T02:30:00.000Z'],
    ['29/03/2026 02:30', '2026-03-29T00:30:00.000Z', '2026-03-29T01:30:00.000Z'],
  ])('%s starts a right at %s and ends one at %s: the driver gets the benefit', (text, start, end) => {
    expect([read(text, START), read(text, END)]).toEqual([start, end]);
  });
});

/** Of the quarters of an hour: all of them, or every seventh, which comes to each time of day. */
const STEP = shortOrThorough(7, 1);

describe('Every other wall-clock time', () => {
  it.each(['Europe/Rome', 'Australia/Lord_Howe'])(
    'of a year in %s is the instant at which its clocks show it',
    (name) => {
      const zone = new Zone(name);
      for (let quarter = 0; quarter < 365 * 24 * 4; quarter += STEP) {
        const at = instant(Date.UTC(2026, 0, 1) + quarter * 15 * 60_000);
        const shown = new Date(`${formatInstant(at, name).slice(0, 19)}Z`);
        const clock = {
          year: shown.getUTCFullYear(),
          month: shown.getUTCMonth() + 1,
          day: shown.getUTCDate(),
          hour: shown.getUTCHours(),
          minute: shown.getUTCMinutes(),
          second: 0,
        };
        // Shown twice: one of the two sides is this instant.
        expect([zone.instantOf(clock, 'earlier'), zone.instantOf(clock, 'later')]).toContain(at);
      }
    },
  );
});
