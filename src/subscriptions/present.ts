import { clockOf } from '../history/present.ts';
import type { SubscriptionRecord } from '../history/subscription-record.ts';
import type { SubscriptionRow } from './subscription-table.ts';

type Span = readonly [plate: string, validFrom: number | null, validUntil: number | null];

/** A stored subscription as a line of an import has it, with all its plates. */
export function presentStored(number: string, row: SubscriptionRow, timeZone: string) {
  // As `presentRecord` and the statement make them.
  const record = JSON.parse(row.record) as SubscriptionRecord;
  const spans = JSON.parse(row.spans) as readonly Span[];
  const { shown, shownOrNull } = clockOf(timeZone);
  return {
    subscription_number: number,
    revision: record.revision ?? null,
    type: record.type,
    plates: spans.map(([plate, from, until]) => ({
      plate,
      valid_from: shownOrNull(from),
      valid_until: shownOrNull(until),
    })),
    approval: record.approval,
    authorized_from: shownOrNull(record.authorized_from),
    authorized_until: shownOrNull(record.authorized_until),
    areas: record.areas === 'all' ? ('all' as const) : [...record.areas],
    suspended_from: shownOrNull(record.suspended_from),
    suspended_until: shownOrNull(record.suspended_until),
    revoked_at: shownOrNull(record.revoked_at),
    periods: record.periods.map(([start, end]) => ({ starts_at: shown(start), ends_at: shown(end) })),
  };
}
