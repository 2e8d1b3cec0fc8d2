import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import { type HistoryQuery, historyOf, lateBySeconds } from '../../src/office/evidence/search.ts';
import type {
  Change,
  RecordedSession,
  RecordedSubscription,
  SessionChange,
  SubscriptionChange,
} from '../../src/storage/history/recorded.ts';

/** The instant that is judged. */
const AT = Date.UTC(2026, 2, 7, 11);
const LONG_AGO = AT - 30 * DAY_MS;
const FROM = AT - DAY_MS;
const UNTIL = AT + DAY_MS;

const QUERY: HistoryQuery = {
  window: { from: instant(FROM), until: instant(UNTIL) },
  areaCode: null,
  openSessionMaxHours: (code) => (code === 'app1' ? 2 : undefined),
};

let sequence = 0;
function session(
  recordedAt: number,
  record: Partial<RecordedSession> | null = {},
  changed: Partial<SessionChange> = {},
): SessionChange {
  sequence += 1;
  return {
    ...{ kind: 'parking_session', sequence, recordedAt: instant(recordedAt), requestId: null },
    ...{ key: 's', sourceCode: 'app1', leftAreaCode: null },
    record: record && {
      ...{ session_id: 's', plate: 'A', area_code: 'P1', starts_at: AT, ends_at: AT + HOUR_MS },
      ...{ cancelled_at: null, revision: null },
      ...record,
    },
    ...changed,
  };
}

function subscription(recordedAt: number, record: Partial<RecordedSubscription> | null): SubscriptionChange {
  sequence += 1;
  return {
    ...{ kind: 'subscription', sequence, recordedAt: instant(recordedAt), requestId: null },
    ...{ key: 'n', sourceCode: null },
    record: record && {
      ...{ subscription_number: 'n', type: 'RES', plates: [], approval: 'approved', areas: 'all' },
      ...{ authorized_from: 0, authorized_until: 1, suspended_from: null, suspended_until: null },
      ...{ revoked_at: null, revision: null, periods: [] },
      ...record,
    },
  };
}

const isListed = (change: Change, deviation: Partial<HistoryQuery> = {}): boolean =>
  historyOf([change], { ...QUERY, ...deviation }).length === 1;

