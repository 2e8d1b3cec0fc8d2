import { describe, expect, it } from 'vitest';
import { checkInstant } from '../../src/domain/check-instant.ts';
import { judgeEntitlement } from '../../src/domain/entitlement.ts';
import {
  ACCESS_EVENTS,
  ACCESS_REASON_CODES,
  type AccessFacts,
  decideFacilityAccess,
  type Facility,
  MATCHED_SOURCES,
} from '../../src/domain/facility-access.ts';
import { DAY_MS, HOUR_MS, instant, MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import {
  isInSessionWindow,
  type ParkingSession,
  SESSION_STATUSES,
  SESSION_WINDOW_MS,
  sessionStatus,
} from '../../src/domain/parking-session.ts';
import {
  diagnoseSubscription,
  SUBSCRIPTION_REASON_CODES,
  SUBSCRIPTION_STATUSES,
  type Subscription,
} from '../../src/domain/subscription.ts';
import { accessFacts, aFacility, aSession, aSubscription, NOON, noon } from '../domain/fixtures.ts';
import {
  clock,
  expectPrecedence,
  isNumbered,
  listed,
  named,
  numberOrNull,
  orNone,
  Page,
  unique,
} from './page-tables.ts';

const PAGE = new Page('interface/plate-check');

describe('docs/interface/plate-check.md says truly', () => {
  const HELD = {
    nothing: {},
    'a session': { sessions: [aSession()] },
    'a subscription for all areas': { subscription: aSubscription({ subscriptionNumber: 'ALL' }) },
    'a subscription for P1': { subscription: aSubscription({ subscriptionNumber: 'P1', areas: ['P1'] }) },
  } as const;
  const isHeld = (name: string): name is keyof typeof HELD => name in HELD;

  const ANSWERS = PAGE.rows(
    'the plate holds',
    'area_code',
    'has_valid_parking',
    'has_valid_subscription',
    'has_valid_entitlement',
    'verification_complete',
    'so',
  );
  it.each(named(ANSWERS, 'the plate holds', 'area_code'))('what to act on for: %s', (_, row) => {
    const names = listed(row['the plate holds']);
    expect(names.filter((name) => !isHeld(name))).toEqual([]);
    const held = names.filter(isHeld).map((name) => HELD[name]);
    const verdict = judgeEntitlement(
      {
        sessions: held.flatMap((one) => ('sessions' in one ? one.sessions : [])),
        subscriptions: held.flatMap((one) => ('subscription' in one ? [one.subscription] : [])),
        subscriptionsSupported: true,
        areaCode: row.area_code === 'none' ? null : row.area_code,
      },
      NOON,
    );
    expect(row).toMatchObject({
      has_valid_parking: String(verdict.hasValidParking),
      has_valid_subscription: String(verdict.hasValidSubscription),
      has_valid_entitlement: String(verdict.hasValidEntitlement),
      verification_complete: String(verdict.verificationComplete),
    });
    const advice = verdict.verificationComplete ? /^(entitled|a valid negative)$/ : /act on it|ask again/;
    expect(row.so).toMatch(advice);
    expect(row.so.startsWith('entitled')).toBe(verdict.hasValidEntitlement);
  });

  describe('of a session', () => {
    const rows = PAGE.rows('#', 'when', 'status', 'means');
    const CAUSES: Readonly<Record<string, Partial<ParkingSession>>> = {
      'it was cancelled by t': { cancelledAt: NOON },
      'it starts after t': { startsAt: noon(1), endsAt: noon(HOUR_MS) },
      'it has ended by t': { startsAt: noon(-HOUR_MS), endsAt: NOON },
      otherwise: {},
    };
    const statusOf = (cause: Partial<ParkingSession>) => sessionStatus(aSession(cause), NOON);

    it('every status, once and in the order of precedence', () => {
      expect(rows.map(({ when }) => when)).toEqual(Object.keys(CAUSES));
      expect(isNumbered(rows)).toBe(true);
      expect(unique(rows.map(({ status }) => status))).toEqual(unique(SESSION_STATUSES));
      expectPrecedence(
        CAUSES,
        rows.map(({ status }) => status),
        statusOf,
      );
    });

    it.each(PAGE.rows('starts_at', 'ends_at', 'cancelled_at', 'checked_at', 'status'))(
      'the status of one from $starts_at to $ends_at at $checked_at',
      (row) => {
        const session = aSession({
          startsAt: clock(row.starts_at),
          endsAt: orNone(clock, row.ends_at),
          cancelledAt: orNone(clock, row.cancelled_at),
        });
        expect(sessionStatus(session, clock(row.checked_at))).toBe(row.status);
      },
    );

    it.each(PAGE.rows('checked_at', 'starts_at', 'ends_at', 'found'))(
      'whether one from $starts_at to $ends_at is found',
      (row) => {
        const session = aSession({ startsAt: clock(row.starts_at), endsAt: clock(row.ends_at) });
        expect(isInSessionWindow(session, clock(row.checked_at))).toBe(row.found === 'yes');
        expect(SESSION_WINDOW_MS).toBe(24 * HOUR_MS);
      },
    );
  });

  describe('of a subscription', () => {
    const rows = PAGE.rows('#', 'when', 'reason_code', 'status', 'is valid');
    const period = (from: number, until: number) => ({ startsAt: noon(from), endsAt: noon(until) });
    const PAST = period(-2 * HOUR_MS, 0);
    const FUTURE = period(1, HOUR_MS);
    const CAUSES: Readonly<Record<string, { readonly areaCode?: string | null } & Partial<Subscription>>> = {
      'revoked by t': { revokedAt: NOON },
      'suspended at t': { suspended: { from: NOON, until: null } },
      'its authorization starts later': { authorized: { from: noon(1), until: null } },
      'its authorization has ended': { authorized: { from: null, until: NOON } },
      'no period was ever paid': { periods: [] },
      'all paid periods start later': { periods: [FUTURE] },
      'between two paid periods': { periods: [PAST, FUTURE] },
      'all paid periods have ended': { periods: [PAST] },
      'limited to areas, and no area_code was sent': { areas: ['P1'], areaCode: null },
      'limited to other areas than area_code': { areas: ['P2'] },
      otherwise: {},
    };
    const diagnose = ({ areaCode = 'P1', ...subscription }: (typeof CAUSES)[string]) =>
      diagnoseSubscription(aSubscription(subscription), NOON, areaCode);

    it('every reason and status, in the order of precedence', () => {
      expect(rows.map(({ when }) => when)).toEqual(Object.keys(CAUSES));
      expect(isNumbered(rows)).toBe(true);
      expect(unique(rows.map((row) => row.reason_code))).toEqual(unique(SUBSCRIPTION_REASON_CODES));
      expect(unique(rows.map(({ status }) => status))).toEqual(unique(SUBSCRIPTION_STATUSES));
      const said = rows.map(({ reason_code: reasonCode, status }) => ({ reasonCode, status }));
      expectPrecedence(CAUSES, said, diagnose);
    });

    it('that one reason alone makes it valid', () => {
      const valid = rows.filter((row) => row['is valid'] === 'yes').map((row) => row.reason_code);
      expect(valid).toEqual(['VALID_SUBSCRIPTION']);
    });

    it('what every status means', () => {
      expect(unique(PAGE.rows('status', 'means').map(({ status }) => status))).toEqual(
        unique(SUBSCRIPTION_STATUSES),
      );
    });
  });

  describe('of a gate', () => {
    const rows = PAGE.rows('#', 'when', 'access_granted', 'access_reason_code', 'matched_source');
    const LATER = aSession({ startsAt: noon(5 * HOUR_MS), endsAt: noon(6 * HOUR_MS) });
    const ENDED = aSession({ startsAt: noon(-6 * HOUR_MS), endsAt: noon(-5 * HOUR_MS) });
    type Cause = Partial<Omit<AccessFacts, 'facility'> & Facility>;
    const CAUSES: Readonly<Record<string, Cause>> = {
      "the facility's service is off": { serviceEnabled: false },
      'its plate control is off': { plateControlEnabled: false },
      'a session is within tolerance, and a subscription is valid here and opens the gate': {
        sessions: [aSession()],
        holdsSubscription: true,
      },
      'a session is within tolerance': { sessions: [aSession()] },
      'a subscription is valid here and opens the gate': { holdsSubscription: true },
      'the nearest session of the 24 hours before and after starts later': { sessions: [ENDED, LATER] },
      'the nearest session of the 24 hours before and after has ended': { sessions: [ENDED] },
      'a subscription is valid here, and does not open the gate': {
        holdsSubscription: true,
        subscriptionAccess: false,
      },
      otherwise: {},
    };
    const decide = ({ event, sessions, holdsSubscription, ...facility }: Cause) => {
      const given = {
        ...(event && { event }),
        ...(sessions && { sessions }),
        ...(holdsSubscription && { holdsSubscription }),
      };
      const decision = decideFacilityAccess(accessFacts({ ...given, facility: aFacility(facility) }), NOON);
      return [String(decision.granted), decision.reasonCode, decision.matchedSource];
    };

    it('every reason and source, in the order of precedence', () => {
      expect(rows.map(({ when }) => when)).toEqual(Object.keys(CAUSES));
      expect(isNumbered(rows)).toBe(true);
      expect(unique(rows.map((row) => row.access_reason_code))).toEqual(unique(ACCESS_REASON_CODES));
      expect(unique(rows.map((row) => row.matched_source))).toEqual(unique(MATCHED_SOURCES));
      const said = rows.map((row) => [row.access_granted, row.access_reason_code, row.matched_source]);
      expectPrecedence(CAUSES, said, decide, expectedRow);
    });

    /** A session and a subscription that opens the gate are row 3 together. */
    const expectedRow = ({ sessions, holdsSubscription, subscriptionAccess }: Cause, first: number) =>
      first === 3 && sessions && holdsSubscription && subscriptionAccess !== false ? 2 : first;

    it.each(PAGE.rows('event', 'from', 'until, not included'))('when it opens for $event', (row) => {
      const session = aSession({ startsAt: clock('10:00'), endsAt: clock('12:00') });
      const isOpen = (ms: number) =>
        decideFacilityAccess(
          accessFacts({
            event: eventOf(row.event),
            sessions: [session],
            facility: aFacility({ entryGraceMinutes: 10, exitGraceMinutes: 15 }),
          }),
          instant(ms),
        ).granted;
      const [from, until] = [clock(row.from), clock(row['until, not included'])];
      expect([from - 1, from, until - 1, until].map(isOpen)).toEqual([false, true, true, false]);
    });

    const eventOf = (text: string) => ACCESS_EVENTS.find((event) => event === text) ?? 'verify';

    it('that of every event', () => {
      const events = PAGE.rows('event', 'from', 'until, not included').map(({ event }) => event);
      expect(unique(events)).toEqual(unique(ACCESS_EVENTS));
    });
  });

  it.each(PAGE.rows('historical_days_allowed', 'checked_at', 'answer'))(
    'which instant it verifies $checked_at with $historical_days_allowed days',
    (row) => {
      const lookback = {
        historicalDaysAllowed: numberOrNull(row.historical_days_allowed),
        sessionRetentionDays: 400,
        subscriptionRetentionDays: 1_825,
      };
      const asked = relative(row.checked_at);
      const found = checkInstant(asked, NOON, lookback);
      const answers = {
        verified: { at: asked },
        'verified as now': { at: NOON },
        CHECKED_AT_IN_FUTURE: { refused: 'CHECKED_AT_IN_FUTURE' },
        CHECKED_AT_OUT_OF_RANGE: { refused: 'CHECKED_AT_OUT_OF_RANGE' },
      };
      expect(found).toEqual(answers[row.answer as keyof typeof answers]);
    },
  );
});

/** `300 s ago`, `5 s ahead`, `399 days ago`. */
function relative(cell: string) {
  const [, count, unit = '', direction] = /^(\d+) (s|min|h|days) (ago|ahead)$/.exec(cell) ?? [];
  const units: Readonly<Record<string, number>> = { s: SECOND_MS, min: MINUTE_MS, h: HOUR_MS, days: DAY_MS };
  return noon(Number(count) * (units[unit] ?? Number.NaN) * (direction === 'ago' ? -1 : 1));
}
