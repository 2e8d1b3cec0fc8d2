import { describe, expect, it } from 'vitest';

import {
  ACCESS_EVENTS,
  ACCESS_REASON_CODES,
  type AccessEvent,
  type AccessFacts,
  type AccessReasonCode,
  decideFacilityAccess,
} from '../../src/domain/facility-access.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import type { ParkingSession } from '../../src/domain/parking-session.ts';
import { accessFacts, aFacility, aSession, NOON, noon } from './fixtures.ts';

const LATER = aSession({ sessionId: 'later', startsAt: noon(5 * HOUR_MS), endsAt: noon(6 * HOUR_MS) });
const ENDED = aSession({ sessionId: 'ended', startsAt: noon(-7 * HOUR_MS), endsAt: noon(-6 * HOUR_MS) });

const closed = aFacility({ subscriptionAccess: false });
const uncontrolled = aFacility({ plateControlEnabled: false });
const HELD = { holdsSubscription: true };
const BOTH = { sessions: [aSession()], ...HELD };
/** The rows of the decision in order, row 6 in its two halves: the code, the source, and the facts that make it apply. */
const ROWS: readonly (readonly [AccessReasonCode, string, Partial<AccessFacts>])[] = [
  ['FACILITY_SERVICE_DISABLED', 'none', { facility: aFacility({ serviceEnabled: false }) }],
  ['PLATE_CONTROL_DISABLED', 'none', { facility: uncontrolled }],
  ['VALID_SESSION_AND_SUBSCRIPTION', 'parking_session_and_subscription', BOTH],
  ['VALID_PREPAID_FACILITY_SESSION', 'parking_session', { sessions: [aSession()] }],
  ['VALID_FACILITY_SUBSCRIPTION', 'subscription', HELD],
  ['SESSION_NOT_STARTED', 'none', { sessions: [ENDED, LATER] }],
  ['SESSION_EXPIRED', 'none', { sessions: [ENDED] }],
  ['SUBSCRIPTION_NOT_ALLOWED', 'none', { ...HELD, facility: closed }],
  ['NO_VALID_FACILITY_ENTITLEMENT', 'none', {}],
];

function codeOf(facts: Partial<AccessFacts>): string {
  return decideFacilityAccess(accessFacts(facts), NOON).reasonCode;
}

describe('The decision of a gate', () => {
  for (const event of ACCESS_EVENTS) {
    it.each(ROWS)(`for ${event}, %s`, (code, source, facts) => {
      expect(decideFacilityAccess(accessFacts({ ...facts, event }), NOON)).toEqual({
        granted: source !== 'none',
        reasonCode: code,
        matchedSource: source,
      });
    });
  }

  it('has a row for every code, in the order of the codes', () => {
    expect(ROWS.map(([code]) => code)).toEqual([...ACCESS_REASON_CODES]);
  });

  const off = aFacility({ serviceEnabled: false, plateControlEnabled: false });
  it.each<[string, string, Partial<AccessFacts>]>([
    ['1 before 2', 'FACILITY_SERVICE_DISABLED', { facility: off }],
    ['2 before 3', 'PLATE_CONTROL_DISABLED', { facility: uncontrolled, ...BOTH }],
    ['4 when not admitted, before 7', 'VALID_PREPAID_FACILITY_SESSION', { facility: closed, ...BOTH }],
    ['4 before 6', 'VALID_PREPAID_FACILITY_SESSION', { sessions: [LATER, aSession(), ENDED] }],
    ['5 before 6', 'VALID_FACILITY_SUBSCRIPTION', { sessions: [LATER, ENDED], ...HELD }],
    ['6, starts later, before 7', 'SESSION_NOT_STARTED', { sessions: [LATER], ...HELD, facility: closed }],
    ['6, ended, before 7', 'SESSION_EXPIRED', { sessions: [ENDED], ...HELD, facility: closed }],
  ])('tries row %s: %s', (_, code, facts) => {
    expect(codeOf(facts)).toBe(code);
  });

  it('does not need a subscription to be admitted where none is held', () => {
    expect(codeOf({ facility: closed })).toBe('NO_VALID_FACILITY_ENTITLEMENT');
  });
});

