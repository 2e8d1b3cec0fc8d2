import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { db } from '../../storage/db/batch.ts';
import { payments, subscriptions } from '../../storage/db/schema/index.ts';

export const PAYMENT_STATES = ['accepted', 'unsettled', 'settled', 'reversed'] as const;

/** The state of a payment. */
export const STATE: SQL<(typeof PAYMENT_STATES)[number]> = sql`case
  when ${payments.reversedAt} is not null then 'reversed' when ${payments.settledAt} is not null then 'settled'
  when ${payments.startsAt} is null then 'unsettled' else 'accepted' end`;

/** A payment, and what became of it. Its plate may be a pseudonym. */
export const PAYMENT = {
  ...getTableColumns(payments),
  state: STATE.as('state'),
  /** Of the subscription that was meant; null too once retention has taken it. */
  subscriptionNumber: subscriptions.subscriptionNumber,
};

/** A select of payments. */
export const selectPayments = () =>
  db.select(PAYMENT).from(payments).leftJoin(subscriptions, eq(subscriptions.id, payments.subscriptionId));

/** A row of {@link selectPayments}. */
export type StoredPayment = ReturnType<typeof selectPayments>['_']['result'][number];
