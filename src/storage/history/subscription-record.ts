/** What the plates of a subscription share, as a past version keeps it. What it does not have is left out. */
export interface SubscriptionRecord {
  /** The code of its type. */
  readonly type: string;
  readonly approval: 'approved' | 'pending' | 'rejected';
  /** Codes, in order. */
  readonly areas: 'all' | readonly string[];
  /** Starts and ends, in order. */
  readonly periods: readonly (readonly [startsAt: number, endsAt: number])[];
  readonly authorized_from?: number | undefined;
  readonly authorized_until?: number | undefined;
  readonly suspended_from?: number | undefined;
  readonly suspended_until?: number | undefined;
  readonly revoked_at?: number | undefined;
  readonly revision?: number | undefined;
}