describe('A session is within tolerance', () => {
  const startsAt = noon(-HOUR_MS);
  const endsAt = noon(HOUR_MS);
  const BEFORE = 10 * MINUTE_MS;
  const AFTER = 15 * MINUTE_MS;

  /** From and until when each event is let through, in ms from noon: the fixture's tolerances are 10 and 15 minutes. */
  const tolerated = {
    entry: [-HOUR_MS - BEFORE, HOUR_MS],
    exit: [-HOUR_MS, HOUR_MS + AFTER],
    verify: [-HOUR_MS - BEFORE, HOUR_MS + AFTER],
  } satisfies Record<AccessEvent, [number, number]>;

  it.each(
    ACCESS_EVENTS.flatMap((event) => {
      const [from, until] = tolerated[event];
      return [
        { event, ms: from - 1, granted: false, code: 'SESSION_NOT_STARTED' },
        { event, ms: from, granted: true, code: 'VALID_PREPAID_FACILITY_SESSION' },
        { event, ms: 0, granted: true, code: 'VALID_PREPAID_FACILITY_SESSION' },
        { event, ms: until - 1, granted: true, code: 'VALID_PREPAID_FACILITY_SESSION' },
        { event, ms: until, granted: false, code: 'SESSION_EXPIRED' },
      ];
    }),
  )('for $event, $ms ms from noon: $granted, $code', ({ event, ms, granted, code }) => {
    const facts = accessFacts({ event, sessions: [aSession({ startsAt, endsAt })] });
    expect(decideFacilityAccess(facts, noon(ms))).toMatchObject({ granted, reasonCode: code });
  });

  it.each(ACCESS_EVENTS)('for %s from its start to its end where there is no tolerance', (event) => {
    const facility = aFacility({ entryGraceMinutes: 0, exitGraceMinutes: 0 });
    const granted = (ms: number) =>
      decideFacilityAccess(accessFacts({ event, facility, sessions: [aSession()] }), noon(ms)).granted;
    expect([-HOUR_MS - 1, -HOUR_MS, HOUR_MS - 1, HOUR_MS].map(granted)).toEqual([false, true, true, false]);
  });

  it.each<[AccessEvent, number, boolean]>([
    ['entry', 5 * HOUR_MS - 1, true],
    ['entry', 5 * HOUR_MS, false],
    ['exit', 5 * HOUR_MS + AFTER - 1, true],
    ['exit', 5 * HOUR_MS + AFTER, false],
  ])(
    'while it is open: an %s %d ms after its start, where five hours are its bound: %s',
    (event, ms, granted) => {
      const open = aSession({ startsAt: NOON, endsAt: null, openSessionMaxHours: 5 });
      expect(decideFacilityAccess(accessFacts({ event, sessions: [open] }), noon(ms)).granted).toBe(granted);
    },
  );

  const startingIn = (ms: number) => [aSession({ startsAt: noon(ms), endsAt: noon(ms + HOUR_MS) })];
  const endedFor = (ms: number) => [aSession({ startsAt: noon(-ms - HOUR_MS), endsAt: noon(-ms) })];
  it.each<[string, AccessEvent, ParkingSession[], boolean]>([
    ['starts exactly 24 h later', 'entry', startingIn(DAY_MS), true],
    ['starts a millisecond later than that', 'entry', startingIn(DAY_MS + 1), false],
    ['ended less than 24 h ago', 'exit', endedFor(DAY_MS - 1), true],
    ['ended 24 h ago', 'exit', endedFor(DAY_MS), false],
  ])('with the longest tolerance, when it %s', (_, event, sessions, granted) => {
    const facility = aFacility({ entryGraceMinutes: 1_440, exitGraceMinutes: 1_440 });
    const expected = granted ? 'VALID_PREPAID_FACILITY_SESSION' : 'NO_VALID_FACILITY_ENTITLEMENT';
    expect(codeOf({ event, facility, sessions })).toBe(expected);
  });

  it('also when another one is nearer and is not', () => {
    const facility = aFacility({ entryGraceMinutes: 60 });
    const sessions = [aSession({ endsAt: NOON }), aSession({ startsAt: noon(HOUR_MS), endsAt: null })];
    expect(codeOf({ event: 'entry', facility, sessions })).toBe('VALID_PREPAID_FACILITY_SESSION');
  });
});

