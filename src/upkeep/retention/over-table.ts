import { type SQL, sql } from 'drizzle-orm';
import { HOUR_MS } from '../../domain/instant.ts';
import { parkingSessions, payments, sources, subscriptions } from '../../storage/db/schema/index.ts';
import { literal } from '../../storage/db/sql.ts';

/** When a session is over: at its effective end, or at its cancellation if that is earlier. */
export const SESSION_OVER_AT: SQL<number> = sql`min(
  coalesce(${parkingSessions.endsAt}, ${parkingSessions.startsAt} + ${literal(HOUR_MS)} * (
    select ${sources.openSessionMaxHours} from ${sources}
    where ${sources.municipalityId} = ${parkingSessions.municipalityId} and ${sources.code} = ${parkingSessions.sourceCode})),
  coalesce(${parkingSessions.cancelledAt}, ${literal(Number.MAX_SAFE_INTEGER)}))`;

/** When the period of a payment is over: at its end, or when its reversal was recorded. 0: it made none. */
const PAID_UNTIL: SQL = sql`coalesce(min(${payments.endsAt}, coalesce(${payments.reversalRecordedAt}, ${payments.endsAt})), 0)`;

export const paymentIsOver = (before: SQL): SQL => sql`${PAID_UNTIL} < ${before}`;

/**
 * The domain's `subscriptionOverAt`, of a subscription whose last change is before the instant. A period that was reversed before
 * it began is none.
 */
export const subscriptionIsOver = (before: SQL): SQL => sql`(
  ${subscriptions.approval} = 'rejected' or coalesce(${subscriptions.revokedAt} < ${before}, 0) or max(
    coalesce(${subscriptions.authorizedUntil}, 0),
    coalesce((select max(value ->> 1) from json_each(${subscriptions.periods})), 0),
    coalesce((select max(${PAID_UNTIL}) from ${payments} where ${payments.subscriptionId} = ${subscriptions.id}
      and ${payments.startsAt} is not null
      and coalesce(${payments.startsAt} < ${payments.reversalRecordedAt}, 1)), 0)) < ${before})`;
