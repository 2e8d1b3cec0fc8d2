import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { lastRecordedAt } from '../../storage/db/changes-sql.ts';
import { undo } from '../../storage/db/guards.ts';
import {
  changes,
  pastSubscriptionPlates,
  pastSubscriptions,
  subscriptionAreas,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import {
  bare,
  list,
  literal,
  parameter,
  primaryKeyOf,
  statement,
  tableAs,
  tableByIndex,
} from '../../storage/db/sql.ts';
import { NO_ERASED_COLUMNS, unionErased } from './erased-parts.ts';
import { lineAt } from './line-parts.ts';
import { SUBSCRIPTION_VALUES } from './subscription-line.ts';
import {
  AREAS_OF,
  area,
  LIST,
  MUNICIPALITY,
  PERIODS_OF,
  PLATES_OF,
  period,
  plate,
  SUBSCRIPTIONS,
  subscription,
} from './subscriptions-parts.ts';
import { ITEMS_PER_PLATE } from './weights.ts';

/** What is read of a subscription but for its lists. */
const READ = [...SUBSCRIPTION_VALUES, 'allAreas', 'id', 'changedAt'] as const;

/** A row a subscription; its lists as JSON, so that all of a batch is one statement. */
export const READ_SUBSCRIPTIONS = statement(
  () => sql`
select ${list(READ.map((name) => sql`${subscription[name]} as ${sql.identifier(name)}`))},
  (select json_group_array(json_array(${plate.plate}, ${plate.validFrom}, ${plate.validUntil}, ${plate.id}))
    from ${PLATES_OF} where ${plate.subscriptionId} = ${subscription.id}) as plates,
  (select json_group_array(json_array(${period.startsAt}, ${period.endsAt}))
    from ${PERIODS_OF} where ${period.subscriptionId} = ${subscription.id}) as periods,
  (select json_group_array(${area.areaId})
    from ${AREAS_OF} where ${area.subscriptionId} = ${subscription.id}) as areas,
  ${NO_ERASED_COLUMNS}
from json_each(${LIST}) as wanted
cross join ${SUBSCRIPTIONS}
  on ${subscription.municipalityId} = ${MUNICIPALITY} and ${subscription.subscriptionNumber} = wanted.value
${unionErased({
  kind: 'subscription',
  municipality: MUNICIPALITY,
  source: sql.raw("''"),
  keys: LIST,
  columns: READ.length + 3,
})}`,
);

const countOf = (from: SQL, subscriptionId: SQLiteColumn): SQL =>
  sql`(select count(*) from ${from} where ${subscriptionId} = ${subscription.id})`;

/** Parameter 3: the most weight. At which of the numbers, from 0, it is passed; null where it is not. */
export const COUNT_FITTING = statement(
  () => sql`
select min(position) as fitting from (
  select position, sum(weight) over (order by position) as weight from (
    select wanted.key as position, ${countOf(PLATES_OF, plate.subscriptionId)} + (${countOf(
      PERIODS_OF,
      period.subscriptionId,
    )} + ${countOf(AREAS_OF, area.subscriptionId)}) / ${literal(ITEMS_PER_PLATE)} as weight
    from json_each(${LIST}) as wanted
    cross join ${SUBSCRIPTIONS} on ${subscription.municipalityId} = ${MUNICIPALITY} and ${subscription.subscriptionNumber} = wanted.value
  )
) where weight > ${parameter(3)}`,
);

const RECORDED = lastRecordedAt(MUNICIPALITY);

/** Undoes the transaction where a subscription has changed since it was read. Lines: its number, and when it changed last. */
export const REQUIRE_VERSIONS = statement(
  () => sql`
update ${changes} set ${bare(changes.batch)} = ${undo('changed_meanwhile')}
where ${changes.municipalityId} = ${MUNICIPALITY} and ${changes.recordedAt} = ${RECORDED} and exists (
  select 1 from json_each(${LIST}) as line
  left join ${SUBSCRIPTIONS} on ${subscription.municipalityId} = ${MUNICIPALITY} and ${subscription.subscriptionNumber} = ${lineAt(0)}
  where ${subscription.changedAt} is not ${lineAt(1)}
)`,
);

/** Keeps what the plates of subscriptions have shared until now. Lines: the number, and that as a record. */
export const KEEP_SHARED = statement(
  () => sql`
insert into ${pastSubscriptions} (${list([pastSubscriptions.id, pastSubscriptions.municipalityId, pastSubscriptions.record, pastSubscriptions.recordedAt, pastSubscriptions.replacedAt].map(bare))})
select ${subscription.id}, ${MUNICIPALITY}, ${lineAt(1)}, ${subscription.recordedAt}, ${RECORDED}
from json_each(${LIST}) as line
cross join ${SUBSCRIPTIONS} on ${subscription.municipalityId} = ${MUNICIPALITY} and ${subscription.subscriptionNumber} = ${lineAt(0)}`,
);

const KEPT_OF_PLATE = [
  'id',
  'subscriptionId',
  'municipalityId',
  'plate',
  'validFrom',
  'validUntil',
  'recordedAt',
] as const;

/** Keeps the spans of plates that are about to go. The list: their ids. */
export const KEEP_PLATES = statement(
  () => sql`
insert into ${pastSubscriptionPlates} (${list([...KEPT_OF_PLATE.map((name) => pastSubscriptionPlates[name]), pastSubscriptionPlates.replacedAt].map(bare))})
select ${list(KEPT_OF_PLATE.map((name) => plate[name]))}, ${RECORDED}
from json_each(${LIST}) as line
cross join ${tableAs(subscriptionPlates, plate)} on ${plate.id} = line.value and ${plate.municipalityId} = ${MUNICIPALITY}`,
);

export const DELETE_PLATES = statement(
  () => sql`
delete from ${subscriptionPlates}
where ${subscriptionPlates.id} in (select value from json_each(${LIST})) and ${MUNICIPALITY} is not null`,
);

/** The values of a subscription's line but for its lists, in this order; those of a changed one have its id in front. */
export const OWN_VALUES = [...SUBSCRIPTION_VALUES, 'allAreas', 'lastPeriodEndsAt'] as const;

/** Fails where another import has stored one of the subscriptions meanwhile. */
export const INSERT_SUBSCRIPTIONS = statement(
  () => sql`
insert into ${subscriptions} (${list([subscriptions.municipalityId, ...OWN_VALUES.map((name) => subscriptions[name]), subscriptions.recordedAt, subscriptions.changedAt].map(bare))})
select ${MUNICIPALITY}, ${list(OWN_VALUES.map((_, index) => lineAt(index)))}, ${RECORDED}, ${RECORDED}
from json_each(${LIST}) as line`,
);

export const UPDATE_SUBSCRIPTIONS = statement(
  () => sql`
update ${subscriptions} set ${list(
    OWN_VALUES.flatMap((name, index) =>
      name === 'subscriptionNumber' ? [] : [sql`${bare(subscriptions[name])} = ${lineAt(index + 1)}`],
    ),
  )}, ${bare(subscriptions.recordedAt)} = ${RECORDED}, ${bare(subscriptions.changedAt)} = ${RECORDED}
from json_each(${LIST}) as line where ${subscriptions.id} = ${lineAt(0)}`,
);

/** For subscriptions of which only plates change. The list: their ids. */
export const TOUCH_SUBSCRIPTIONS = statement(
  () => sql`
update ${subscriptions} set ${bare(subscriptions.changedAt)} = ${RECORDED}
where ${subscriptions.id} in (select value from json_each(${LIST}))`,
);

/** Lines: the subscription's number, then the values. */
function insertItems(table: SQLiteTable, values: readonly (readonly [SQLiteColumn, SQL])[]) {
  return statement(
    () => sql`
insert into ${table} (${list(values.map(([column]) => bare(column)))})
select ${list(values.map(([, value]) => value))}
from json_each(${LIST}) as line
cross join ${SUBSCRIPTIONS} on ${subscription.municipalityId} = ${MUNICIPALITY} and ${subscription.subscriptionNumber} = ${lineAt(0)}`,
  );
}

/** The list: ids of subscriptions. */
const deleteItems = (table: SQLiteTable, subscriptionId: SQLiteColumn) =>
  statement(
    () => sql`
delete from ${tableByIndex(table, primaryKeyOf(table))} where ${subscriptionId} in (select value from json_each(${LIST}))
  and ${MUNICIPALITY} is not null`,
  );

export const INSERT_PLATES = insertItems(subscriptionPlates, [
  [subscriptionPlates.subscriptionId, sql`${subscription.id}`],
  [subscriptionPlates.municipalityId, MUNICIPALITY],
  [subscriptionPlates.plate, lineAt(1)],
  [subscriptionPlates.validFrom, lineAt(2)],
  [subscriptionPlates.validUntil, lineAt(3)],
  [subscriptionPlates.recordedAt, RECORDED],
]);

export const DELETE_PERIODS = deleteItems(subscriptionPeriods, subscriptionPeriods.subscriptionId);
export const INSERT_PERIODS = insertItems(subscriptionPeriods, [
  [subscriptionPeriods.subscriptionId, sql`${subscription.id}`],
  [subscriptionPeriods.startsAt, lineAt(1)],
  [subscriptionPeriods.endsAt, lineAt(2)],
]);

export const DELETE_AREAS = deleteItems(subscriptionAreas, subscriptionAreas.subscriptionId);
export const INSERT_AREAS = insertItems(subscriptionAreas, [
  [subscriptionAreas.subscriptionId, sql`${subscription.id}`],
  [subscriptionAreas.areaId, lineAt(1)],
]);
