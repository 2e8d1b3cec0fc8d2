import { instant, nullableInstant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import type { Subscription } from '../../domain/subscription.ts';
import type { RecordedSubscription } from './recorded.ts';

/** The part of a recorded subscription that the rules need. */
export type ListedSubscription = Omit<RecordedSubscription, 'type' | 'revision'>;

/** Converts a subscription that was recorded for one of its plates into the form that the rules take. */
export const subscriptionOf = (record: ListedSubscription, plate: Plate): Subscription => ({
  subscriptionNumber: record.subscription_number,
  plate,
  plateValidity: record.plates.map(({ valid_from, valid_until }) => ({
    from: nullableInstant(valid_from),
    until: nullableInstant(valid_until),
  })),
  approval: record.approval,
  authorized: {
    from: nullableInstant(record.authorized_from),
    until: nullableInstant(record.authorized_until),
  },
  suspended:
    record.suspended_from === null
      ? null
      : { from: instant(record.suspended_from), until: nullableInstant(record.suspended_until) },
  revokedAt: nullableInstant(record.revoked_at),
  periods: record.periods.map(({ starts_at, ends_at }) => ({
    startsAt: instant(starts_at),
    endsAt: instant(ends_at),
  })),
  areas: record.areas,
});
