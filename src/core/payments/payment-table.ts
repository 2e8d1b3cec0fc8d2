import { type SQL, sql } from 'drizzle-orm';
import { type Instant, instant } from '../../domain/instant.ts';
import type { SubscriptionPeriod } from '../../domain/subscription.ts';
import type { Env } from '../../env.ts';
import { isPaymentTaken, lastRecordedAt, recordChange } from '../../storage/db/changes-sql.ts';
import { guardReason, undo } from '../../storage/db/guards.ts';
import {
  changes,
  municipalities,
  OF_PAYMENT,
  paymentChanges,
  payments,
  subscriptionPeriods,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { bare, list, literal } from '../../storage/db/sql.ts';
import { type Parameters, statement, type ValuesOf, value } from '../../storage/db/statement.ts';
import { PERIODS, presentRecord } from '../../storage/db/stored-subscriptions.ts';
import { keepShared } from '../../storage/history/subscription-versions-parts.ts';
import { keyDigest } from '../../storage/plate-digest/erased-plate.ts';
import { digestKeys } from '../../storage/plate-digest/plate-digest.ts';

/** What a payment or a subscription may be stored under: its key, or a digest of it where the key spelled an erased plate. */
export const namesOf = (env: Env, sent: string): readonly string[] => [
  sent,
  ...digestKeys(env).map((key) => keyDigest(key, sent)),
];

const OF_MUNICIPALITY = { municipality: value<number>() };
const OF_SUBSCRIPTION = { ...OF_MUNICIPALITY, subscription: value<number>() };

/** Says when the change is recorded. */
const RECORD_CHANGE = statement(
  { ...OF_MUNICIPALITY, now: value<number>(), call: value<string>() },
  ({ municipality, now, call }) =>
    sql<{ recorded_at: number }>`${recordChange(
      municipality,
      { now, requestId: call, batch: literal(OF_PAYMENT) },
      { from: sql`from ${municipalities} where ${municipalities.id} = ${municipality}` },
    )} returning ${bare(changes.recordedAt)}`,
);

/** Undoes the transaction if the subscription has changed since it was read. */
const REQUIRE_VERSION = statement(
  { ...OF_SUBSCRIPTION, changedAt: value<number | null>() },
  ({ municipality, subscription, changedAt }) => sql`
    update ${changes} set ${bare(changes.batch)} = ${undo('changed_meanwhile')}
    where ${changes.municipalityId} = ${municipality}
      and ${changes.recordedAt} = ${lastRecordedAt(municipality)}
      and (
        select ${subscriptions.changedAt} from ${subscriptions} where ${subscriptions.id} = ${subscription}
      ) is not ${changedAt}`,
);

const keepSharedOf = ({ municipality, subscription }: Parameters<ValuesOf<typeof OF_SUBSCRIPTION>>): SQL =>
  keepShared(
    municipality,
    subscriptions,
    presentRecord(subscriptions),
    sql`from ${subscriptions} where ${subscriptions.id} = ${subscription}`,
  );

/** Keeps what the plates of a subscription have shared until now. */
const KEEP_SHARED = statement(OF_SUBSCRIPTION, keepSharedOf);

const PERIOD = [
  subscriptionPeriods.subscriptionId,
  subscriptionPeriods.startsAt,
  subscriptionPeriods.endsAt,
  subscriptionPeriods.coveredUntil,
  subscriptionPeriods.paidBy,
];
/** The period that a payment makes starts after all others, and ends after them. */
const INSERT_PERIOD = statement(
  {
    subscription: value<number>(),
    startsAt: value<number>(),
    endsAt: value<number>(),
    paymentId: value<string>(),
  },
  ({ subscription, startsAt, endsAt, paymentId }) => sql`
    insert into ${subscriptionPeriods} (${list(PERIOD.map(bare))})
    values (${subscription}, ${startsAt}, ${endsAt}, ${endsAt}, ${paymentId})`,
);

/** As a list: the last change is then looked up once, before the row is written. */
const inOne = (id: SQL): SQL => sql`in (select value from json_each(json_array(${id})))`;

/** Stores the end of a subscription's new period, which is the last. */
const LENGTHEN = statement(
  { ...OF_SUBSCRIPTION, endsAt: value<number>() },
  ({ municipality, subscription, endsAt }) => sql`
    update ${subscriptions} set
      ${bare(subscriptions.lastPeriodEndsAt)} = ${endsAt},
      ${bare(subscriptions.recordedAt)} = ${lastRecordedAt(municipality)},
      ${bare(subscriptions.changedAt)} = ${lastRecordedAt(municipality)}
    where ${subscriptions.id} ${inOne(subscription)}`,
);

/** What is written of a payment. When it was recorded follows. */
const PAYMENT = {
  paymentId: value<string>(),
  plate: value<string>(),
  terminalCode: value<string | null>(),
  planCode: value<string>(),
  amountCents: value<number>(),
  expectedCents: value<number | null>(),
  collectedAt: value<number>(),
  sentCollectedAt: value<number>(),
  resultCode: value<string>(),
  operation: value<string | null>(),
  subscriptionId: value<number | null>(),
  periodStartsAt: value<number | null>(),
  periodEndsAt: value<number | null>(),
};
type PaymentRow = ValuesOf<typeof PAYMENT>;
const PAYMENT_NAMES = Object.keys(PAYMENT) as (keyof PaymentRow)[];
const PAYMENT_COLUMNS = [
  payments.municipalityId,
  ...PAYMENT_NAMES.map((name) => payments[name]),
  payments.recordedAt,
];

/** Fails if a payment with the same key is stored. */
const INSERT_PAYMENT = statement(
  { ...OF_MUNICIPALITY, ...PAYMENT },
  ({ municipality, ...payment }) => sql`
    insert into ${payments} (${list(PAYMENT_COLUMNS.map(bare))})
    select ${municipality}, ${list(PAYMENT_NAMES.map((name) => payment[name]))}, ${lastRecordedAt(municipality)}`,
);

const CHANGE = [
  paymentChanges.municipalityId,
  paymentChanges.paymentId,
  paymentChanges.change,
  paymentChanges.at,
  paymentChanges.note,
  paymentChanges.outcome,
  paymentChanges.recordedAt,
  paymentChanges.subscriptionId,
  paymentChanges.withdrawnStartsAt,
  paymentChanges.withdrawnEndsAt,
];
/** What is written of a reversal or a settlement. */
const OF_CHANGE = {
  ...OF_MUNICIPALITY,
  paymentId: value<string>(),
  at: value<number>(),
  note: value<string | null>(),
};
/** Fails if the payment is settled already. */
const INSERT_SETTLEMENT = statement(
  { ...OF_CHANGE, outcome: value<string>() },
  ({ municipality, paymentId, at, note, outcome }) => sql`
    insert into ${paymentChanges} (${list(CHANGE.map(bare))})
    select ${municipality}, ${paymentId}, 'settled', ${at}, ${note}, ${outcome}, ${lastRecordedAt(municipality)},
      null, null, null`,
);

const OF_PERIOD = { ...OF_SUBSCRIPTION, startsAt: value<number>() };
type OfPeriod = Readonly<Record<keyof typeof OF_PERIOD, SQL>>;

/** The period that a reversed payment made. One that is over stays as it is. */
const isNotOver = ({ municipality, subscription, startsAt }: OfPeriod): SQL => sql`
      ${subscriptionPeriods.subscriptionId} = ${subscription} and ${subscriptionPeriods.startsAt} = ${startsAt}
      and ${subscriptionPeriods.endsAt} > ${lastRecordedAt(municipality)}`;

/** Null as subscription and start: the payment made no period. Fails if the payment is reversed already. */
const INSERT_REVERSAL = statement(
  { ...OF_CHANGE, subscription: value<number | null>(), startsAt: value<number | null>() },
  ({ municipality, paymentId, at, note, subscription, startsAt }) => sql`
    insert into ${paymentChanges} (${list(CHANGE.map(bare))})
    select ${municipality}, ${paymentId}, 'reversed', ${at}, ${note}, null, ${lastRecordedAt(municipality)},
      iif(own.ends_at is null, null, ${subscription}), iif(own.ends_at is null, null, ${startsAt}), own.ends_at
    from (
      select (
        select ${subscriptionPeriods.endsAt} from ${PERIODS}
        where ${isNotOver({ municipality, subscription, startsAt })}
      ) as ends_at
    ) as own`,
);

/** Changes what the plates share only if the period was not over. To be run before the period is changed. */
const KEEP_BEFORE_REVERSAL = statement(
  OF_PERIOD,
  (period) => sql`${keepSharedOf(period)} and exists (select 1 from ${PERIODS} where ${isNotOver(period)})`,
);

const TOUCH_REVERSED = statement(
  OF_PERIOD,
  (period) => sql`
    update ${subscriptions} set
      ${bare(subscriptions.recordedAt)} = ${lastRecordedAt(period.municipality)},
      ${bare(subscriptions.changedAt)} = ${lastRecordedAt(period.municipality)}
    where ${subscriptions.id} = ${period.subscription}
      and exists (select 1 from ${PERIODS} where ${isNotOver(period)})`,
);

/** Deletes a period that has not begun. */
const WITHDRAW_PERIOD = statement(
  OF_PERIOD,
  ({ municipality, subscription, startsAt }) => sql`
    delete from ${PERIODS}
    where ${subscriptionPeriods.subscriptionId} = ${subscription} and ${subscriptionPeriods.startsAt} = ${startsAt}
      and ${subscriptionPeriods.startsAt} >= ${lastRecordedAt(municipality)}`,
);

/** Ends a running period now: no check that was right becomes wrong. */
const END_PERIOD = statement(
  OF_PERIOD,
  ({ municipality, subscription, startsAt }) => sql`
    update ${PERIODS} set ${bare(subscriptionPeriods.endsAt)} = ${lastRecordedAt(municipality)}
    where ${subscriptionPeriods.subscriptionId} ${inOne(subscription)}
      and ${subscriptionPeriods.startsAt} = ${startsAt}
      and ${subscriptionPeriods.endsAt} > ${lastRecordedAt(municipality)}`,
);

const before = sql.raw('"before"');
/** Stores, for each period from there on, how far those before it reach. */
const COVER_AGAIN = statement(
  { subscription: value<number>(), startsAt: value<number>() },
  ({ subscription, startsAt }) => sql`
    update ${PERIODS} set ${bare(subscriptionPeriods.coveredUntil)} = (
      select max(${before}.${bare(subscriptionPeriods.endsAt)})
      from ${subscriptionPeriods} as ${before}
      where ${before}.${bare(subscriptionPeriods.subscriptionId)} = ${subscription}
        and ${before}.${bare(subscriptionPeriods.startsAt)} <= ${subscriptionPeriods.startsAt}
    )
    where ${subscriptionPeriods.subscriptionId} = ${subscription} and ${subscriptionPeriods.startsAt} >= ${startsAt}`,
);

const STORE_LAST_END = statement(
  { subscription: value<number>() },
  ({ subscription }) => sql`
    update ${subscriptions} set ${bare(subscriptions.lastPeriodEndsAt)} = (
      select max(${subscriptionPeriods.endsAt}) from ${PERIODS}
      where ${subscriptionPeriods.subscriptionId} = ${subscription}
    )
    where ${subscriptions.id} = ${subscription}`,
);

/** A subscription, and when it had changed last when it was read. */
export interface SubscriptionVersion {
  readonly id: number;
  readonly changedAt: number | null;
}

/** The call that stores something. */
interface StoredBy {
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
 */
export function storePayment(
  db: D1Database,
  by: StoredBy,
  row: PaymentRow,
  created: { readonly of: SubscriptionVersion; readonly period: SubscriptionPeriod } | null,
): Promise<Stored> {
  const insert = INSERT_PAYMENT.prepare(db, { ...idsOf(by), ...row });
  if (created === null) {
    return store(db, by, [insert]);
  }
  const of = { ...idsOf(by), subscription: created.of.id };
  return store(db, by, [
    REQUIRE_VERSION.prepare(db, { ...of, changedAt: created.of.changedAt }),
    KEEP_SHARED.prepare(db, of),
    INSERT_PERIOD.prepare(db, { ...of, ...created.period, paymentId: row.paymentId }),
    LENGTHEN.prepare(db, { ...of, endsAt: created.period.endsAt }),
    insert,
  ]);
}

/** What a reversal stores. */
interface ReversalRow {
  readonly paymentId: string;
  readonly at: Instant;
  readonly reason: string | null;
}

/**
 * Stores a reversal. The period that the payment made goes if it has not begun, and ends now if it runs; all or nothing.
 *
 * @param made null where the payment made no period, or its subscription is gone
 */
export function storeReversal(
  db: D1Database,
  by: StoredBy,
  { paymentId, at, reason }: ReversalRow,
  made: { readonly of: SubscriptionVersion; readonly startsAt: Instant } | null,
): Promise<Stored> {
  const insert = (period: { readonly subscription: number | null; readonly startsAt: number | null }) =>
    INSERT_REVERSAL.prepare(db, { ...idsOf(by), paymentId, at, note: reason, ...period });
  if (made === null) {
    return store(db, by, [insert({ subscription: null, startsAt: null })]);
  }
  const period = { ...idsOf(by), subscription: made.of.id, startsAt: made.startsAt };
  return store(db, by, [
    REQUIRE_VERSION.prepare(db, { ...period, changedAt: made.of.changedAt }),
    insert(period),
    KEEP_BEFORE_REVERSAL.prepare(db, period),
    TOUCH_REVERSED.prepare(db, period),
    WITHDRAW_PERIOD.prepare(db, period),
    END_PERIOD.prepare(db, period),
    COVER_AGAIN.prepare(db, period),
    STORE_LAST_END.prepare(db, period),
  ]);
}

/**
 * Stores that the office has settled a payment.
 *
 */
export function storeSettlement(
  db: D1Database,
  by: StoredBy,
  paymentId: string,
  { outcome, note }: { readonly outcome: string; readonly note: string | null },
): Promise<Stored> {
  const settlement = { ...idsOf(by), paymentId, at: by.now, note, outcome };
  return store(db, by, [INSERT_SETTLEMENT.prepare(db, settlement)]);
}

const idsOf = ({ municipalityId }: StoredBy) => ({ municipality: municipalityId });

async function store(db: D1Database, by: StoredBy, of: readonly D1PreparedStatement[]): Promise<Stored> {
  const recording = RECORD_CHANGE.prepare(db, { ...idsOf(by), now: by.now, call: by.requestId });
  try {
    const [recorded] = await db.batch<{ recorded_at: number }>([recording, ...of]);
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
