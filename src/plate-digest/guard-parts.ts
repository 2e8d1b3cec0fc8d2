import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { parkingSessions, sources, subscriptions } from '../db/schema/index.ts';
import { OPEN_END } from '../db/schema/sessions.ts';
import { literal, tableByIndex } from '../db/sql.ts';
import { HOUR_MS } from '../domain/instant.ts';

const NEVER = literal(OPEN_END);

/** What an erased plate's digest guards: a session or a subscription, as the tables name it. */
export interface Guarded {
  readonly municipality: SQL;
  readonly source: SQL;
  readonly key: SQL;
}

/** When a session ends, as retention has it. Null where there is none. */
export const sessionGuardedUntil = ({ municipality, source, key }: Guarded): SQL => sql`(
  select min(
    coalesce(${parkingSessions.endsAt}, ${parkingSessions.startsAt} + ${sources.openSessionMaxHours} * ${literal(HOUR_MS)}),
    coalesce(${parkingSessions.cancelledAt}, ${NEVER}))
  from ${tableByIndex(parkingSessions, 'parking_sessions_key')} cross join ${sources}
    on ${sources.municipalityId} = ${parkingSessions.municipalityId} and ${sources.code} = ${parkingSessions.sourceCode}
  where ${parkingSessions.municipalityId} = ${municipality} and ${parkingSessions.sourceCode} = ${source}
    and ${parkingSessions.sessionId} = ${key})`;

/** When a subscription is over, as retention has it. */
export const overAt = (of: SubscriptionTimes): SQL => sql`min(
    coalesce(
      max(${of.authorizedUntil}, coalesce(${of.lastPeriodEndsAt}, ${of.authorizedUntil})),
      ${of.unboundedUntil}, ${NEVER}),
    coalesce(${of.revokedAt}, ${NEVER}),
    iif(${of.approval} = 'rejected', coalesce(${of.changedAt}, ${NEVER}), ${NEVER}))`;

/** The table of subscriptions, under any alias. */
type SubscriptionTimes = Readonly<
  Record<
    'authorizedUntil' | 'lastPeriodEndsAt' | 'unboundedUntil' | 'revokedAt' | 'approval' | 'changedAt',
    SQLWrapper
  >
>;

/** Likewise a subscription. */
export const subscriptionGuardedUntil = ({ municipality, key }: Omit<Guarded, 'source'>): SQL => sql`(
  select ${overAt(subscriptions)}
  from ${tableByIndex(subscriptions, 'subscriptions_number')}
  where ${subscriptions.municipalityId} = ${municipality} and ${subscriptions.subscriptionNumber} = ${key})`;
