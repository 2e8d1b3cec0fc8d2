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
import { SHARED_INSTANTS, type SharedColumn } from './shared-instants.ts';
import { bare, jsonArray, list, parameter, primaryKeyOf, tableAs, tableByIndex } from './sql.ts';
import { MUNICIPALITY, type Named, subscriptionOf, type Travelling } from './travelling.ts';

/** How subscriptions travel between databases: as the `SubscriptionRecord` of their shared part, with codes instead of ids. */

const allowed = alias(subscriptionAreas, 'allowed');
const period = alias(subscriptionPeriods, 'period');

/** The columns that a subscription's plates share, of the table under any alias. */
type SharedColumns = Readonly<
  Record<'id' | 'typeId' | 'approval' | 'allAreas' | 'revision' | SharedColumn, SQLiteColumn>
>;

const PERIOD = [period.startsAt, period.endsAt, period.paidBy] as const;

/** A present subscription as a `SubscriptionRecord`. */
export const presentRecord = (of: SharedColumns): SQL => sql`json_object(
    'type', (select ${subscriptionTypes.code} from ${subscriptionTypes} where ${subscriptionTypes.id} = ${of.typeId}),
    'approval', ${of.approval},
    'areas', iif(${of.allAreas}, 'all', (select json_group_array(${areas.code} order by ${areas.code})
      from ${tableAs(subscriptionAreas, allowed, primaryKeyOf(subscriptionAreas))} cross join ${areas} on ${areas.id} = ${allowed.areaId}
      where ${allowed.subscriptionId} = ${of.id})),
    'periods', (select json_group_array(${jsonArray(PERIOD)} order by ${period.startsAt})
      from ${tableAs(subscriptionPeriods, period, primaryKeyOf(subscriptionPeriods))} where ${period.subscriptionId} = ${of.id}),
    ${list(SHARED_INSTANTS.map(([name, column]) => sql`${sql.raw(`'${name}'`)}, ${of[column]}`))},
    'revision', ${of.revision})`;

const SHARED = [
  subscriptions.approval,
  ...SHARED_INSTANTS.map(([, column]) => subscriptions[column]),
  subscriptions.revision,
] as const;

const inRecord = (value: Named, path: string): SQL => sql`${value('record')} ->> ${sql.raw(`'$.${path}'`)}`;

/** The columns that are written from a record. */
export const FROM_RECORD: Travelling = {
  reads: { record: (column) => column('record') },
  writes: [
    [
      subscriptions.typeId,
      (value) =>
        sql`(select ${subscriptionTypes.id} from ${subscriptionTypes} where ${subscriptionTypes.municipalityId} = ${MUNICIPALITY} and ${subscriptionTypes.code} = ${inRecord(value, 'type')})`,
    ],
    [subscriptions.allAreas, (value) => sql`${inRecord(value, 'areas')} = 'all'`],
    [
      subscriptions.lastPeriodEndsAt,
      (value) => sql`(select max(part.value ->> 1) from json_each(${value('record')}, '$.periods') as part)`,
    ],
    ...SHARED.map((column) => [column, (value: Named) => inRecord(value, column.name)] as const),
  ],
  defaults: {},
};

/** The arriving rows: parameter 2. */
export const ITEMS = sql`json_each(${parameter(2)}) as item`;

/** Materialized, or SQLite would parse the subscription's JSON again for each period. */
const changed = (value: Named): SQL =>
  sql`with changed as materialized (select ${subscriptionOf(value)} as id, ${value('record')} as record from ${ITEMS})`;
const ofItems = (value: Named): SQL => sql`(select ${subscriptionOf(value)} from ${ITEMS})`;
const PERIODS = tableByIndex(subscriptionPeriods, primaryKeyOf(subscriptionPeriods));
const AREAS = tableByIndex(subscriptionAreas, primaryKeyOf(subscriptionAreas));

/** Replaces the periods and areas of subscriptions. */
export const writeLists = (value: Named): SQL[] => [
  sql`delete from ${PERIODS} where ${subscriptionPeriods.subscriptionId} in ${ofItems(value)}`,
  sql`delete from ${AREAS} where ${subscriptionAreas.subscriptionId} in ${ofItems(value)}`,
  sql`insert into ${subscriptionPeriods} (${list([subscriptionPeriods.subscriptionId, subscriptionPeriods.startsAt, subscriptionPeriods.endsAt, subscriptionPeriods.coveredUntil, subscriptionPeriods.paidBy].map(bare))})
${changed(value)} select changed.id, part.value ->> 0, part.value ->> 1, max(part.value ->> 1) over (partition by changed.id order by part.value ->> 0), part.value ->> 2
from changed cross join json_each(changed.record, '$.periods') as part where true on conflict do nothing`,
  sql`insert into ${subscriptionAreas} (${list([subscriptionAreas.subscriptionId, subscriptionAreas.areaId].map(bare))})
${changed(value)} select changed.id, ${areas.id}
from changed cross join json_each(changed.record, '$.areas') as part
cross join ${areas} on ${areas.municipalityId} = ${MUNICIPALITY} and ${areas.code} = part.value
where json_type(changed.record, '$.areas') = 'array' on conflict do nothing`,
];

/** Marks the subscriptions of spans as changed when the span was added or removed. */
export const touchSubscriptions =
  (at: string) =>
  (value: Named): SQL[] => [
    sql`update ${subscriptions} set ${bare(subscriptions.changedAt)} = max(coalesce(${subscriptions.changedAt}, 0), change.at)
from (select ${subscriptionOf(value)} as id, max(${value(at)}) as at from ${ITEMS} group by 1) as change
where ${subscriptions.id} = change.id`,
  ];

const span = alias(subscriptionPlates, 'span');

/** Deletes the present spans that arrive as past ones. */
export const deletePastSpans = (value: Named): SQL[] => [
  sql`delete from ${subscriptionPlates} where ${subscriptionPlates.id} in (
  select ${span.id} from ${ITEMS}
  cross join ${tableAs(subscriptionPlates, span, 'subscription_plates_by_subscription')} on ${span.subscriptionId} = ${subscriptionOf(value)}
    and ${span.plate} = ${value('plate')} and ${span.validFrom} is ${value('valid_from')} and ${span.validUntil} is ${value('valid_until')}
    and ${span.recordedAt} = ${value('recorded_at')})`,
  ...touchSubscriptions('replaced_at')(value),
];
