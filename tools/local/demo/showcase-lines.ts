import type { Instant } from '../../../src/domain/instant.ts';
import {
  type LocatedSubscription,
  type SourcedSession,
  type SubscriptionLine,
  TimesAround,
} from './lines.ts';
import { SHOWCASE, SHOWCASE_CITY } from './showcase.ts';

/** The sessions of the special plates at an instant. */
export function showcaseSessions(now: Instant): SourcedSession[] {
  const times = new TimesAround(now);
  return SHOWCASE.flatMap(({ plate, sessions }) =>
    (sessions?.(times) ?? []).map(({ source, ...line }, index) => ({
      municipalityCode: SHOWCASE_CITY,
      sourceCode: source,
      line: { session_id: `${plate}-${index + 1}`, plate, ...line },
    })),
  );
}

/** The subscriptions of the special plates at an instant. */
export function showcaseSubscriptions(now: Instant): LocatedSubscription[] {
  const times = new TimesAround(now);
  return SHOWCASE.flatMap(({ plate, subscriptions }) =>
    (subscriptions?.(times) ?? []).map((own, index) => ({
      municipalityCode: SHOWCASE_CITY,
      line: { ...validEverywhere(`SUB-${plate}-${index + 1}`, plate, times), ...own },
    })),
  );
}

/** A subscription granted for more than a year, and paid from ten days ago to twenty days ahead. */
export function validEverywhere(number: string, plate: string, times: TimesAround): SubscriptionLine {
  return {
    subscription_number: number,
    type: 'RES',
    plates: [{ plate }],
    approval: 'approved',
    authorized_from: times.inDays(-200),
    authorized_until: times.inDays(200),
    areas: 'all',
    periods: [{ starts_at: times.inDays(-10), ends_at: times.inDays(20) }],
  };
}
