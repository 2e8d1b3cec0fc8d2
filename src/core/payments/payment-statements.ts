import { type SQL, sql } from 'drizzle-orm';
import { lastRecordedAt, recordChange } from '../../storage/db/changes-sql.ts';
import { undo } from '../../storage/db/guards.ts';
import {
  changes,
  municipalities,
  OF_PAYMENT,
  pastSubscriptions,
  paymentChanges,
  payments,
  subscriptionPeriods,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { bare, list, literal, primaryKeyOf, tableByIndex } from '../../storage/db/sql.ts';
import { type Parameters, statement, type ValuesOf, value } from '../../storage/db/statement.ts';
import { presentRecord } from '../../storage/db/stored-subscriptions.ts';
import { writableId } from '../../storage/db/writable.ts';

const OF_MUNICIPALITY = { municipality: value<number>() };
const OF_SUBSCRIPTION = { ...OF_MUNICIPALITY, subscription: value<number>() };

/** Says when the change is recorded. */
export const RECORD_CHANGE = statement(
  { ...OF_MUNICIPALITY, now: value<number>(), call: value<string>() },
  ({ municipality, now, call }) =>
    sql<{ recorded_at: number }>`${recordChange(
      municipality,
      { now, requestId: call, batch: literal(OF_PAYMENT) },
      {
        guarded: writableId(municipality),
        from: sql`from ${municipalities} where ${municipalities.id} = ${municipality}`,
      },
    )} returning ${bare(changes.recordedAt)}`,
);

/** Undoes the transaction if the subscription has changed since it was read. */
export const REQUIRE_VERSION = statement(
  { ...OF_SUBSCRIPTION, changedAt: value<number | null>() },
  ({ municipality, subscription, changedAt }) => sql`
    update ${changes} set ${bare(changes.batch)} = ${undo('changed_meanwhile')}
    where ${changes.municipalityId} = ${municipality}
      and ${changes.recordedAt} = ${lastRecordedAt(municipality)}
      and (
        select ${subscriptions.changedAt} from ${subscriptions} where ${subscriptions.id} = ${subscription}
      ) is not ${changedAt}`,
);

const PAST = [
  pastSubscriptions.id,
  pastSubscriptions.municipalityId,
  pastSubscriptions.record,
  pastSubscriptions.recordedAt,
  pastSubscriptions.replacedAt,
];
const keepShared = ({ municipality, subscription }: Parameters<ValuesOf<typeof OF_SUBSCRIPTION>>): SQL => sql`
    insert into ${pastSubscriptions} (${list(PAST.map(bare))})
    select ${subscriptions.id}, ${municipality}, ${presentRecord(subscriptions)}, ${subscriptions.recordedAt},
      ${lastRecordedAt(municipality)}
    from ${subscriptions} where ${subscriptions.id} = ${subscription}`;

/** Keeps what the plates of a subscription have shared until now. */
export const KEEP_SHARED = statement(OF_SUBSCRIPTION, keepShared);

const PERIOD = [
  subscriptionPeriods.subscriptionId,
  subscriptionPeriods.startsAt,
  subscriptionPeriods.endsAt,
  subscriptionPeriods.coveredUntil,
  subscriptionPeriods.paidBy,
];
/** The period that a payment makes starts after all others, and ends after them. */
export const INSERT_PERIOD = statement(
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

const PERIODS = tableByIndex(subscriptionPeriods, primaryKeyOf(subscriptionPeriods));

/** As a list: the last change is then looked up once, before the row is written. */
const inOne = (id: SQL): SQL => sql`in (select value from json_each(json_array(${id})))`;

/** Stores the end of a subscription's new period, which is the last. */
export const LENGTHEN = statement(
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
export type PaymentRow = ValuesOf<typeof PAYMENT>;
const PAYMENT_NAMES = Object.keys(PAYMENT) as (keyof PaymentRow)[];
const PAYMENT_COLUMNS = [
  payments.municipalityId,
  ...PAYMENT_NAMES.map((name) => payments[name]),
  payments.recordedAt,
];

/** Fails if a payment with the same key is stored. */
export const INSERT_PAYMENT = statement(
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
export const INSERT_SETTLEMENT = statement(
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
export const INSERT_REVERSAL = statement(
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
export const KEEP_BEFORE_REVERSAL = statement(
  OF_PERIOD,
  (period) => sql`${keepShared(period)} and exists (select 1 from ${PERIODS} where ${isNotOver(period)})`,
);

export const TOUCH_REVERSED = statement(
  OF_PERIOD,
  (period) => sql`
    update ${subscriptions} set
      ${bare(subscriptions.recordedAt)} = ${lastRecordedAt(period.municipality)},
      ${bare(subscriptions.changedAt)} = ${lastRecordedAt(period.municipality)}
    where ${subscriptions.id} = ${period.subscription}
      and exists (select 1 from ${PERIODS} where ${isNotOver(period)})`,
);

/** Deletes a period that has not begun. */
export const WITHDRAW_PERIOD = statement(
  OF_PERIOD,
  ({ municipality, subscription, startsAt }) => sql`
    delete from ${PERIODS}
    where ${subscriptionPeriods.subscriptionId} = ${subscription} and ${subscriptionPeriods.startsAt} = ${startsAt}
      and ${subscriptionPeriods.startsAt} >= ${lastRecordedAt(municipality)}`,
);

/** Ends a running period now: no check that was right becomes wrong. */
export const END_PERIOD = statement(
  OF_PERIOD,
  ({ municipality, subscription, startsAt }) => sql`
    update ${PERIODS} set ${bare(subscriptionPeriods.endsAt)} = ${lastRecordedAt(municipality)}
    where ${subscriptionPeriods.subscriptionId} ${inOne(subscription)}
      and ${subscriptionPeriods.startsAt} = ${startsAt}
      and ${subscriptionPeriods.endsAt} > ${lastRecordedAt(municipality)}`,
);

const before = sql.raw('"before"');
/** Stores, for each period from there on, how far those before it reach. */
export const COVER_AGAIN = statement(
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

export const STORE_LAST_END = statement(
  { subscription: value<number>() },
  ({ subscription }) => sql`
    update ${subscriptions} set ${bare(subscriptions.lastPeriodEndsAt)} = (
      select max(${subscriptionPeriods.endsAt}) from ${PERIODS}
      where ${subscriptionPeriods.subscriptionId} = ${subscription}
    )
    where ${subscriptions.id} = ${subscription}`,
);
