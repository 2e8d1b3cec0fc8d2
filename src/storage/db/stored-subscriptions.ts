import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import {
  areas,
  subscriptionAreas,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
  subscriptionTypes,
} from './schema/index.ts';
import { bare, jsonArray, list, primaryKeyOf, tableAs, tableByIndex } from './sql.ts';
import {
  CHOICE_FIELDS,
  type FieldColumn,
  fieldColumns,
  INSTANT_FIELDS,
  recordValue,
} from './subscription-fields.ts';
import { type Arrived, subscriptionOf, type Travelling } from './travelling.ts';

/** How subscriptions travel in a backup: as the `SubscriptionRecord` of their shared part, with codes instead of ids. */

const allowed = alias(subscriptionAreas, 'allowed');
const period = alias(subscriptionPeriods, 'period');

/** The columns that a subscription's plates share, of the table under any alias. */
type SharedColumns = Readonly<Record<'id' | 'typeId' | 'allAreas' | 'revision' | FieldColumn, SQLiteColumn>>;

const properties = (of: SharedColumns, fields: typeof CHOICE_FIELDS | typeof INSTANT_FIELDS): SQL =>
  list(fields.map(({ name, column }) => sql`${sql.raw(`'${name}'`)}, ${of[column]}`));

const PERIOD = [period.startsAt, period.endsAt, period.paidBy] as const;

/** A present subscription as a `SubscriptionRecord`. */
export const presentRecord = (of: SharedColumns): SQL => sql`json_object(
    'type', (select ${subscriptionTypes.code} from ${subscriptionTypes} where ${subscriptionTypes.id} = ${of.typeId}),
    ${properties(of, CHOICE_FIELDS)},
    'areas', iif(${of.allAreas}, 'all', (select json_group_array(${areas.code} order by ${areas.code})
      from ${tableAs(subscriptionAreas, allowed, primaryKeyOf(subscriptionAreas))} cross join ${areas} on ${areas.id} = ${allowed.areaId}
      where ${allowed.subscriptionId} = ${of.id})),
    'periods', (select json_group_array(${jsonArray(PERIOD)} order by ${period.startsAt})
      from ${tableAs(subscriptionPeriods, period, primaryKeyOf(subscriptionPeriods))} where ${period.subscriptionId} = ${of.id}),
    ${properties(of, INSTANT_FIELDS)},
    'revision', ${of.revision})`;

const SHARED = [...fieldColumns(subscriptions), subscriptions.revision];

const inRecord = ({ value }: Arrived, property: string): SQL => recordValue(value('record'), property);

/** The columns that are written from a record. */
export const FROM_RECORD: Travelling = {
  reads: { record: (column) => column('record') },
  writes: [
    [
      subscriptions.typeId,
      (arrived) =>
        sql`(select ${subscriptionTypes.id} from ${subscriptionTypes} where ${subscriptionTypes.municipalityId} = ${arrived.municipality} and ${subscriptionTypes.code} = ${inRecord(arrived, 'type')})`,
    ],
    [subscriptions.allAreas, (arrived) => sql`${inRecord(arrived, 'areas')} = 'all'`],
    [
      subscriptions.lastPeriodEndsAt,
      ({ value }) =>
        sql`(select max(part.value ->> 1) from json_each(${value('record')}, '$.periods') as part)`,
    ],
    ...SHARED.map((column) => [column, (arrived: Arrived) => inRecord(arrived, column.name)] as const),
  ],
  defaults: {},
};

export const PERIODS = tableByIndex(subscriptionPeriods, primaryKeyOf(subscriptionPeriods));
const AREAS = tableByIndex(subscriptionAreas, primaryKeyOf(subscriptionAreas));

const ofItems = (arrived: Arrived): SQL => sql`(select ${subscriptionOf(arrived)} from ${arrived.items})`;
/** Materialized, or SQLite would parse the subscription's JSON again for each period. */
const changed = (arrived: Arrived): SQL =>
  sql`with changed as materialized (select ${subscriptionOf(arrived)} as id, ${arrived.value('record')} as record from ${arrived.items})`;

type Write = (arrived: Arrived) => SQL;

/** Replaces the periods and areas of subscriptions. */
export const writeLists: readonly Write[] = [
  (arrived) => sql`delete from ${PERIODS} where ${subscriptionPeriods.subscriptionId} in ${ofItems(arrived)}`,
  (arrived) => sql`delete from ${AREAS} where ${subscriptionAreas.subscriptionId} in ${ofItems(arrived)}`,
  (arrived) =>
    sql`insert into ${subscriptionPeriods} (${list([subscriptionPeriods.subscriptionId, subscriptionPeriods.startsAt, subscriptionPeriods.endsAt, subscriptionPeriods.coveredUntil, subscriptionPeriods.paidBy].map(bare))})
${changed(arrived)} select changed.id, part.value ->> 0, part.value ->> 1, max(part.value ->> 1) over (partition by changed.id order by part.value ->> 0), part.value ->> 2
from changed cross join json_each(changed.record, '$.periods') as part where true on conflict do nothing`,
  (arrived) =>
    sql`insert into ${subscriptionAreas} (${list([subscriptionAreas.subscriptionId, subscriptionAreas.areaId].map(bare))})
${changed(arrived)} select changed.id, ${areas.id}
from changed cross join json_each(changed.record, '$.areas') as part
cross join ${areas} on ${areas.municipalityId} = ${arrived.municipality} and ${areas.code} = part.value
where json_type(changed.record, '$.areas') = 'array' on conflict do nothing`,
];

/** Marks the subscriptions of spans as changed when the span was added or removed. */
export const touchSubscriptions = (at: string): readonly Write[] => [
  (arrived) =>
    sql`update ${subscriptions} set ${bare(subscriptions.changedAt)} = max(coalesce(${subscriptions.changedAt}, 0), change.at)
from (select ${subscriptionOf(arrived)} as id, max(${arrived.value(at)}) as at from ${arrived.items} group by 1) as change
where ${subscriptions.id} = change.id`,
];

const span = alias(subscriptionPlates, 'span');

/** Deletes the present spans that arrive as past ones. */
export const deletePastSpans: readonly Write[] = [
  (arrived) => sql`delete from ${subscriptionPlates} where ${subscriptionPlates.id} in (
  select ${span.id} from ${arrived.items}
  cross join ${tableAs(subscriptionPlates, span, 'subscription_plates_by_subscription')} on ${span.subscriptionId} = ${subscriptionOf(arrived)}
    and ${span.plate} = ${arrived.value('plate')} and ${span.validFrom} is ${arrived.value('valid_from')} and ${span.validUntil} is ${arrived.value('valid_until')}
    and ${span.recordedAt} = ${arrived.value('recorded_at')})`,
  ...touchSubscriptions('replaced_at'),
];