describe('A cancelled session never counts', () => {
  it.each<[string, ParkingSession]>([
    ['valid', aSession()],
    ['starting later', LATER],
    ['ended', ENDED],
    ['within tolerance', aSession({ startsAt: noon(5 * MINUTE_MS) })],
  ])('%s by its dates', (_, session) => {
    expect(codeOf({ sessions: [{ ...session, cancelledAt: NOON }] })).toBe('NO_VALID_FACILITY_ENTITLEMENT');
  });

  it('but one that is to be cancelled later does', () => {
    expect(codeOf({ sessions: [aSession({ cancelledAt: noon(1) })] })).toBe('VALID_PREPAID_FACILITY_SESSION');
  });
});

describe('A session that ended as it began never counts', () => {
  const stoppedAt = (ms: number) => aSession({ startsAt: noon(ms), endsAt: noon(ms) });

  it.each(ACCESS_EVENTS)('for %s, also within a tolerance', (event) => {
    const sessions = [stoppedAt(-5 * MINUTE_MS), stoppedAt(0), stoppedAt(5 * MINUTE_MS)];
    expect(codeOf({ event, sessions })).toBe('NO_VALID_FACILITY_ENTITLEMENT');
  });

  it('but one that lasted a millisecond does', () => {
    const brief = aSession({ startsAt: noon(-5 * MINUTE_MS), endsAt: noon(-5 * MINUTE_MS + 1) });
    expect(codeOf({ event: 'exit', sessions: [brief] })).toBe('VALID_PREPAID_FACILITY_SESSION');
  });
});

describe('Outside every tolerance, the session nearest in time explains the refusal', () => {
  const strict = aFacility({ entryGraceMinutes: 0, exitGraceMinutes: 0 });
  const startingIn = (ms: number) => aSession({ startsAt: noon(ms), endsAt: noon(ms + HOUR_MS) });
  const endedFor = (ms: number) => aSession({ startsAt: noon(-ms - HOUR_MS), endsAt: noon(-ms) });

  it.each<[string, string, ParkingSession[]]>([
    ['the one that starts sooner', 'SESSION_NOT_STARTED', [endedFor(100), startingIn(99)]],
    ['the one that ended later', 'SESSION_EXPIRED', [endedFor(99), startingIn(100)]],
    ['a tie starts later', 'SESSION_NOT_STARTED', [endedFor(100), startingIn(100)]],
    ['a tie, in the other order', 'SESSION_NOT_STARTED', [startingIn(100), endedFor(100)]],
    ['one that ended just now', 'SESSION_EXPIRED', [endedFor(0), startingIn(1)]],
    [
      'the nearest of many',
      'SESSION_EXPIRED',
      [startingIn(300), endedFor(500), endedFor(200), startingIn(400)],
    ],
    ['just within 24 h later', 'SESSION_NOT_STARTED', [startingIn(DAY_MS - 1)]],
    ['24 h later is outside', 'NO_VALID_FACILITY_ENTITLEMENT', [startingIn(DAY_MS)]],
    ['just within 24 h before', 'SESSION_EXPIRED', [endedFor(DAY_MS - 1)]],
    ['24 h before is outside', 'NO_VALID_FACILITY_ENTITLEMENT', [endedFor(DAY_MS)]],
    ['none', 'NO_VALID_FACILITY_ENTITLEMENT', []],
  ])('%s: %s', (_, code, sessions) => {
    expect(codeOf({ facility: strict, sessions })).toBe(code);
  });

  it('an open session past its bound has ended there', () => {
    const forgotten = aSession({ startsAt: noon(-5 * HOUR_MS), endsAt: null, openSessionMaxHours: 5 });
    expect(codeOf({ facility: strict, sessions: [forgotten] })).toBe('SESSION_EXPIRED');
  });

  it('a session that only the other event would tolerate is judged by its own dates', () => {
    const soon = aSession({ startsAt: noon(5 * MINUTE_MS) });
    const over = aSession({ endsAt: noon(-5 * MINUTE_MS) });
    expect(codeOf({ event: 'exit', sessions: [soon] })).toBe('SESSION_NOT_STARTED');
    expect(codeOf({ event: 'entry', sessions: [over] })).toBe('SESSION_EXPIRED');
  });
});
