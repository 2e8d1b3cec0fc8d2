import type { Instant } from '../../../src/domain/instant.ts';
import { type LocatedSubscription, type SourcedSession, TimesAround } from './lines.ts';
import { validEverywhere } from './showcase-lines.ts';

/** The city of the officer's walk. All of its sources report on time. */
export const PATROL_CITY = 'L378';
/** Payment is always due here. */
export const PATROL_FACILITY = 'DUOMO-P5';
/** Payment is never due here. */
export const FREE_STREET = 'CROSSO';
/** How long an officer waits, and how long a driver may overstay. */
export const PATROL_TOLERANCE = { observation_minutes: 2, overstay_minutes: 30 };

/** Further plates for the walk. */
export const OVERSTAYING = 'DE601MO';
export const NEVER_PAID = 'DE602MO';
export const UNREADABLE = 'DE603MO';

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
