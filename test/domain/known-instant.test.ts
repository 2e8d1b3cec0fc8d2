import { describe, expect, it } from 'vitest';
import { checkInstant, knownInstant, type Lookback } from '../../src/domain/check-instant.ts';
import { DAY_MS, SECOND_MS } from '../../src/domain/instant.ts';
import { NOON, noon } from './fixtures.ts';

const KNOWN_SINCE = noon(-300 * DAY_MS);
const LOOKBACK: Lookback = {
  historicalDaysAllowed: null,
  sessionRetentionDays: 400,
  subscriptionRetentionDays: 1_825,
};

const PASSED = {
  now: { passed: 'now', bound: NOON },
  known_since: { passed: 'known_since', bound: KNOWN_SINCE },
};

const known = (asked: number | null, deviation: Partial<Lookback> = {}, at = noon(-DAY_MS)) =>
  knownInstant(asked === null ? null : noon(asked), at, NOON, KNOWN_SINCE, { ...LOOKBACK, ...deviation });

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

describe('The smallest of what is kept bounds both instants', () => {
  it.each<[string, Partial<Lookback>]>([
    ['sessions', { sessionRetentionDays: 30 }],
    ['subscriptions', { subscriptionRetentionDays: 30 }],
  ])('less a day: 30 days of %s', (_, deviation) => {
    const at = noon(-29 * DAY_MS);
    const earlier = noon(-29 * DAY_MS - 1);
    expect(known(-29 * DAY_MS, deviation)).toEqual({ at });
    expect(known(-29 * DAY_MS - 1, deviation)).toEqual({ passed: 'kept_since', bound: at });
    const lookback = { ...LOOKBACK, ...deviation };
    expect(checkInstant(at, NOON, lookback)).toEqual({ at });
    expect(checkInstant(earlier, NOON, lookback)).toEqual({ refused: 'CHECKED_AT_OUT_OF_RANGE' });
  });
});
