import { sharedPart } from '../../storage/history/subscription-changes.ts';
import { clockOf, presentSubscription } from '../history/present.ts';
import type { SubscriptionRow } from './subscription-table.ts';

type Span = readonly [plate: string, validFrom: number | null, validUntil: number | null];

type Period = readonly [startsAt: number, endsAt: number];

/** The periods that payments made. */
export function presentPaid({ paid }: SubscriptionRow, timeZone: string) {
  const periods = JSON.parse(paid) as readonly Period[];
  const { shown } = clockOf(timeZone);
  return periods.map(([startsAt, endsAt]) => ({ starts_at: shown(startsAt), ends_at: shown(endsAt) }));
}

/** A stored subscription in the form of an import's line, with all its plates. */
export function presentStored(number: string, { record, spans }: SubscriptionRow, timeZone: string) {
  // The shape that the statement selects.
  const all = JSON.parse(spans) as readonly Span[];
  const { shownOrNull } = clockOf(timeZone);
  return {
    ...presentSubscription({ ...sharedPart({ number, record }), plates: [] }, '', timeZone),
    plates: all.map(([plate, from, until]) => ({
      plate,
      valid_from: shownOrNull(from),
      valid_until: shownOrNull(until),
    })),
  };
}
