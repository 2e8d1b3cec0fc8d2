import { type Instant, instant } from '../../domain/instant.ts';
import type { SubscriptionPeriod } from '../../domain/subscription.ts';
import { whereWritable } from '../../storage/databases/municipality-moving.ts';
import { isPaymentTaken } from '../../storage/db/changes-sql.ts';
import { guardReason } from '../../storage/db/guards.ts';
import { writeBatch } from '../../storage/db/writable.ts';
import * as statements from './payment-statements.ts';

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
  row: statements.PaymentRow,
  created: { readonly of: SubscriptionVersion; readonly period: SubscriptionPeriod } | null,
): Promise<Stored> {
  const of = created === null ? null : { ...idsOf(by), subscription: created.of.id };
  return store(db, by, [
    ...(of === null || created === null
      ? []
      : [
          statements.REQUIRE_VERSION.prepare(db, { ...of, changedAt: created.of.changedAt }),
          statements.KEEP_SHARED.prepare(db, of),
          statements.INSERT_PERIOD.prepare(db, { ...of, ...created.period, paymentId: row.paymentId }),
          statements.LENGTHEN.prepare(db, { ...of, endsAt: created.period.endsAt }),
        ]),
    statements.INSERT_PAYMENT.prepare(db, { ...idsOf(by), ...row }),
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
  const insert = (period: { readonly subscription: number | null; readonly startsAt: number | null }) =>
    statements.INSERT_REVERSAL.prepare(db, { ...idsOf(by), paymentId, at, note: reason, ...period });
  if (made === null) {
    return store(db, by, [insert({ subscription: null, startsAt: null })]);
  }
  const period = { ...idsOf(by), subscription: made.of.id, startsAt: made.startsAt };
  return store(db, by, [
    statements.REQUIRE_VERSION.prepare(db, { ...period, changedAt: made.of.changedAt }),
    insert(period),
    statements.KEEP_BEFORE_REVERSAL.prepare(db, period),
    statements.TOUCH_REVERSED.prepare(db, period),
    statements.WITHDRAW_PERIOD.prepare(db, period),
    statements.END_PERIOD.prepare(db, period),
    statements.COVER_AGAIN.prepare(db, period),
    statements.STORE_LAST_END.prepare(db, period),
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
  const settlement = { ...idsOf(by), paymentId, at: by.now, note, outcome };
  return store(db, by, [statements.INSERT_SETTLEMENT.prepare(db, settlement)]);
}

const idsOf = ({ municipalityId }: StoredBy) => ({ municipality: municipalityId });

async function store(db: D1Database, by: StoredBy, of: readonly D1PreparedStatement[]): Promise<Stored> {
  const recording = statements.RECORD_CHANGE.prepare(db, { ...idsOf(by), now: by.now, call: by.requestId });
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
