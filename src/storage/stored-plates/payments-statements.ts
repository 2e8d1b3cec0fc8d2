import { type SQL, sql } from 'drizzle-orm';
import {
  erasureKeys,
  pastSubscriptions,
  paymentChanges,
  payments,
  subscriptionPeriods,
} from '../db/schema/index.ts';
import { bare, list, parameter, primaryKeyOf, statement, tableByIndex } from '../db/sql.ts';

const ONE = parameter(1);
const TWO = parameter(2);

const byKey = (table: typeof payments | typeof paymentChanges): SQL =>
  tableByIndex(table, primaryKeyOf(table));

/** 1: ids of municipalities, a JSON list; 2: the plate; 3: how many. Of each its terminal, and the notes of what became of it. */
export const PAYMENTS_OF_PLATE = statement(
  () => sql`select ${payments.municipalityId} as municipalityId, ${payments.paymentId} as paymentId, ${payments.terminalCode} as terminalCode,
  (select json_group_array(json_array(${paymentChanges.change}, ${paymentChanges.note})) from ${byKey(paymentChanges)}
    where ${paymentChanges.municipalityId} = ${payments.municipalityId} and ${paymentChanges.paymentId} = ${payments.paymentId}) as notes
from json_each(${ONE}) as held cross join ${tableByIndex(payments, 'payments_by_plate')}
  on ${payments.municipalityId} = held.value and ${payments.plate} = ${TWO}
limit ${parameter(3)}`,
);

/**
 * Of the statements below, 1: a JSON list of payments: municipality, key, pseudonym, a new key or null, whether its terminal spells
 * the plate, and the changes whose notes do.
 */
const SUBJECT = sql`json_each(${ONE}) as subject`;
const value = (index: number): SQL => sql.raw(`subject.value ->> ${index}`);
const [MUNICIPALITY, KEY, PSEUDONYM, NEW_KEY] = [value(0), value(1), value(2), value(3)];

/** A payment whose key is made from the plate ends with a new one. 2: the erasure's digest. */
export const KEEP_PAYMENT_KEYS = statement(
  () => sql`insert into ${erasureKeys} (${list([erasureKeys.digest, erasureKeys.key].map(bare))})
select ${TWO}, ${KEY} from ${SUBJECT} where ${NEW_KEY} is not null on conflict do nothing`,
);

const RENAMED = sql`found as materialized (
  select ${payments.subscriptionId} as subscription_id, ${payments.periodStartsAt} as starts_at, ${KEY} as old, ${NEW_KEY} as name
  from ${SUBJECT} cross join ${byKey(payments)} on ${payments.municipalityId} = ${MUNICIPALITY} and ${payments.paymentId} = ${KEY}
  where ${NEW_KEY} is not null
)`;

/** The period that it made names it too. To be run before it has its new key. */
export const RENAME_IN_PERIODS = statement(
  () => sql`with ${RENAMED}
update ${tableByIndex(subscriptionPeriods, primaryKeyOf(subscriptionPeriods))} set ${bare(subscriptionPeriods.paidBy)} = found.name
from found where ${subscriptionPeriods.subscriptionId} = +found.subscription_id and ${subscriptionPeriods.startsAt} = +found.starts_at
  and ${subscriptionPeriods.paidBy} = found.old`,
);

const PAST_PERIODS = sql`json_each(${pastSubscriptions.record}, '$.periods') as part`;

/** So do the versions of then. To be run before it has its new key, too. */
export const RENAME_IN_PAST_PERIODS = statement(
  () => sql`with ${RENAMED}
update ${tableByIndex(pastSubscriptions, primaryKeyOf(pastSubscriptions))} set ${bare(pastSubscriptions.record)} = json_set(${pastSubscriptions.record}, '$.periods', (
    select json_group_array(json_array(part.value ->> 0, part.value ->> 1, coalesce(
      (select found.name from found where found.old = part.value ->> 2 and found.subscription_id = ${pastSubscriptions.id}), part.value ->> 2)) order by part.key)
    from ${PAST_PERIODS}))
where ${pastSubscriptions.id} in (select subscription_id from found)
  and exists (select 1 from ${PAST_PERIODS} cross join found on found.old = part.value ->> 2 and found.subscription_id = ${pastSubscriptions.id})`,
);

export const RENAME_CHANGES = statement(
  () => sql`update ${byKey(paymentChanges)} set ${bare(paymentChanges.paymentId)} = ${NEW_KEY}
from ${SUBJECT} where ${NEW_KEY} is not null and ${paymentChanges.municipalityId} = ${MUNICIPALITY} and ${paymentChanges.paymentId} = ${KEY}`,
);

const HIDDEN = sql.raw(`'***'`);

/** To be run before a payment has its new key. */
export const HIDE_NOTES = statement(
  () => sql`update ${byKey(paymentChanges)} set ${bare(paymentChanges.note)} = ${HIDDEN}
from ${SUBJECT} where ${paymentChanges.municipalityId} = ${MUNICIPALITY} and ${paymentChanges.paymentId} = ${KEY}
  and ${paymentChanges.change} in (select spelling.value from json_each(subject.value, '$[5]') as spelling)`,
);

/** 2: the plate. The amounts stay. */
export const ERASE_PAYMENTS = statement(
  () => sql`update ${byKey(payments)} set ${bare(payments.plate)} = ${PSEUDONYM}, ${bare(payments.paymentId)} = coalesce(${NEW_KEY}, ${payments.paymentId}),
  ${bare(payments.terminalCode)} = iif(${value(4)}, ${HIDDEN}, ${payments.terminalCode})
from ${SUBJECT} where ${payments.municipalityId} = ${MUNICIPALITY} and ${payments.paymentId} = ${KEY} and ${payments.plate} = ${TWO}
returning 1 as erased`,
);
