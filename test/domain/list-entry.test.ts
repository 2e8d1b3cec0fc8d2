import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, instant, LAST_INSTANT } from '../../src/domain/instant.ts';
import { listedIntervals, listedSession } from '../../src/domain/list-entry.ts';
import { aSession, aSubscription, NOON, noon } from './fixtures.ts';

describe('A session is in the list', () => {
  it('from its start to its end', () => {
    const whole = { from: noon(-HOUR_MS), until: noon(HOUR_MS), cancelledAt: null };
    expect(listedSession(aSession(), NOON, 'UTC')).toEqual(whole);
  });

  it('to the latest end that its source allows, while it has none', () => {
    const open = aSession({ endsAt: null, openSessionMaxHours: 72 });
    expect(listedSession(open, NOON, 'UTC')?.until).toBe(open.startsAt + 72 * HOUR_MS);
  });

  it.each([
    ['however far ahead it starts', 300 * DAY_MS, 301 * DAY_MS, true],
    ['until 24 h after its end', -3 * DAY_MS, 1 - DAY_MS, true],
    ['and no longer', -3 * DAY_MS, -DAY_MS, false],
  ])('%s', (_, starts, ends, isListed) => {
    const session = aSession({ startsAt: noon(starts), endsAt: noon(ends) });
    expect(listedSession(session, NOON, 'UTC') !== null).toBe(isListed);
  });

  it('until its cancellation comes, and says when that is', () => {
    const cancelled = aSession({ cancelledAt: noon(1) });
    expect(listedSession(cancelled, NOON, 'UTC')?.cancelledAt).toBe(noon(1));
    expect(listedSession(cancelled, noon(1), 'UTC')).toBeNull();
  });
});

describe('A subscription is in the list', () => {
  it('with the rest of the time that it is valid', () => {
    const rest = [{ from: NOON, until: noon(HOUR_MS) }];
    expect(listedIntervals(aSubscription(), 'P1', NOON, 'UTC')).toEqual(rest);
  });

  // Which instants those are, test/domain/valid-intervals.test.ts says.
  it('as long as it is valid at some instant ahead', () => {
    expect(listedIntervals(aSubscription(), 'P1', noon(HOUR_MS - 1), 'UTC')).toHaveLength(1);
    expect(listedIntervals(aSubscription(), 'P1', noon(HOUR_MS), 'UTC')).toEqual([]);
  });
});

/** So many milliseconds before the year 10000 begins by the clocks of Kiritimati, at +14:00. */
const msBefore = (ms: number) => instant(Date.parse('9999-12-31T10:00:00Z') - ms);

describe('At the end of the calendar, in a zone at +14:00,', () => {
  const ZONE = 'Pacific/Kiritimati';
  const SECOND = 1_000;
  const listed = (from: number, until: number, zone: string) => {
    const times = { startsAt: msBefore(from), endsAt: msBefore(until) };
    return listedSession(aSession(times), NOON, zone) !== null;
  };

  it.each([
    ['beyond it is left out', -1, -HOUR_MS, false],
    ['that begins with its last second is left out', SECOND, 0, false],
    ['that begins within its last second is left out', 500, -1, false],
    ['within its last second stays', 500, 1, true],
    ['that begins before it stays', SECOND + 1, -HOUR_MS, true],
    ['before it stays', 2 * HOUR_MS, HOUR_MS, true],
  ])('a session %s', (_, from, until, isListed) => {
    expect(listed(from, until, ZONE)).toBe(isListed);
  });

  it('a session that has room by the clocks of UTC stays there', () => {
    expect(listed(-1, -HOUR_MS, 'UTC')).toBe(true);
    const last = aSession({ startsAt: msBefore(0), endsAt: LAST_INSTANT });
    expect(listedSession(last, NOON, 'UTC')?.until).toBe(LAST_INSTANT);
  });

  it.each([
    [
      'that is valid only beyond it is left out',
      [
        [-1, -2],
        [-5, -6],
      ],
      0,
    ],
    [
      'keeps what is before it',
      [
        [HOUR_MS, 2 * SECOND],
        [SECOND, -1],
      ],
      1,
    ],
  ] as const)('a subscription %s', (_, times, kept) => {
    const periods = times.map(([from, until]) => ({ startsAt: msBefore(from), endsAt: msBefore(until) }));
    const intervals = periods.map(({ startsAt, endsAt }) => ({ from: startsAt, until: endsAt }));
    expect(listedIntervals(aSubscription({ periods }), 'P1', NOON, ZONE)).toEqual(intervals.slice(0, kept));
  });
});
