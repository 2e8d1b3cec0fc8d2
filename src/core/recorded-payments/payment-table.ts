import { eq, type SQL, sql } from 'drizzle-orm';
import { db } from '../../storage/db/batch.ts';
import { payments, subscriptions } from '../../storage/db/schema/index.ts';

export const PAYMENT_STATES = ['accepted', 'unsettled', 'settled', 'reversed'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** The columns of a payment that answers show. */
export const PAYMENT = {
  paymentId: payments.paymentId,
  plate: payments.plate,
  terminalCode: payments.terminalCode,
  planCode: payments.planCode,
  amountCents: payments.amountCents,
  expectedCents: payments.expectedCents,
  collectedAt: payments.collectedAt,
  sentCollectedAt: payments.sentCollectedAt,
  recordedAt: payments.recordedAt,
  resultCode: payments.resultCode,
  operation: payments.operation,
  startsAt: payments.startsAt,
  endsAt: payments.endsAt,
  reversedAt: payments.reversedAt,
  settledOutcome: payments.settledOutcome,
  settledNote: payments.settledNote,
  settledAt: payments.settledAt,
};

/** A stored payment, and what became of it. Its plate may be a pseudonym. */
export interface StoredPayment extends Pick<typeof payments.$inferSelect, keyof typeof PAYMENT> {
  /** The subscription that was meant; null too once retention has taken it. */
  readonly subscriptionNumber: string | null;
}

/** A select of payments: each row is a {@link StoredPayment}. */
export const selectPayments = () =>
  db
    .select({ ...PAYMENT, subscriptionNumber: subscriptions.subscriptionNumber })
    .from(payments)
    .leftJoin(subscriptions, eq(subscriptions.id, payments.subscriptionId));

/** The state of a payment. */
export function stateOf({
  reversedAt,
  settledAt,
  startsAt,
}: Pick<StoredPayment, 'reversedAt' | 'settledAt' | 'startsAt'>): PaymentState {
  if (reversedAt !== null) return 'reversed';
  if (settledAt !== null) return 'settled';
  return startsAt === null ? 'unsettled' : 'accepted';
}

/** {@link stateOf}, as SQL. */
export const STATE: SQL<PaymentState> = sql`case when ${payments.reversedAt} is not null then 'reversed'
  when ${payments.settledAt} is not null then 'settled' when ${payments.startsAt} is null then 'unsettled' else 'accepted' end`;
