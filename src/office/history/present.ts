import { instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import { inJsonOrder } from '../../storage/db/subscription-fields.ts';
import type { Change, RecordedSession, RecordedSubscription } from '../../storage/history/recorded.ts';
import type { SessionRecord, SubscriptionRecord } from './contract.ts';

/** A change's record as an import's line has it, instants in a time zone. */
export function presentRecord(
  change: Change,
  plate: Plate,
  timeZone: string,
): SessionRecord | SubscriptionRecord {
  switch (change.kind) {
    case 'parking_session':
      return change.record === null
        ? { session_id: change.key, plate: null }
        : presentSession(change.record, plate, timeZone);
    case 'subscription':
      return change.record === null
        ? { subscription_number: change.key, plates: [] }
        : presentSubscription(change.record, plate, timeZone);
    default:
      return change satisfies never;
  }
}

/** A session, as it was recorded or as it is stored, as an import's line has it. */
export function presentSession(session: Omit<RecordedSession, 'plate'>, plate: Plate, timeZone: string) {
  const { shown, shownOrNull } = clockOf(timeZone);
  return {
    session_id: session.session_id,
    plate,
    area_code: session.area_code,
    starts_at: shown(session.starts_at),
    ends_at: shownOrNull(session.ends_at),
    cancelled_at: shownOrNull(session.cancelled_at),
    revision: session.revision,
  } satisfies SessionRecord;
}

/** Likewise a subscription, with this plate alone. */
export function presentSubscription(subscription: RecordedSubscription, plate: string, timeZone: string) {
  const { shown, shownOrNull } = clockOf(timeZone);
  return {
    subscription_number: subscription.subscription_number,
    revision: subscription.revision,
    type: subscription.type,
    plates: subscription.plates.map(({ valid_from, valid_until }) => ({
      plate,
      valid_from: shownOrNull(valid_from),
      valid_until: shownOrNull(valid_until),
    })),
    ...inJsonOrder(
      subscription.areas === 'all' ? ('all' as const) : [...subscription.areas],
      ({ name }) => subscription[name],
      ({ name }) => shownOrNull(subscription[name]),
    ),
    periods: subscription.periods.map(({ starts_at, ends_at }) => ({
      starts_at: shown(starts_at),
      ends_at: shown(ends_at),
    })),
  } satisfies SubscriptionRecord;
}

/** Shows instants in a time zone. */
export function clockOf(timeZone: string) {
  const shown = (ms: number): string => formatInstant(instant(ms), timeZone);
  return { shown, shownOrNull: (ms: number | null) => (ms === null ? null : shown(ms)) };
}
