import { sql } from 'drizzle-orm';
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
import {
  bare,
  list,
  literal,
  parameter,
  primaryKeyOf,
  statement,
  tableByIndex,
} from '../../storage/db/sql.ts';
import { presentRecord } from '../../storage/db/stored-subscriptions.ts';
import { writableId } from '../../storage/db/writable.ts';

/** Parameter 1 of all of these is the municipality's id. */
const MUNICIPALITY = parameter(1);
const TWO = parameter(2);
const THREE = parameter(3);
const FOUR = parameter(4);
const RECORDED = lastRecordedAt(MUNICIPALITY);

/** 2: our clock; 3: the call. Says when the change is recorded. */
export const RECORD_CHANGE = statement(
  () =>
    sql`${recordChange(
      MUNICIPALITY,
      { now: TWO, requestId: THREE, batch: literal(OF_PAYMENT) },
      {
        guarded: writableId(MUNICIPALITY),
        from: sql`from ${municipalities} where ${municipalities.id} = ${MUNICIPALITY}`,
      },
    )} returning ${bare(changes.recordedAt)}`,
);

/** Undoes the transaction where the subscription has changed since it was read. 2: its id; 3: when it had changed last. */
export const REQUIRE_VERSION = statement(
  () => sql`
update ${changes} set ${bare(changes.batch)} = ${undo('changed_meanwhile')}
where ${changes.municipalityId} = ${MUNICIPALITY} and ${changes.recordedAt} = ${RECORDED}
  and (select ${subscriptions.changedAt} from ${subscriptions} where ${subscriptions.id} = ${TWO}) is not ${THREE}`,
);

const PAST = [
  pastSubscriptions.id,
  pastSubscriptions.municipalityId,
  pastSubscriptions.record,
  pastSubscriptions.recordedAt,
  pastSubscriptions.replacedAt,
];
const KEPT = sql`insert into ${pastSubscriptions} (${list(PAST.map(bare))})
select ${subscriptions.id}, ${MUNICIPALITY}, ${presentRecord(subscriptions)}, ${subscriptions.recordedAt}, ${RECORDED}
from ${subscriptions} where ${subscriptions.id} = ${TWO}`;

/** Keeps what the plates of a subscription have shared until now. 2: its id. */
export const KEEP_SHARED = statement(() => KEPT);

const PERIOD = [
  subscriptionPeriods.subscriptionId,
  subscriptionPeriods.startsAt,
  subscriptionPeriods.endsAt,
  subscriptionPeriods.coveredUntil,
  subscriptionPeriods.paidBy,
];
/** The period that a payment makes starts after all others, and ends after them. 2: the subscription; 3 and 4: the period; 5: the payment. */
export const INSERT_PERIOD = statement(
  () => sql`insert into ${subscriptionPeriods} (${list(PERIOD.map(bare))})
select ${TWO}, ${THREE}, ${FOUR}, ${FOUR}, ${parameter(5)} where ${MUNICIPALITY} is not null`,
);

const PERIODS = tableByIndex(subscriptionPeriods, primaryKeyOf(subscriptionPeriods));
const LAST_END = sql`(select max(${subscriptionPeriods.endsAt}) from ${PERIODS} where ${subscriptionPeriods.subscriptionId} = ${TWO})`;

/** As a list: the last change is then looked up once, before the row is written. */
const ONE_SUBSCRIPTION = sql`(select value from json_each(json_array(${TWO})))`;

/** 2: the subscription; 3: the end of its new period, which is the last. */
export const LENGTHEN = statement(
  () => sql`update ${subscriptions} set ${bare(subscriptions.lastPeriodEndsAt)} = ${THREE},
  ${bare(subscriptions.recordedAt)} = ${RECORDED}, ${bare(subscriptions.changedAt)} = ${RECORDED}
where ${subscriptions.id} in ${ONE_SUBSCRIPTION}`,
);

/** What is written of a payment, in this order, from parameter 2 on; when it was recorded follows. */
export const PAYMENT_VALUES = [
  'paymentId',
  'plate',
  'terminalCode',
  'planCode',
  'amountCents',
  'expectedCents',
  'collectedAt',
  'sentCollectedAt',
  'resultCode',
  'operation',
  'subscriptionId',
  'periodStartsAt',
  'periodEndsAt',
] as const;

