import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, instant, LAST_INSTANT } from '../../src/domain/instant.ts';
import {
  type ListEntry,
  sessionEntry,
  subscriptionEntry,
  writableEntry,
} from '../../src/domain/list-entry.ts';
import { aSession, aSubscription, NOON, noon } from './fixtures.ts';

describe('A session is in the list', () => {
  it('from its start to its end', () => {
    expect(sessionEntry(aSession(), NOON)).toEqual({
      kind: 'session',
      plate: 'AB123CD',
      from: noon(-HOUR_MS),
      until: noon(HOUR_MS),
      cancelledAt: null,
    });
  });

  it('to the latest end that its source allows, while it has none', () => {
    const open = aSession({ endsAt: null, openSessionMaxHours: 72 });
    expect(sessionEntry(open, NOON)?.until).toBe(open.startsAt + 72 * HOUR_MS);
  });

  it.each([
    ['however far ahead it starts', 300 * DAY_MS, 301 * DAY_MS, true],
    ['until 24 h after its end', -3 * DAY_MS, 1 - DAY_MS, true],
    ['and no longer', -3 * DAY_MS, -DAY_MS, false],
  ])('%s', (_, starts, ends, isListed) => {
    const entry = sessionEntry(aSession({ startsAt: noon(starts), endsAt: noon(ends) }), NOON);
    expect(entry !== null).toBe(isListed);
  });

  it('until its cancellation comes, and says when that is', () => {
    const cancelled = aSession({ cancelledAt: noon(1) });
    expect(sessionEntry(cancelled, NOON)?.cancelledAt).toBe(noon(1));
    expect(sessionEntry(cancelled, noon(1))).toBeNull();
  });
});

describe('A subscription is in the list', () => {
  it('with the rest of the time that it is valid', () => {
    expect(subscriptionEntry(aSubscription(), 'P1', NOON)).toEqual({
      kind: 'subscription',
      plate: 'AB123CD',
      valid: [{ from: NOON, until: noon(HOUR_MS) }],
    });
  });

  // Which instants those are, test/domain/valid-intervals.test.ts says.
  it('as long as it is valid at some instant ahead', () => {
    expect(subscriptionEntry(aSubscription(), 'P1', noon(HOUR_MS - 1))).not.toBeNull();
    expect(subscriptionEntry(aSubscription(), 'P1', noon(HOUR_MS))).toBeNull();
  });
});

/** So many milliseconds before the year 10000 begins by the clocks of Kiritimati, at +14:00. */
const msBefore = (ms: number) => instant(Date.parse('9999-12-31T10:00:00Z') - ms);

describe('At the end of the calendar, in a zone at +14:00,', () => {
  const PLATE = aSession().plate;
  const session = (from: number, until: number): ListEntry => ({
    ...{ kind: 'session', plate: PLATE, from: msBefore(from), until: msBefore(until), cancelledAt: null },
  });
  const subscription = (...valid: readonly (readonly [number, number | null])[]): ListEntry => ({
    kind: 'subscription',
    plate: PLATE,
    valid: valid.map(([from, until]) => ({
      from: msBefore(from),
      until: until === null ? null : msBefore(until),
    })),
  });
  const SECOND = 1_000;

  it.each<[string, ListEntry, ListEntry | null]>([
    ['a session beyond it is left out', session(-1, -HOUR_MS), null],
    ['a session that begins with its last second is left out', session(SECOND, 0), null],
    ['a session that begins within its last second is left out', session(500, -1), null],
    ['a session within its last second stays', session(500, 1), session(500, 1)],
    ['a session that begins before it stays', session(SECOND + 1, -HOUR_MS), session(SECOND + 1, -HOUR_MS)],
    ['a session before it stays', session(2 * HOUR_MS, HOUR_MS), session(2 * HOUR_MS, HOUR_MS)],
    ['a subscription that is valid only beyond it is left out', subscription([-1, -2], [-5, -6]), null],
    [
      'a subscription keeps what is before it',
      subscription([9, -8], [HOUR_MS, 2 * SECOND], [SECOND, -1]),
      subscription([HOUR_MS, 2 * SECOND]),
    ],
    ['a subscription without an end stays', subscription([-1, null]), subscription([-1, null])],
  ])('%s', (_, entry, written) => {
    expect(writableEntry(entry, 'Pacific/Kiritimati')).toEqual(written);
  });

  it('a session that has room by the clocks of UTC stays there', () => {
    expect(writableEntry(session(-1, -HOUR_MS), 'UTC')).toEqual(session(-1, -HOUR_MS));
    const last = { ...session(0, 0), until: LAST_INSTANT };
    expect(writableEntry(last, 'UTC')).toEqual(last);
  });

  it('no entry stays none', () => {
    expect(writableEntry(null, 'UTC')).toBeNull();
  });
});
