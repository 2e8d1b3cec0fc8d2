import { instant, nullableInstant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { termsOf } from '../db/subscription-fields.ts';
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
  ...termsOf(record),
  periods: record.periods.map(({ starts_at, ends_at }) => ({
    startsAt: instant(starts_at),
    endsAt: instant(ends_at),
  })),
  areas: record.areas,
});