/** Fails where a payment with the same key is stored. */
export const INSERT_PAYMENT = statement(
  () => sql`
insert into ${payments} (${list([payments.municipalityId, ...PAYMENT_VALUES.map((name) => payments[name]), payments.recordedAt].map(bare))})
select ${MUNICIPALITY}, ${list(PAYMENT_VALUES.map((_, index) => parameter(index + 2)))}, ${RECORDED}`,
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
/** 2: the payment; 3: when; 4: the outcome; 5: the note. Fails where it is settled. */
export const INSERT_SETTLEMENT = statement(
  () => sql`insert into ${paymentChanges} (${list(CHANGE.map(bare))})
select ${MUNICIPALITY}, ${TWO}, 'settled', ${THREE}, ${parameter(5)}, ${FOUR}, ${RECORDED}, null, null, null`,
);

/** Of a reversal: 2: the subscription; 3: the start of the period that the payment made. */
const OWN_PERIOD = sql`${subscriptionPeriods.subscriptionId} = ${TWO} and ${subscriptionPeriods.startsAt} = ${THREE}`;
/** One that is over stays as it is. */
const IS_NOT_OVER = sql`${OWN_PERIOD} and ${subscriptionPeriods.endsAt} > ${RECORDED}`;

/** 4: the payment; 5: when it was reversed; 6: why. Fails where it is reversed already. */
export const INSERT_REVERSAL = statement(
  () => sql`insert into ${paymentChanges} (${list(CHANGE.map(bare))})
select ${MUNICIPALITY}, ${FOUR}, 'reversed', ${parameter(5)}, ${parameter(6)}, null, ${RECORDED},
  iif(own.ends_at is null, null, ${TWO}), iif(own.ends_at is null, null, ${THREE}), own.ends_at
from (select (select ${subscriptionPeriods.endsAt} from ${PERIODS} where ${IS_NOT_OVER}) as ends_at) as own`,
);

/** What its plates share changes where the period was not over. To be run before the period is changed. */
export const KEEP_BEFORE_REVERSAL = statement(
  () => sql`${KEPT} and exists (select 1 from ${PERIODS} where ${IS_NOT_OVER})`,
);

export const TOUCH_REVERSED = statement(
  () => sql`update ${subscriptions} set ${bare(subscriptions.recordedAt)} = ${RECORDED}, ${bare(subscriptions.changedAt)} = ${RECORDED}
where ${subscriptions.id} = ${TWO} and exists (select 1 from ${PERIODS} where ${IS_NOT_OVER})`,
);

/** A period that has not begun goes. */
export const WITHDRAW_PERIOD = statement(
  () => sql`delete from ${PERIODS} where ${OWN_PERIOD} and ${subscriptionPeriods.startsAt} >= ${RECORDED}`,
);

/** One that runs ends now: no check that was right becomes wrong. */
export const END_PERIOD = statement(
  () => sql`update ${PERIODS} set ${bare(subscriptionPeriods.endsAt)} = ${RECORDED}
where ${subscriptionPeriods.subscriptionId} in ${ONE_SUBSCRIPTION} and ${subscriptionPeriods.startsAt} = ${THREE}
  and ${subscriptionPeriods.endsAt} > ${RECORDED}`,
);

const before = sql.raw('"before"');
/** Of the periods from there on, how far those before them reach. */
export const COVER_AGAIN = statement(
  () => sql`update ${PERIODS} set ${bare(subscriptionPeriods.coveredUntil)} = (
  select max(${before}.${bare(subscriptionPeriods.endsAt)}) from ${subscriptionPeriods} as ${before}
  where ${before}.${bare(subscriptionPeriods.subscriptionId)} = ${TWO} and ${before}.${bare(subscriptionPeriods.startsAt)} <= ${subscriptionPeriods.startsAt})
where ${subscriptionPeriods.subscriptionId} = ${TWO} and ${subscriptionPeriods.startsAt} >= ${THREE} and ${MUNICIPALITY} is not null`,
);

export const STORE_LAST_END = statement(
  () => sql`update ${subscriptions} set ${bare(subscriptions.lastPeriodEndsAt)} = ${LAST_END}
where ${subscriptions.id} = ${TWO} and ${THREE} is not null and ${MUNICIPALITY} is not null`,
);
