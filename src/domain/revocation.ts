import type { SubscriptionEnds } from './subscription.ts';

/** Whether a revocation gives nothing before it comes, whatever else its line says. Null for a change that does not revoke. */
export function onlyRevokes(before: SubscriptionEnds, after: SubscriptionEnds): boolean | null {
  const { revokedAt } = after;
  if (before.revokedAt !== null || revokedAt === null) {
    return null;
  }
  return (
    (before.approval === after.approval || after.approval !== 'approved') &&
    Math.min(after.authorizedUntil ?? revokedAt, revokedAt) <= (before.authorizedUntil ?? revokedAt) &&
    (after.lastPeriodEndsAt === null ||
      Math.min(after.lastPeriodEndsAt, revokedAt) <= (before.lastPeriodEndsAt ?? Number.NEGATIVE_INFINITY))
  );
}
