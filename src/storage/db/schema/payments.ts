import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { PAYMENT_RESULTS } from '../../../domain/payment.ts';
import { PURCHASE_OPERATIONS } from '../../../domain/purchase-options.ts';
import { instantColumn, plateColumn } from './columns.ts';
import { municipalityId } from './configuration.ts';

export const SETTLED_OUTCOMES = ['refunded', 'corrected'] as const;

/** A `payment_id`, and the text of a reversal or a settlement, in characters. */
export const PAYMENT_ID_LENGTH = 64;
export const NOTE_LENGTH = 200;
/** An erased `payment_id` is a mark and 64 digits. */
export const STORED_ID_LENGTH = 65;

/**
 * Money that was collected for a subscription, and what became of it. One that made a period is a paid period of its subscription,
 * up to its reversal. It is its own history: nothing but a reversal and a settlement ever changes a row, each once. Without rowid.
 */
export const payments = sqliteTable(
  'payments',
  {
    municipalityId: municipalityId(),
    /** The collector's key; its keyed digest if it contained an erased plate. */
    paymentId: text('payment_id').notNull(),
    plate: plateColumn().notNull(),
    terminalCode: text('terminal_code'),
    planCode: text('plan_code').notNull(),
    amountCents: integer('amount_cents').notNull(),
    /** The price of the plan; null if no plan was found. */
    expectedCents: integer('expected_cents'),
    /** The instant at which it was judged. */
    collectedAt: instantColumn('collected_at').notNull(),
    /** As sent: up to some seconds later. */
    sentCollectedAt: instantColumn('sent_collected_at').notNull(),
    recordedAt: instantColumn('recorded_at').notNull(),
    resultCode: text('result_code', { enum: PAYMENT_RESULTS }).notNull(),
    /** Null if it made no period. */
    operation: text('operation', { enum: PURCHASE_OPERATIONS }),
    /**
     * The subscription that was meant, where it was exactly one. Its number may give way to a digest, and retention may delete it:
     * no id is given twice.
     */
    subscriptionId: integer('subscription_id'),
    /** The period that it made. */
    startsAt: instantColumn('starts_at'),
    endsAt: instantColumn('ends_at'),
    /** When it was reversed, as the collector says. */
    reversedAt: instantColumn('reversed_at'),
    reversalReason: text('reversal_reason'),
    /** When the reversal was stored: there its running period ends. */
    reversalRecordedAt: instantColumn('reversal_recorded_at'),
    /** How the office settled one that made no period. */
    settledOutcome: text('settled_outcome', { enum: SETTLED_OUTCOMES }),
    settledNote: text('settled_note'),
    settledAt: instantColumn('settled_at'),
  },
  (t) => [
    primaryKey({ columns: [t.municipalityId, t.paymentId] }),
    // The day's closing.
    index('payments_by_collection').on(t.municipalityId, t.collectedAt),
    // A patrol's doubt, evidence, export and erasure.
    index('payments_by_plate').on(t.municipalityId, t.plate, t.collectedAt),
    // The paid periods of a subscription.
    index('payments_by_subscription').on(t.subscriptionId, t.startsAt).where(sql`${t.startsAt} is not null`),
    // Changes since an instant: entitlement lists, and retention.
    index('payments_by_recording').on(t.municipalityId, t.recordedAt),
    index('payments_by_reversal')
      .on(t.municipalityId, t.reversalRecordedAt)
      .where(sql`${t.reversalRecordedAt} is not null`),
  ],
);
