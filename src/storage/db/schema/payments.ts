import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { instantColumn, lengthWithin, oneOf } from './columns.ts';
import { municipalityId } from './configuration.ts';

export const PAYMENT_CHANGES = ['reversed', 'settled'] as const;
export const SETTLED_OUTCOMES = ['refunded', 'corrected'] as const;

/** A `payment_id`, and the text of a reversal or a settlement, in characters. */
export const PAYMENT_ID_LENGTH = 64;
export const NOTE_LENGTH = 200;
/** An erased `payment_id` is a mark and 64 digits. */
export const STORED_ID_LENGTH = 65;

/**
 * Money that was collected for a subscription. A row never changes but by erasure: it is answered again whenever its payment is sent
 * again. Without rowid.
 */
export const payments = sqliteTable(
  'payments',
  {
    municipalityId: municipalityId(),
    /** The collector's key; its keyed digest if it contained an erased plate. */
    paymentId: text('payment_id').notNull(),
    /** Normalized; a pseudonym once it was erased. */
    plate: text('plate').notNull(),
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
    /** A `PaymentResult`. */
    resultCode: text('result_code').notNull(),
    /** Null if it made no period. */
    operation: text('operation', { enum: ['first_activation', 'renewal'] }),
    /**
     * The subscription that was meant, where it was exactly one. Its number may give way to a digest, and retention may delete it:
     * no number is given twice.
     */
    subscriptionId: integer('subscription_id'),
    /** The period that it made. */
    periodStartsAt: instantColumn('period_starts_at'),
    periodEndsAt: instantColumn('period_ends_at'),
  },
  (t) => [
    primaryKey({ columns: [t.municipalityId, t.paymentId] }),
    // The day's closing.
    index('payments_by_collection').on(t.municipalityId, t.collectedAt),
    // A patrol's doubt, export and erasure.
    index('payments_by_plate').on(t.municipalityId, t.plate, t.collectedAt),
    // Payments since an instant: copies. And retention.
    index('payments_by_recording').on(t.municipalityId, t.recordedAt),
    check('payments_id_length', lengthWithin(t.paymentId, STORED_ID_LENGTH)),
    check('payments_plate_length', lengthWithin(t.plate, 15)),
    check('payments_operation', oneOf(t.operation, ['first_activation', 'renewal'])),
    check('payments_period', sql`${t.periodEndsAt} > ${t.periodStartsAt}`),
  ],
);

/** Reversals of payments, and settlements by the office: at most one of each. Without rowid. */
export const paymentChanges = sqliteTable(
  'payment_changes',
  {
    municipalityId: municipalityId(),
    paymentId: text('payment_id').notNull(),
    change: text('change', { enum: PAYMENT_CHANGES }).notNull(),
    /** When it was reversed, according to the collector, or when the office settled it. */
    at: instantColumn('at').notNull(),
    /** The reason of a reversal, or the office's note. */
    note: text('note'),
    /** Of a settlement. */
    outcome: text('outcome', { enum: SETTLED_OUTCOMES }),
    recordedAt: instantColumn('recorded_at').notNull(),
    /** The payment's, if a reversal withdrew its period. */
    subscriptionId: integer('subscription_id'),
    /** The withdrawn period. An import's line with the same period does not bring it back. */
    withdrawnStartsAt: instantColumn('withdrawn_starts_at'),
    withdrawnEndsAt: instantColumn('withdrawn_ends_at'),
  },
  (t) => [
    primaryKey({ columns: [t.municipalityId, t.paymentId, t.change] }),
    // Changes since an instant: copies.
    index('payment_changes_by_recording').on(t.municipalityId, t.recordedAt),
    // Imports look for withdrawn periods.
    index('payment_changes_withdrawn').on(t.subscriptionId).where(sql`${t.withdrawnEndsAt} is not null`),
    check('payment_changes_change', oneOf(t.change, PAYMENT_CHANGES)),
    check('payment_changes_outcome', oneOf(t.outcome, SETTLED_OUTCOMES)),
  ],
);
