import { instant, nullableInstant } from '../domain/instant.ts';
import { storedPlate } from '../domain/plate.ts';
import type { Subscription } from '../domain/subscription.ts';
import type { StoredSession } from './told.ts';

/** What the journal's record of a session has that a list depends on. Instants are in milliseconds. */
interface SessionRecord {
  readonly plate: string;
  readonly starts_at: number;
  readonly ends_at: number | null;
  readonly cancelled_at: number | null;
}

/** Likewise of a subscription: `plates` are the entries of the row's own plate. */
interface SubscriptionRecord {
  readonly subscription_number: string;
  readonly plates: readonly { readonly valid_from: number | null; readonly valid_until: number | null }[];
  readonly approval: Subscription['approval'];
  readonly authorized_from: number | null;
  readonly authorized_until: number | null;
  readonly areas: 'all' | readonly string[];
  readonly suspended_from: number | null;
  readonly suspended_until: number | null;
  readonly revoked_at: number | null;
  readonly periods: readonly { readonly starts_at: number; readonly ends_at: number }[];
}

/** A session as a row of the journal has it. */
export function sessionOfRecord(json: string, sourceCode: string): StoredSession {
  // The shape is that of the import's statement.
  const record = JSON.parse(json) as SessionRecord;
  return {
    plate: storedPlate(record.plate),
    sourceCode,
    startsAt: instant(record.starts_at),
    endsAt: nullableInstant(record.ends_at),
    cancelledAt: nullableInstant(record.cancelled_at),
  };
}

/** A subscription as a row of the journal has it, seen from that row's plate. */
export function subscriptionOfRecord(json: string, plate: string): Subscription {
  // The shape is that of the import's statement.
  const record = JSON.parse(json) as SubscriptionRecord;
  return {
    subscriptionNumber: record.subscription_number,
    plate: storedPlate(plate),
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
  };
}
