import type { ByName } from '../db/shared-instants.ts';

/** What the plates of a subscription share, as a past version keeps it. What it does not have is left out. */
export interface SubscriptionRecord extends Partial<ByName<number | undefined>> {
  /** The code of its type. */
  readonly type: string;
  readonly approval: 'approved' | 'pending' | 'rejected';
  /** Codes, in order. */
  readonly areas: 'all' | readonly string[];
  /** In order. A paid one says by which payment: a copy is made of these records too. */
  readonly periods: readonly (readonly [startsAt: number, endsAt: number, paidBy: string | null])[];
  readonly revision?: number | undefined;
}
