import { type Instant, instant } from '../../domain/instant.ts';
import type { SubscriptionPeriod } from '../../domain/subscription.ts';
import { whereWritable } from '../../storage/databases/municipality-moving.ts';
import { isPaymentTaken } from '../../storage/db/changes-sql.ts';
import { guardReason } from '../../storage/db/guards.ts';
import { writeBatch } from '../../storage/db/writable.ts';
import * as statements from './payment-statements.ts';

/** A payment, as it is stored once it is judged. */
export type PaymentRow = Readonly<
  Record<(typeof statements.PAYMENT_VALUES)[number], string | number | null>
> & { readonly paymentId: string };

/** A subscription, and when it had changed last when it was read. */
export interface SubscriptionVersion {
  readonly id: number;
  readonly changedAt: number | null;
}

/** The call that stores something. */
export interface StoredBy {
  readonly municipalityId: number;
  readonly requestId: string;
  readonly now: Instant;
}

/** When it was recorded. Null: what others have stored since it was decided has undone the transaction. */
type Stored = Instant | null;

/**
 * Stores a payment, and the period that it makes, all or nothing.
 *
 * @param created null where it makes no period
 * @throws Refusal `MUNICIPALITY_MOVING`
 */
export function storePayment(
  db: D1Database,
  by: StoredBy,
  row: PaymentRow,
  created: { readonly of: SubscriptionVersion; readonly period: SubscriptionPeriod } | null,
): Promise<Stored> {
  const prepare = preparing(db, by);
  const values = statements.PAYMENT_VALUES.map((name) => row[name]);
  return store(db, by, [
    ...(created === null
      ? []
      : [
          prepare(statements.REQUIRE_VERSION, created.of.id, created.of.changedAt),
          prepare(statements.KEEP_SHARED, created.of.id),
          prepare(
            statements.INSERT_PERIOD,
            ...[created.of.id, created.period.startsAt, created.period.endsAt, row.paymentId],
          ),
          prepare(statements.LENGTHEN, created.of.id, created.period.endsAt),
        ]),
    prepare(statements.INSERT_PAYMENT, ...values),
  ]);
}

/** What a reversal stores. */
export interface ReversalRow {
  readonly paymentId: string;
  readonly at: Instant;
  readonly reason: string | null;
}

/**
 * Stores a reversal. The period that the payment made goes if it has not begun, and ends now if it runs; all or nothing.
 *
 * @param made null where the payment made no period, or its subscription is gone
 * @throws Refusal `MUNICIPALITY_MOVING`
 */
export function storeReversal(
  db: D1Database,
  by: StoredBy,
  { paymentId, at, reason }: ReversalRow,
  made: { readonly of: SubscriptionVersion; readonly startsAt: Instant } | null,
): Promise<Stored> {
  const prepare = preparing(db, by);
  const of = made === null ? [null, null] : [made.of.id, made.startsAt];
  return store(db, by, [
    ...(made === null ? [] : [prepare(statements.REQUIRE_VERSION, made.of.id, made.of.changedAt)]),
    prepare(statements.INSERT_REVERSAL, ...of, paymentId, at, reason),
    ...(made === null
      ? []
      : [
          statements.KEEP_BEFORE_REVERSAL,
          statements.TOUCH_REVERSED,
          statements.WITHDRAW_PERIOD,
          statements.END_PERIOD,
          statements.COVER_AGAIN,
          statements.STORE_LAST_END,
        ].map((text) => prepare(text, ...of))),
  ]);
}

/**
 * Stores that the office has settled a payment.
 *
 * @throws Refusal `MUNICIPALITY_MOVING`
 */
export function storeSettlement(
  db: D1Database,
  by: StoredBy,
  paymentId: string,
  { outcome, note }: { readonly outcome: string; readonly note: string | null },
): Promise<Stored> {
  return store(db, by, [preparing(db, by)(statements.INSERT_SETTLEMENT, paymentId, by.now, outcome, note)]);
}

const preparing =
  (db: D1Database, { municipalityId }: StoredBy) =>
  (text: () => string, ...values: readonly (string | number | null)[]) =>
    db.prepare(text()).bind(municipalityId, ...values);

async function store(db: D1Database, by: StoredBy, of: readonly D1PreparedStatement[]): Promise<Stored> {
  const recording = preparing(db, by)(statements.RECORD_CHANGE, by.now, by.requestId);
  try {
    const [recorded] = await whereWritable(() => writeBatch<{ recorded_at: number }>(db, [recording, ...of]));
    const [row] = recorded?.results ?? [];
    if (row === undefined) {
      throw new Error('a change was stored without its instant');
    }
    return instant(row.recorded_at);
  } catch (error) {
    if (isPaymentTaken(error) || guardReason(error) === 'changed_meanwhile') {
      return null;
    }
    throw error;
  }
}
