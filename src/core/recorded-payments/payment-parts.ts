import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { type Instant, instant, nullableInstant } from '../../domain/instant.ts';
import type { PaymentResult } from '../../domain/payment.ts';
import type { SubscriptionPeriod } from '../../domain/subscription.ts';
import {
  changes,
  paymentChanges,
  payments,
  type SETTLED_OUTCOMES,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { jsonObject, primaryKeyOf, type RowOf, tableAs, uuidOf } from '../../storage/db/sql.ts';

/** How a payment is read, and what a row says. */

export const payment = alias(payments, 'payment');
const ofPayment = alias(subscriptions, 'of_payment');
const recording = alias(changes, 'recording');
const reversed = alias(paymentChanges, 'reversed');
const settled = alias(paymentChanges, 'settled');

const changed = (change: typeof reversed | typeof settled, kind: 'reversed' | 'settled'): SQL =>
  sql`left join ${tableAs(paymentChanges, change, primaryKeyOf(paymentChanges))} on ${change.municipalityId} = ${payment.municipalityId}
    and ${change.paymentId} = ${payment.paymentId} and ${change.change} = ${sql.raw(`'${kind}'`)}`;

/** What has become of `payment`: behind it in a `from`. */
export const CHANGED = sql`${changed(reversed, 'reversed')} ${changed(settled, 'settled')}`;

/** A `PaymentState`. */
export const STATE = sql<PaymentState>`case when ${reversed.paymentId} is not null then 'reversed'
  when ${settled.paymentId} is not null then 'settled' when ${payment.periodStartsAt} is not null then 'accepted' else 'unsettled' end`;

const PAYMENT = {
  paymentId: payment.paymentId,
  plate: payment.plate,
  terminalCode: payment.terminalCode,
  planCode: payment.planCode,
  amountCents: payment.amountCents,
  expectedCents: payment.expectedCents,
  collectedAt: payment.collectedAt,
  sentCollectedAt: payment.sentCollectedAt,
  recordedAt: payment.recordedAt,
  resultCode: payment.resultCode,
  operation: payment.operation,
  subscriptionId: payment.subscriptionId,
  // Null too once retention has taken the subscription.
  subscriptionNumber: sql<
    string | null
  >`(select ${ofPayment.subscriptionNumber} from ${tableAs(subscriptions, ofPayment)} where ${ofPayment.id} = ${payment.subscriptionId})`,
  startsAt: payment.periodStartsAt,
  endsAt: payment.periodEndsAt,
  state: STATE,
  reversedAt: sql<number | null>`${reversed.at}`,
  settledOutcome: sql<SettledOutcome | null>`${settled.outcome}`,
  settledNote: sql<string | null>`${settled.note}`,
  settledAt: sql<number | null>`${settled.at}`,
  // The call that recorded it; null once nothing says so.
  requestId: sql<
    string | null
  >`(select ${uuidOf(recording.requestId)} from ${tableAs(changes, recording, primaryKeyOf(changes))}
    where ${recording.municipalityId} = ${payment.municipalityId} and ${recording.recordedAt} = ${payment.recordedAt})`,
} as const;
/** `payment` as JSON, with {@link CHANGED}. */
export const PAYMENT_JSON: SQL<string> = sql<string>`${jsonObject(PAYMENT)}`;

/** The payment of a municipality under one of some names, as JSON; null where there is none. */
export const paymentJson = (municipalityId: SQLWrapper, names: SQL): SQL<string | null> =>
  sql`(select ${PAYMENT_JSON} from ${tableAs(payments, payment, primaryKeyOf(payments))} ${CHANGED}
    where ${payment.municipalityId} = ${municipalityId} and ${payment.paymentId} in (select value from json_each(${names})) limit 1)`;

export const PAYMENT_STATES = ['accepted', 'unsettled', 'settled', 'reversed'] as const;
type PaymentState = (typeof PAYMENT_STATES)[number];
type SettledOutcome = (typeof SETTLED_OUTCOMES)[number];

/** A payment that is stored, and what has become of it. Its plate may be a pseudonym. */
export interface StoredPayment extends Omit<RowOf<typeof PAYMENT>, InstantName | ReadOtherwise> {
  readonly collectedAt: Instant;
  /** As it was sent. */
  readonly sentCollectedAt: Instant;
  readonly recordedAt: Instant;
  readonly resultCode: PaymentResult;
  readonly period: SubscriptionPeriod | null;
  readonly reversedAt: Instant | null;
  readonly settled: {
    readonly outcome: SettledOutcome;
    readonly note: string | null;
    readonly at: Instant;
  } | null;
}
type InstantName = 'collectedAt' | 'sentCollectedAt' | 'recordedAt' | 'startsAt' | 'endsAt' | 'reversedAt';
type ReadOtherwise = 'resultCode' | 'settledOutcome' | 'settledNote' | 'settledAt';

/** What {@link PAYMENT_JSON} is, parsed. */
export type PaymentRow = RowOf<typeof PAYMENT>;

export const storedPayment = (json: string): StoredPayment => paymentOf(JSON.parse(json) as PaymentRow);

/** The payment of a row. */
export function paymentOf({
  startsAt,
  endsAt,
  settledOutcome,
  settledNote,
  settledAt,
  ...row
}: PaymentRow): StoredPayment {
  return {
    ...row,
    collectedAt: instant(row.collectedAt),
    sentCollectedAt: instant(row.sentCollectedAt),
    recordedAt: instant(row.recordedAt),
    // What was stored is what the rule has decided.
    resultCode: row.resultCode as PaymentResult,
    period:
      startsAt === null || endsAt === null ? null : { startsAt: instant(startsAt), endsAt: instant(endsAt) },
    reversedAt: nullableInstant(row.reversedAt),
    settled:
      settledOutcome === null || settledAt === null
        ? null
        : { outcome: settledOutcome, note: settledNote, at: instant(settledAt) },
  };
}
