import { describe, expect, it } from 'vitest';
import { checkInstant, knownInstant, type Lookback } from '../../src/domain/check-instant.ts';
import { DAY_MS, instant, LAST_INSTANT, MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import { NOON, noon } from './fixtures.ts';

const IN_FUTURE = { refused: 'CHECKED_AT_IN_FUTURE' };
const OUT_OF_RANGE = { refused: 'CHECKED_AT_OUT_OF_RANGE' };
const NOW = { at: NOON };

const LOOKBACK: Lookback = {
  historicalDaysAllowed: 2,
  sessionRetentionDays: 400,
  subscriptionRetentionDays: 1_825,
};

/** What a check at noon verifies, asked for so many milliseconds after noon. */
const asked = (ms: number, deviation: Partial<Lookback> = {}) =>
  checkInstant(noon(ms), NOON, { ...LOOKBACK, ...deviation });

describe('The instant of a check', () => {
  it('is now, when none is asked for', () => {
    expect(
      checkInstant(null, NOON, { ...LOOKBACK, historicalDaysAllowed: 0, sessionRetentionDays: 1 }),
    ).toEqual(NOW);
  });

  it.each([
    ['now', 0],
    ['a moment ago', -1],
    ['a minute ago', -MINUTE_MS],
  ])('is the one asked for, when that is %s', (_, ms) => {
    expect(asked(ms)).toEqual({ at: noon(ms) });
  });

  it.each([-1, LAST_INSTANT + 1])('is out of range before 1970 and after 9999: %i', (ms) => {
    const lookback = { ...LOOKBACK, historicalDaysAllowed: null };
    expect(checkInstant(instant(ms), NOON, lookback)).toEqual(OUT_OF_RANGE);
  });

  it.each([
    ['a moment', 1, NOW],
    ['five seconds', 5 * SECOND_MS, NOW],
    ['a moment more than five seconds', 5 * SECOND_MS + 1, IN_FUTURE],
    ['a day', DAY_MS, IN_FUTURE],
  ])(
    'asked for %s ahead, %d ms: a clock may run five seconds ahead, and is answered with now',
    (_, ms, outcome) => {
      expect(asked(ms)).toEqual(outcome);
    },
  );

  it.each([
    ['two days back', 2, -2 * DAY_MS, { at: noon(-2 * DAY_MS) }],
    [
      'two days and five minutes back',
      2,
      -2 * DAY_MS - 5 * MINUTE_MS,
      { at: noon(-2 * DAY_MS - 5 * MINUTE_MS) },
    ],
    ['not a moment earlier', 2, -2 * DAY_MS - 5 * MINUTE_MS - 1, OUT_OF_RANGE],
    ['a tenth of a second back', 0, -100, { at: noon(-100) }],
    ['five minutes back', 0, -5 * MINUTE_MS, { at: noon(-5 * MINUTE_MS) }],
    ['not a moment more than these', 0, -5 * MINUTE_MS - 1, OUT_OF_RANGE],
  ])('reaches %s, with %i historical days', (_, historicalDaysAllowed, ms, outcome) => {
    expect(asked(ms, { historicalDaysAllowed })).toEqual(outcome);
  });

  it.each([
    ['no further than the credential’s where that is longer', 3, -3 * DAY_MS - 5 * MINUTE_MS],
    ['48 hours to the moment where the credential’s is shorter', 1, -2 * DAY_MS],
  ])('of a sighting reaches %s', (_, historicalDaysAllowed, ms) => {
    const lookback = { historicalDaysAllowed, atLeastMs: 2 * DAY_MS };
    expect(asked(ms, lookback)).toEqual({ at: noon(ms) });
    expect(asked(ms - 1, lookback)).toEqual(OUT_OF_RANGE);
    expect(asked(-1, { ...lookback, sessionRetentionDays: 1 })).toEqual(OUT_OF_RANGE);
  });

  it.each<[string, Partial<Lookback>, number]>([
    ['no bound', { historicalDaysAllowed: null }, 399],
    ['more days than sessions are kept', { historicalDaysAllowed: 1_000 }, 399],
    ['as many days as sessions are kept', { historicalDaysAllowed: 400 }, 399],
    ['subscriptions kept for less', { historicalDaysAllowed: null, subscriptionRetentionDays: 10 }, 9],
  ])('with %s reaches to the day before the last that all is kept', (_, lookback, days) => {
    expect(asked(-days * DAY_MS, lookback)).toEqual({ at: noon(-days * DAY_MS) });
    expect(asked(-days * DAY_MS - 1, lookback)).toEqual(OUT_OF_RANGE);
  });

  it('never lies ahead of now, however short anything is kept', () => {
    expect(asked(0, { sessionRetentionDays: 1, subscriptionRetentionDays: 1 })).toEqual(NOW);
    expect(asked(-1, { sessionRetentionDays: 1, subscriptionRetentionDays: 1 })).toEqual(OUT_OF_RANGE);
  });
});

const KNOWN_SINCE = noon(-300 * DAY_MS);
const PASSED = {
  now: { passed: 'now', bound: NOON },
  known_since: { passed: 'known_since', bound: KNOWN_SINCE },
};

const known = (asked: number | null, deviation: Partial<Lookback> = {}, at = noon(-DAY_MS)) =>
  knownInstant(asked === null ? null : noon(asked), at, NOON, KNOWN_SINCE, {
    ...{ ...LOOKBACK, historicalDaysAllowed: null },
    ...deviation,
  });

describe('The instant whose knowledge is asked for', () => {
  it.each<[string, number | null, number | 'now' | 'known_since']>([
    ['is the one that is judged, when none is asked for', null, -DAY_MS],
    ['may lie before the one that is judged', -2 * DAY_MS, -2 * DAY_MS],
    ['may lie after it', -1, -1],
    ['may be now', 0, 0],
    ['a moment ahead is now', 1, 0],
    ['five seconds ahead is now', 5 * SECOND_MS, 0],
    ['a moment more is out of range', 5 * SECOND_MS + 1, 'now'],
    ['may be the first that is known', -300 * DAY_MS, -300 * DAY_MS],
    ['a moment earlier is out of range', -300 * DAY_MS - 1, 'known_since'],
  ])('%s', (_, asked, outcome) => {
    expect(known(asked)).toEqual(typeof outcome === 'number' ? { at: noon(outcome) } : PASSED[outcome]);
  });

  it('is out of range where what is judged lies before all that is known', () => {
    expect(known(null, {}, noon(-300 * DAY_MS - 1))).toEqual(PASSED.known_since);
  });
});

describe('The smallest of what is kept bounds that too', () => {
  it.each<[string, Partial<Lookback>]>([
    ['sessions', { sessionRetentionDays: 30 }],
    ['subscriptions', { subscriptionRetentionDays: 30 }],
  ])('less a day: 30 days of %s', (_, deviation) => {
    const at = noon(-29 * DAY_MS);
    expect(known(-29 * DAY_MS, deviation)).toEqual({ at });
    expect(known(-29 * DAY_MS - 1, deviation)).toEqual({ passed: 'kept_since', bound: at });
  });
});