describe('The history of an instant', () => {
  it.each<[string, Change, boolean]>([
    [
      'a session that ends as the 24 h before begin',
      session(LONG_AGO, { starts_at: FROM - HOUR_MS, ends_at: FROM }),
      false,
    ],
    [
      'one that ends a moment later',
      session(LONG_AGO, { starts_at: FROM - HOUR_MS, ends_at: FROM + 1 }),
      true,
    ],
    [
      'one that starts a moment before the 24 h after are over',
      session(LONG_AGO, { starts_at: UNTIL - 1, ends_at: null }),
      true,
    ],
    ['one that lasts for all of it', session(LONG_AGO, { starts_at: FROM - 1, ends_at: UNTIL + 1 }), true],
    ['one that was cancelled', session(LONG_AGO, { cancelled_at: 0 }), true],
    [
      'a running one, while its source lets it count',
      session(LONG_AGO, { starts_at: FROM - 2 * HOUR_MS + 1, ends_at: null }),
      true,
    ],
    [
      'a running one that was forgotten',
      session(LONG_AGO, { starts_at: FROM - 2 * HOUR_MS, ends_at: null }),
      false,
    ],
    [
      'a running one of a source that came later',
      session(LONG_AGO, { starts_at: 0, ends_at: null }, { sourceCode: 'new' }),
      true,
    ],
    [
      'one of another day that was recorded as the 24 h before begin',
      session(FROM, { starts_at: 0, ends_at: 1 }),
      true,
    ],
    ['one that was recorded a moment earlier', session(FROM - 1, { starts_at: 0, ends_at: 1 }), false],
    [
      'one that was recorded a moment before the 24 h after are over',
      session(UNTIL - 1, { starts_at: 0, ends_at: 1 }),
      true,
    ],
    ['one that was recorded as they are over', session(UNTIL, { starts_at: 0, ends_at: 1 }), false],
    [
      'a subscription that was authorized then',
      subscription(LONG_AGO, { authorized_from: 0, authorized_until: FROM + 1 }),
      true,
    ],
    [
      'one whose authorization had just ended',
      subscription(LONG_AGO, { authorized_from: 0, authorized_until: FROM }),
      false,
    ],
    [
      'one that has no bound',
      subscription(LONG_AGO, { authorized_from: null, authorized_until: null }),
      true,
    ],
    [
      'one with a period then',
      subscription(LONG_AGO, { periods: [{ starts_at: 0, ends_at: FROM + 1 }] }),
      true,
    ],
    [
      'one with periods of other times',
      subscription(LONG_AGO, {
        periods: [
          { starts_at: 0, ends_at: FROM },
          { starts_at: UNTIL + 1, ends_at: UNTIL + 2 },
        ],
      }),
      false,
    ],
  ])('has %s: %#', (_, change, listed) => {
    expect(isListed(change)).toBe(listed);
  });

  it('has a change that took a session out of the time around, when it was recorded in it alone', () => {
    const here = session(LONG_AGO, {});
    const gone = session(LONG_AGO + 1, { starts_at: 0, ends_at: 1 });
    expect(historyOf([here, gone], QUERY)).toEqual([here]);
    const goneThen = session(AT, { starts_at: 0, ends_at: 1 });
    expect(historyOf([here, goneThen], QUERY)).toEqual([here, goneThen]);
  });

  it('has what a plate left, by the record that it left', () => {
    const here = session(LONG_AGO, {});
    const left = session(LONG_AGO + 1, null, { leftAreaCode: 'P1' });
    const elsewhen = session(LONG_AGO, { starts_at: 0, ends_at: 1 }, { key: 'other' });
    const leftElsewhen = session(LONG_AGO + 1, null, { key: 'other', leftAreaCode: 'P1' });
    expect(historyOf([here, elsewhen, left, leftElsewhen], QUERY)).toEqual([here, left]);
    const off = subscription(LONG_AGO + 1, null);
    const on = subscription(LONG_AGO, { authorized_until: null });
    expect(historyOf([on, off], QUERY)).toEqual([on, off]);
  });

  it('of an area has what is there, what came from there and what left it; subscriptions always', () => {
    const inStreet = { ...QUERY, areaCode: 'S1' };
    const first = session(LONG_AGO, { area_code: 'S1' });
    const moved = session(LONG_AGO + 1, { area_code: 'P1' }, { leftAreaCode: 'S1' });
    const stayed = session(LONG_AGO + 2, { area_code: 'P1', revision: 2 });
    const back = session(LONG_AGO + 3, { area_code: 'S1' }, { leftAreaCode: 'P1' });
    const left = session(LONG_AGO + 4, null, { leftAreaCode: 'S1' });
    const right = subscription(LONG_AGO + 5, { areas: ['P1'], authorized_until: null });
    expect(historyOf([first, moved, stayed, back, left, right], inStreet)).toEqual([
      ...[first, moved, back, left],
      right,
    ]);
    expect(historyOf([moved], inStreet)).toEqual([moved]);
  });

  it('tells sessions of one id in two sources apart', () => {
    const one = session(LONG_AGO, {});
    const left = session(LONG_AGO + 1, null, { sourceCode: 'app2', leftAreaCode: 'P1' });
    expect(historyOf([one, left], QUERY)).toEqual([one]);
  });
});

describe('How late a change was recorded', () => {
  it.each([
    ['before its start', -1, 0],
    ['at its start', 0, 0],
    ['less than a second after', 999, 0],
    ['a second after', 1_000, 1],
    ['six minutes and a half second after', 360_500, 360],
  ])('is, %s, whole seconds rounded down', (_, ms, seconds) => {
    expect(lateBySeconds(session(AT + ms, { starts_at: AT }))).toBe(seconds);
  });

  it('does not name a subscription, nor of what a plate left', () => {
    expect(lateBySeconds(subscription(AT, { authorized_from: AT - 1 }))).toBeNull();
    expect(lateBySeconds(session(AT, null))).toBeNull();
  });
});
