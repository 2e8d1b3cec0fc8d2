import { type Instant, MINUTE_MS } from '../../../src/domain/instant.ts';
import type { Command } from './commands.ts';
import { type LocatedSubscription, type SourcedSession, TimesAround } from './lines.ts';
import { validEverywhere } from './showcase-lines.ts';

/** The city of the officer's round. All of its sources report on time. */
export const PATROL_CITY = 'L378';
/** Payment is always due here. */
const PATROL_FACILITY = 'DUOMO-P5';
/** Payment is never due here. */
export const FREE_STREET = 'CROSSO';
/** How long an officer waits, and how long a driver may overstay. */
export const PATROL_TOLERANCE = { observation_minutes: 2, overstay_minutes: 30 };

/** Further plates for the round. */
const OVERSTAYING = 'DE601MO';
const NEVER_PAID = 'DE602MO';
const UNREADABLE = 'DE603MO';

/** Long enough for every source of the city to have reported, so that waiting settles nothing. */
const LONG_MS = 90 * MINUTE_MS;

/** A session whose exit tolerance is over. Each refresh renews it. */
export function patrolSessions(now: Instant): SourcedSession[] {
  const times = new TimesAround(now);
  return [
    {
      municipalityCode: PATROL_CITY,
      sourceCode: 'app',
      line: {
        session_id: `${OVERSTAYING}-1`,
        plate: OVERSTAYING,
        area_code: PATROL_FACILITY,
        starts_at: times.inHours(-2),
        ends_at: times.inMinutes(-18),
      },
    },
  ];
}

/** A subscription that was granted and never paid. */
export function patrolSubscriptions(now: Instant): LocatedSubscription[] {
  const line = validEverywhere(`SUB-${NEVER_PAID}-1`, NEVER_PAID, new TimesAround(now));
  return [{ municipalityCode: PATROL_CITY, line: { ...line, periods: [] } }];
}

/** A line that is rejected: its area does not exist. */
export function unreadableLine(now: Instant): string {
  const times = new TimesAround(now);
  return JSON.stringify({
    session_id: `${UNREADABLE}-1`,
    plate: UNREADABLE,
    area_code: 'NOWHERE',
    starts_at: times.inHours(-2),
    ends_at: times.inHours(2),
  });
}

/** An officer's round: a car for each finding that does not depend on the demonstration's ordinary sessions. */
export function patrolRound(now: string): Command {
  const longAgo = new Date(Date.parse(now) - LONG_MS).toISOString();
  const here = { area_code: PATROL_FACILITY };
  return {
    title:
      'An officer’s round: a car has overstayed a little, one owes nothing, one may be paying, a permit was never paid, a payment could not be read, and one has nothing',
    holder: 'patrol',
    path: '/api/v2/patrol/checks',
    body: {
      checks: [
        { id: '1', plate: OVERSTAYING, ...here },
        { id: '2', plate: 'QU 999 QU', area_code: FREE_STREET },
        { id: '3', plate: 'QU 998 QU', ...here },
        { id: '4', plate: NEVER_PAID, ...here, seen_at: longAgo },
        { id: '5', plate: UNREADABLE, ...here, seen_at: longAgo },
        { id: '6', plate: 'QU 997 QU', ...here, seen_at: longAgo },
      ],
    },
    outcome: {
      'results.0.finding': 'tolerated',
      'results.1.finding': 'not_due',
      'results.2.finding': 'look_again',
      'results.3.doubts.0.code': 'SUBSCRIPTION_MAY_BE_RENEWED',
      'results.4.doubts.0.code': 'LINE_REJECTED',
      'results.5.finding': 'no_entitlement',
    },
  };
}
