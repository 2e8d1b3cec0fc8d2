import type { Subscription, SubscriptionPeriod } from '../../domain/subscription.ts';
import type { pastSubscriptions, subscriptions } from './schema/index.ts';

/** The columns of a title that the rules judge: of the present, or of a version. */
export const judgedColumns = <Table extends typeof subscriptions | typeof pastSubscriptions>(
  title: Table,
) => ({
  approval: title.approval,
  authorizedFrom: title.authorizedFrom,
  authorizedUntil: title.authorizedUntil,
  limitedTo: title.areas,
  suspendedFrom: title.suspendedFrom,
  suspendedUntil: title.suspendedUntil,
  revokedAt: title.revokedAt,
  periods: title.periods,
});

/** The judged columns of a row. */
export type JudgedRow = Pick<
  typeof subscriptions.$inferSelect,
  | 'approval'
  | 'authorizedFrom'
  | 'authorizedUntil'
  | 'suspendedFrom'
  | 'suspendedUntil'
  | 'revokedAt'
  | 'periods'
> & { readonly limitedTo: readonly string[] | null };

/** A row as the domain judges it, but for its number and its plates: imported and paid periods together. */
export const judgedPart = (
  row: JudgedRow,
  paid: readonly SubscriptionPeriod[],
): Omit<Subscription, 'subscriptionNumber' | 'plate' | 'plateValidity'> => ({
  approval: row.approval,
  authorized: { from: row.authorizedFrom, until: row.authorizedUntil },
  suspended: row.suspendedFrom === null ? null : { from: row.suspendedFrom, until: row.suspendedUntil },
  revokedAt: row.revokedAt,
  periods: [...row.periods.map(([startsAt, endsAt]) => ({ startsAt, endsAt })), ...paid],
  areas: row.limitedTo ?? 'all',
});
