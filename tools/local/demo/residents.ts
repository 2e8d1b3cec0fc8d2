import { DAY_MS, type Instant } from '../../../src/domain/instant.ts';
import type { SubscriptionType } from './configuration.ts';
import { type LocatedSubscription, timeText } from './lines.ts';
import { plateOf } from './plates.ts';
import { Random } from './random.ts';

const SUBSCRIPTIONS_PER_CITY = 100;
const TYPES: readonly SubscriptionType[] = ['RES', 'RES', 'RES', 'WORK', 'FLEET'];

/** Above the serials of all sessions' plates. */
const FIRST_PLATE = 210_000_000;
const PERIOD_DAYS = 30;

/**
 * Synthetic subscriptions of each municipality, valid everywhere in it: granted for two years, and paid for the 30 days around
 * the instant. Like the sessions, they are renewed under the same numbers.
 */
export function ordinarySubscriptions(
  municipalities: readonly string[],
  now: Instant,
): LocatedSubscription[] {
  return municipalities.flatMap((municipalityCode, city) =>
    Array.from({ length: SUBSCRIPTIONS_PER_CITY }, (_, index) => ({
      municipalityCode,
      line: subscription(municipalityCode, index, FIRST_PLATE + city * SUBSCRIPTIONS_PER_CITY + index, now),
    })),
  );
}

function subscription(municipalityCode: string, index: number, plateNumber: number, now: Instant) {
  const random = new Random(`${municipalityCode} subscription ${index}`);
  const phase = random.below(PERIOD_DAYS);
  const today = Math.floor(now / DAY_MS);
  const firstDay = today - ((today - phase) % PERIOD_DAYS);
  const inDays = (days: number) => timeText((firstDay + days) * DAY_MS);
  return {
    subscription_number: `${municipalityCode}-${String(index + 1).padStart(4, '0')}`,
    type: TYPES[random.below(TYPES.length)] ?? 'RES',
    plates: [{ plate: plateOf(plateNumber) }],
    approval: 'approved' as const,
    authorized_from: inDays(-365),
    authorized_until: inDays(365),
    areas: 'all' as const,
    periods: [{ starts_at: inDays(0), ends_at: inDays(PERIOD_DAYS) }],
  };
}
