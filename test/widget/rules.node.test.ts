import { describe, expect, it } from 'vitest';
import { ageText, knownAt } from '../../clients/widget/age.ts';
import { isOccupancy } from '../../clients/widget/answer.ts';
import { arrange } from '../../clients/widget/arrange.ts';
import { waitingMs } from '../../clients/widget/backoff.ts';
import { readSettings } from '../../clients/widget/settings.ts';
import { area, torino } from '../browser/cities.ts';

const SURROUNDINGS = { scriptOrigin: 'https://service.test', documentLanguage: null };
const OCCUPANCY = '/api/v2/public/municipalities/L219/occupancy';

describe('The attributes', () => {
  it.each([
    ['https://other.test', 'https://other.test'],
    [' https://other.test/ ', 'https://other.test'],
    ['https://other.test/parking//', 'https://other.test/parking'],
    [null, 'https://service.test'],
    ['', 'https://service.test'],
  ])('base=%j asks at %s', (base, expected) => {
    const { address, warnings } = readSettings({ base, municipality: 'L219' }, SURROUNDINGS);
    expect([address, warnings]).toEqual([expected + OCCUPANCY, []]);
  });

  it.each(['parking', '//', 'javascript:alert(1)', 'ftp://files.test', 'https://'])(
    'base=%j is not an address: the script’s own origin is asked, with a warning',
    (base) => {
      const { address, warnings } = readSettings({ base, municipality: 'L219' }, SURROUNDINGS);
      expect(address).toBe(`https://service.test${OCCUPANCY}`);
      expect(warnings).toEqual([expect.stringContaining('is not an address')]);
    },
  );

  it.each([
    ['it', null, 'it', 0],
    ['EN-gb', 'it', 'en', 0],
    [null, 'it-CH', 'it', 0],
    [null, 'de', 'en', 0],
    [null, null, 'en', 0],
    ['de', 'it', 'it', 1],
    ['de', 'fr', 'en', 1],
  ])('lang=%j in a page in %j is %s, with %i warnings', (lang, documentLanguage, expected, warned) => {
    const { language, warnings } = readSettings(
      { municipality: 'L219', lang },
      { ...SURROUNDINGS, documentLanguage },
    );
    expect([language, warnings.length]).toEqual([expected, warned]);
  });
});

describe('The waiting', () => {
  it.each([
    [60, 0, 60],
    [60, 1, 60],
    [60, 2, 120],
    [60, 4, 480],
    [60, 5, 600],
    [60, 2_000, 600],
    [0, 0, 5],
    [-1, 3, 20],
    [Number.NaN, 0, 60],
    ['soon', 0, 60],
    [undefined, 1, 60],
    [1e9, 0, 600],
  ])('wanted %j, after %i failures in a row, is %i seconds', (wanted, failures, seconds) => {
    expect(waitingMs(wanted, failures, 0)).toBe(seconds * 1_000);
  });

  it('is spread over a quarter more after a failure, and not otherwise', () => {
    expect(waitingMs(60, 1, 1)).toBe(75_000);
    expect(waitingMs(60, 0, 1)).toBe(60_000);
  });
});

describe('The age', () => {
  const AS_OF = '2026-03-07T17:44:12+01:00';
  const at = (seconds: number) => ageText(AS_OF, 'Europe/Rome', 'en', Date.parse(AS_OF) + seconds * 1_000);

  it.each([
    [0, 'Updated less than a minute ago, at 17:44.'],
    [-500, 'Updated less than a minute ago, at 17:44.'],
    [59, 'Updated less than a minute ago, at 17:44.'],
    [60, 'Updated 1 minute ago, at 17:44.'],
    [3_599, 'Updated 59 minutes ago, at 17:44.'],
    [3_600, 'Updated 1 hour ago, at 17:44.'],
    [2 * 86_400, 'Updated 2 days ago, at 7 Mar 2026, 17:44.'],
  ])('after %i seconds: %s', (seconds, expected) => {
    expect(at(seconds)).toBe(expected);
  });

  it('is said in Italian too', () => {
    const later = Date.parse(AS_OF) + 120_000;
    expect(ageText(AS_OF, 'Europe/Rome', 'it', later)).toBe('Aggiornato 2 minuti fa, alle 17:44.');
  });
});

describe('The instant that figures are known of', () => {
  const asOf = '2026-03-07T17:44:12+01:00';
  const last = '2026-03-07T17:30:00+01:00';

  it.each([
    ['good', last, asOf],
    ['good', null, asOf],
    ['degraded', last, last],
    // Only a native source, which imports nothing, has not failed.
    ['degraded', null, asOf],
    ['outdated', last, last],
    ['outdated', null, null],
  ] as const)(
    'with %s data and a last success at %s is %s',
    (data_quality, last_source_success_at, known) => {
      expect(knownAt({ ...torino(), as_of: asOf, data_quality, last_source_success_at })).toBe(known);
    },
  );
});

describe('The order of areas', () => {
  const areas = [area('P10', 10, 3), area('p2', 10, 3), area('Àncona', null, 0), area('Zeta', 5, 0)];
  const names = (text: string, order: 'name' | 'free') =>
    arrange(areas, { text, order, language: 'it' }).map(({ name }) => name);

  it('by name reads numbers as numbers, and takes no notice of accents and case', () => {
    expect(names('', 'name')).toEqual(['Àncona', 'p2', 'P10', 'Zeta']);
  });

  it('by free spaces has names decide among as many, and what is not known last', () => {
    expect(names('', 'free')).toEqual(['p2', 'P10', 'Zeta', 'Àncona']);
  });

  it.each([
    ['ANC', ['Àncona']],
    ['  p ', ['p2', 'P10']],
    ['x', []],
  ])('filtered by %j leaves %j', (text, expected) => {
    expect(names(text, 'name')).toEqual(expected);
  });
});

describe('An answer', () => {
  it('is shown when it is the contract’s, with areas or without', () => {
    expect([isOccupancy(torino()), isOccupancy(torino({ areas: [] }))]).toEqual([true, true]);
  });

  it.each([
    ['no object', null],
    ['an error', { success: false, error: { code: 'TEMPORARY_ERROR' } }],
    ['no areas', { ...torino(), areas: undefined }],
    ['an instant that is none', torino({ as_of: 'yesterday' })],
    ['a time zone that is none', torino({ timezone: 'Mars/Base' })],
    ['a last success that is not an instant', { ...torino(), last_source_success_at: 'never' }],
    ['an end of a closing that is none', { ...torino(), areas: [{ ...area('P', 1, 1), closed_until: '' }] }],
    ['a figure that is none', { ...torino(), areas: [{ ...area('P', 1, 1), available_now: '1' }] }],
    ['an area type of another time', { ...torino(), areas: [{ ...area('P', 1, 1), area_type: 'roof' }] }],
  ])('is not shown when it is %s', (_, answer) => {
    expect(isOccupancy(answer)).toBe(false);
  });
});
