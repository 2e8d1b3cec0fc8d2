import type { RecordedByName } from '../db/subscription-fields.ts';

/** The part that a subscription's plates share, as a past version stores it. Absent values are left out. */
export interface SubscriptionRecord extends RecordedByName {
  /** The code of its type. */
  readonly type: string;
  /** Codes, in order. */
  readonly areas: 'all' | readonly string[];
  /** By start. A move copies these records, so they name the payment of a paid period. */
  readonly periods: readonly (readonly [startsAt: number, endsAt: number, paidBy: string | null])[];
  readonly revision?: number | undefined;
}
