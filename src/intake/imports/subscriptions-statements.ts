import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { lastRecordedAt } from '../../storage/db/changes-sql.ts';
import { undo } from '../../storage/db/guards.ts';
import {
  changes,
  pastSubscriptionPlates,
  paymentChanges,
  subscriptionAreas,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import {
  bare,
  type Json,
  lineAt,
  list,
  literal,
  primaryKeyOf,
  tableAs,
  tableByIndex,
} from '../../storage/db/sql.ts';
import { statement, value } from '../../storage/db/statement.ts';
import type { ValuesByColumn } from '../../storage/db/subscription-fields.ts';
import { keepShared } from '../../storage/history/subscription-versions-parts.ts';
import { MAX_ITEMS } from './contract.ts';
import { type ErasedColumns, NO_ERASED_COLUMNS, unionErased } from './erased-parts.ts';
import { SUBSCRIPTION_VALUES } from './subscription-line.ts';

/** A period or an area takes this part of the work of a plate, which has entries in more indexes, and a history. */
const ITEMS_PER_PLATE = 4;

/** The work of storing a line, in plates. The line is not checked yet: if a list is too long, it is not stored. */
export function weightOfSubscription(line: object): number {
  const weightOf = (list: keyof typeof MAX_ITEMS): number => {
    const items: unknown = Reflect.get(line, list);
    return Array.isArray(items) && items.length <= MAX_ITEMS[list] ? items.length : 0;
  };
  return weightOf('plates') + (weightOf('periods') + weightOf('areas')) / ITEMS_PER_PLATE;
}

const subscription = alias(subscriptions, 'subscription');
const plate = alias(subscriptionPlates, 'plate');
const period = alias(subscriptionPeriods, 'period');
/** Periods that reversals took back. */
const withdrawn = alias(paymentChanges, 'withdrawn');
const area = alias(subscriptionAreas, 'area');

/** The tables, with the indexes that find rows by a line's values: the number, then the subscription's id. */
const SUBSCRIPTIONS = tableAs(subscriptions, subscription, 'subscriptions_number');
const PLATES_OF = tableAs(subscriptionPlates, plate, 'subscription_plates_by_subscription');
const PERIODS_OF = tableAs(subscriptionPeriods, period, primaryKeyOf(subscriptionPeriods));
const AREAS_OF = tableAs(subscriptionAreas, area, primaryKeyOf(subscriptionAreas));
const WITHDRAWN_OF = tableAs(paymentChanges, withdrawn, 'payment_changes_withdrawn');

const OF_MUNICIPALITY = { municipalityId: value<number>() };
const NUMBERS = { ...OF_MUNICIPALITY, numbers: value<Json<readonly string[]>>() };
const IDS = { ...OF_MUNICIPALITY, ids: value<Json<readonly number[]>>() };
/** Each line has its values, in the order of its statement. */
const LINES = { ...OF_MUNICIPALITY, lines: value<Json<readonly (readonly unknown[])[]>>() };

/** The columns of a subscription that are read, without its lists. */
const READ = [...SUBSCRIPTION_VALUES, 'allAreas', 'id', 'changedAt'] as const;

export type PeriodTuple = [from: number, until: number, paidBy: string | null];

/** A row of {@link READ_SUBSCRIPTIONS}. The table's CHECK holds a choice to its values. */
export interface ReadSubscription extends ValuesByColumn<number | null> {
  readonly subscriptionNumber: string;
  readonly typeId: number;
  readonly allAreas: number;
  readonly revision: number | null;
  readonly id: number;
  readonly changedAt: number | null;
  readonly plates: Json<[plate: string, from: number | null, until: number | null, id: number][]>;
  readonly periods: Json<PeriodTuple[]>;
  readonly withdrawn: Json<PeriodTuple[]>;
  readonly areas: Json<number[]>;
}

/** One row per subscription, with its lists as JSON, so that one statement reads a batch. */
export const READ_SUBSCRIPTIONS = statement(
  NUMBERS,
  ({ municipalityId, numbers }) => sql<ReadSubscription & ErasedColumns>`
  select ${list(READ.map((name) => sql`${subscription[name]} as ${sql.identifier(name)}`))},
    (
      select json_group_array(json_array(${plate.plate}, ${plate.validFrom}, ${plate.validUntil}, ${plate.id}))
      from ${PLATES_OF}
      where ${plate.subscriptionId} = ${subscription.id}
    ) as plates,
    (
      select json_group_array(json_array(${period.startsAt}, ${period.endsAt}, ${period.paidBy}))
      from ${PERIODS_OF}
      where ${period.subscriptionId} = ${subscription.id}
    ) as periods,
    (
      select json_group_array(json_array(${withdrawn.withdrawnStartsAt}, ${withdrawn.withdrawnEndsAt}, ${withdrawn.paymentId}))
      from ${WITHDRAWN_OF}
      where ${withdrawn.subscriptionId} = ${subscription.id}
        and ${withdrawn.withdrawnEndsAt} is not null
    ) as withdrawn,
    (
      select json_group_array(${area.areaId})
      from ${AREAS_OF}
      where ${area.subscriptionId} = ${subscription.id}
    ) as areas,
    ${NO_ERASED_COLUMNS}
  from json_each(${numbers}) as wanted
  cross join ${SUBSCRIPTIONS}
    on ${subscription.municipalityId} = ${municipalityId}
    and ${subscription.subscriptionNumber} = wanted.value
  ${unionErased({
    kind: 'subscription',
    municipality: municipalityId,
    source: sql.raw("''"),
    keys: numbers,
    columns: READ.length + 4,
  })}`,
);

const countOf = (from: SQL, subscriptionId: SQLiteColumn): SQL =>
  sql`(select count(*) from ${from} where ${subscriptionId} = ${subscription.id})`;

/** The index of the number at which the maximum weight is passed; null if it is not. */
export const COUNT_FITTING = statement(
  { ...NUMBERS, maxWeight: value<number>() },
  ({ municipalityId, numbers, maxWeight }) => sql<{ readonly fitting: number | null }>`
  select min(position) as fitting
  from (
    select position, sum(weight) over (order by position) as weight
    from (
      select wanted.key as position,
        ${countOf(PLATES_OF, plate.subscriptionId)} + (
          ${countOf(PERIODS_OF, period.subscriptionId)}
          + ${countOf(AREAS_OF, area.subscriptionId)}
        ) / ${literal(ITEMS_PER_PLATE)} as weight
      from json_each(${numbers}) as wanted
      cross join ${SUBSCRIPTIONS}
        on ${subscription.municipalityId} = ${municipalityId}
        and ${subscription.subscriptionNumber} = wanted.value
    )
  )
  where weight > ${maxWeight}`,
);

/** Undoes the transaction if a subscription has changed since it was read. Lines: its number, and when it changed last. */
export const REQUIRE_VERSIONS = statement(
  LINES,
  ({ municipalityId, lines }) => sql`
  update ${changes}
  set ${bare(changes.batch)} = ${undo('changed_meanwhile')}
  where ${changes.municipalityId} = ${municipalityId}
    and ${changes.recordedAt} = ${lastRecordedAt(municipalityId)}
    and exists (
      select 1
      from json_each(${lines}) as line
      left join ${SUBSCRIPTIONS}
        on ${subscription.municipalityId} = ${municipalityId}
        and ${subscription.subscriptionNumber} = ${lineAt(0)}
      where ${subscription.changedAt} is not ${lineAt(1)}
    )`,
);

/** The subscription that a line names. */
const subscriptionOfLine = (municipalityId: SQL): SQL => sql`
  cross join ${SUBSCRIPTIONS}
    on ${subscription.municipalityId} = ${municipalityId}
    and ${subscription.subscriptionNumber} = ${lineAt(0)}`;

/** Copies to the past what the plates of subscriptions have shared until now. Lines: the number, and that as a record. */
export const KEEP_SHARED = statement(LINES, ({ municipalityId, lines }) =>
  keepShared(
    municipalityId,
    subscription,
    lineAt(1),
    sql`from json_each(${lines}) as line ${subscriptionOfLine(municipalityId)}`,
  ),
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

/** Copies to the past the spans that are about to be deleted. */
export const KEEP_PLATES = statement(
  IDS,
  ({ municipalityId, ids }) => sql`
  insert into ${pastSubscriptionPlates} (${list([...KEPT_OF_PLATE.map((name) => pastSubscriptionPlates[name]), pastSubscriptionPlates.replacedAt].map(bare))})
  select ${list(KEPT_OF_PLATE.map((name) => plate[name]))}, ${lastRecordedAt(municipalityId)}
  from json_each(${ids}) as line
  cross join ${tableAs(subscriptionPlates, plate)}
    on ${plate.id} = line.value
    and ${plate.municipalityId} = ${municipalityId}`,
);

export const DELETE_PLATES = statement(
  IDS,
  ({ municipalityId, ids }) => sql`
  delete from ${subscriptionPlates}
  where ${subscriptionPlates.id} in (select value from json_each(${ids}))
    and ${municipalityId} is not null`,
);

/** The values of a subscription's line without its lists, in this order. The line of a changed one has its id first. */
export const OWN_VALUES = [...SUBSCRIPTION_VALUES, 'allAreas', 'lastPeriodEndsAt'] as const;

/** Fails if another import has stored one of the subscriptions meanwhile. */
export const INSERT_SUBSCRIPTIONS = statement(LINES, ({ municipalityId, lines }) => {
  const recorded = lastRecordedAt(municipalityId);
  return sql`
  insert into ${subscriptions} (${list([subscriptions.municipalityId, ...OWN_VALUES.map((name) => subscriptions[name]), subscriptions.recordedAt, subscriptions.changedAt].map(bare))})
  select ${municipalityId}, ${list(OWN_VALUES.map((_, index) => lineAt(index)))}, ${recorded}, ${recorded}
  from json_each(${lines}) as line`;
});

export const UPDATE_SUBSCRIPTIONS = statement(LINES, ({ municipalityId, lines }) => {
  const recorded = lastRecordedAt(municipalityId);
  return sql`
  update ${subscriptions}
  set ${list(
    OWN_VALUES.flatMap((name, index) =>
      name === 'subscriptionNumber' ? [] : [sql`${bare(subscriptions[name])} = ${lineAt(index + 1)}`],
    ),
  )},
    ${bare(subscriptions.recordedAt)} = ${recorded},
    ${bare(subscriptions.changedAt)} = ${recorded}
  from json_each(${lines}) as line
  where ${subscriptions.id} = ${lineAt(0)}`;
});

/** For subscriptions of which only plates change. */
export const TOUCH_SUBSCRIPTIONS = statement(
  IDS,
  ({ municipalityId, ids }) => sql`
  update ${subscriptions}
  set ${bare(subscriptions.changedAt)} = ${lastRecordedAt(municipalityId)}
  where ${subscriptions.id} in (select value from json_each(${ids}))`,
);

/** Lines: the subscription's number, then the values. */
function insertItems(
  table: SQLiteTable,
  valuesOf: (municipalityId: SQL) => readonly (readonly [SQLiteColumn, SQL])[],
) {
  return statement(LINES, ({ municipalityId, lines }) => {
    const values = valuesOf(municipalityId);
    return sql`
  insert into ${table} (${list(values.map(([column]) => bare(column)))})
  select ${list(values.map(([, value]) => value))}
  from json_each(${lines}) as line
  ${subscriptionOfLine(municipalityId)}`;
  });
}

/** Deletes rows of the subscriptions with these ids. */
const deleteItems = (table: SQLiteTable, subscriptionId: SQLiteColumn) =>
  statement(
    IDS,
    ({ municipalityId, ids }) => sql`
  delete from ${tableByIndex(table, primaryKeyOf(table))}
  where ${subscriptionId} in (select value from json_each(${ids}))
    and ${municipalityId} is not null`,
  );

export const INSERT_PLATES = insertItems(subscriptionPlates, (municipalityId) => [
  [subscriptionPlates.subscriptionId, sql`${subscription.id}`],
  [subscriptionPlates.municipalityId, municipalityId],
  [subscriptionPlates.plate, lineAt(1)],
  [subscriptionPlates.validFrom, lineAt(2)],
  [subscriptionPlates.validUntil, lineAt(3)],
  [subscriptionPlates.recordedAt, lastRecordedAt(municipalityId)],
]);

export const DELETE_PERIODS = deleteItems(subscriptionPeriods, subscriptionPeriods.subscriptionId);
export const INSERT_PERIODS = insertItems(subscriptionPeriods, () => [
  [subscriptionPeriods.subscriptionId, sql`${subscription.id}`],
  [subscriptionPeriods.startsAt, lineAt(1)],
  [subscriptionPeriods.endsAt, lineAt(2)],
  [subscriptionPeriods.coveredUntil, lineAt(3)],
  [subscriptionPeriods.paidBy, lineAt(4)],
]);

export const DELETE_AREAS = deleteItems(subscriptionAreas, subscriptionAreas.subscriptionId);
export const INSERT_AREAS = insertItems(subscriptionAreas, () => [
  [subscriptionAreas.subscriptionId, sql`${subscription.id}`],
  [subscriptionAreas.areaId, lineAt(1)],
]);
