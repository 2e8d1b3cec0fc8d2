import type { Instant } from '../../../src/domain/instant.ts';
import { type LocatedSubscription, type SourcedSession, TimesAround } from './lines.ts';
import { validEverywhere } from './showcase-lines.ts';

/** Where an officer walks: all sources of this city report on time. */
export const PATROL_CITY = 'L378';
/** Where payment is always due, and where it never is. */
export const PATROL_FACILITY = 'DUOMO-P5';
export const FREE_STREET = 'CROSSO';
/** What the city lets an officer wait, and a driver overstay. */
export const PATROL_TOLERANCE = { observation_minutes: 2, overstay_minutes: 30 };

/** Plates that the walk needs beside the ordinary ones. */
export const OVERSTAYING = 'DE601MO';
export const NEVER_PAID = 'DE602MO';
export const UNREADABLE = 'DE603MO';

/** Ended when no gate lets it out any more, and again at each refresh. */
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

/** A permit that was granted and never paid. */
export function patrolSubscriptions(now: Instant): LocatedSubscription[] {
  const title = validEverywhere(`SUB-${NEVER_PAID}-1`, NEVER_PAID, new TimesAround(now));
  return [{ municipalityCode: PATROL_CITY, line: { ...title, periods: [] } }];
}

/** A payment for an area that nobody knows: its line is rejected. */
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
