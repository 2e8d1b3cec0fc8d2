import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  journal,
  subscriptionAreas,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../db/schema/index.ts';
import { bare, jsonArray, jsonRows, list, parameter, statement, tableAs } from '../db/sql.ts';
import {
  at,
  type Copied,
  change,
  columnsOf,
  inRange,
  layoutOf,
  MUNICIPALITY,
  ofMunicipality,
  ROWS,
  typeByCode,
} from './copy-parts.ts';

const subscription = alias(subscriptions, 'subscription');
const SUBSCRIPTION: readonly Copied[] = [
  ...columnsOf(subscriptions, subscriptions.id, subscriptions.typeId),
  typeByCode(subscriptions.typeId),
];
/** After the columns: the lists, as lists of lists. */
const [PLATES, PERIODS, AREAS] = [0, 1, 2].map((index) => SUBSCRIPTION.length + index) as [
  number,
  number,
  number,
];

/** All of a subscription. */
const WHOLE_SUBSCRIPTION = jsonArray([
  ...SUBSCRIPTION.map(({ read: value }) => value),
  jsonRows(
    jsonArray([subscriptionPlates.plate, subscriptionPlates.validFrom, subscriptionPlates.validUntil]),
    sql`from ${subscriptionPlates} where ${ofOwn(subscriptionPlates.subscriptionId)}`,
  ),
  jsonRows(
    jsonArray([subscriptionPeriods.startsAt, subscriptionPeriods.endsAt]),
    sql`from ${subscriptionPeriods} where ${ofOwn(subscriptionPeriods.subscriptionId)}`,
  ),
  jsonRows(
    jsonArray([subscriptionAreas.areaId]),
    sql`from ${subscriptionAreas} where ${ofOwn(subscriptionAreas.subscriptionId)}`,
  ),
]);

function ofOwn(column: SQLiteColumn): SQL {
  return sql`${column} = ${subscriptions.id}`;
}

/** Parameter 2: the number to go on from; 3: how many. */
export const READ_SUBSCRIPTIONS = statement(
  () => sql`select ${subscriptions.subscriptionNumber} as number, ${WHOLE_SUBSCRIPTION} as item from ${subscriptions}
where ${ofMunicipality(subscriptions.municipalityId)} and ${subscriptions.subscriptionNumber} > ${parameter(2)}
order by ${subscriptions.subscriptionNumber} limit ${parameter(3)}`,
);

const countOf = (table: SQLiteTable, subscriptionId: SQLiteColumn): SQL =>
  sql`(select count(*) from ${table} where ${subscriptionId} = ${subscription.id})`;

/**
 * The same for those without a plate. Parameter 4: the instant since which they have changed; 5: how many periods and areas they
 * have together, but for those of the last one. `found` counts those up to the third parameter, read or not.
 */
export const READ_PLATELESS = statement(
  () => sql`select ${subscriptions.subscriptionNumber} as number, ${WHOLE_SUBSCRIPTION} as item, page.found as found
from (
  select id, number, count(*) over () as found,
    coalesce(sum(items) over (order by number rows between unbounded preceding and 1 preceding), 0) as items_before
  from (
    select ${subscription.id} as id, ${subscription.subscriptionNumber} as number,
      ${countOf(subscriptionPeriods, subscriptionPeriods.subscriptionId)} + ${countOf(subscriptionAreas, subscriptionAreas.subscriptionId)} as items
    from ${tableAs(subscriptions, subscription)}
    where ${ofMunicipality(subscription.municipalityId)} and ${subscription.subscriptionNumber} > ${parameter(2)}
      and ${subscription.changedAt} >= ${parameter(4)}
      and not exists (select 1 from ${subscriptionPlates} where ${subscriptionPlates.subscriptionId} = ${subscription.id})
    order by ${subscription.subscriptionNumber} limit ${parameter(3)}
  )
) as page cross join ${subscriptions} on ${subscriptions.id} = page.id
where page.items_before < ${parameter(5)} order by page.number`,
);

/** The subscriptions that have rows in a range of the journal, as they are now. Parameters 2 and 3: the range. */
export const READ_CHANGED_SUBSCRIPTIONS = statement(
  () => sql`select ${WHOLE_SUBSCRIPTION} as item from ${subscriptions}
where ${ofMunicipality(subscriptions.municipalityId)} and ${subscriptions.subscriptionNumber} in (
  select ${change.key} from ${tableAs(journal, change)} where ${inRange} and ${change.kind} = 'subscription')`,
);

const NUMBER = SUBSCRIPTION.findIndex(({ column }) => column.name === subscriptions.subscriptionNumber.name);
const written = sql`json_each(${ROWS}) as item
  cross join ${tableAs(subscriptions, subscription)} on ${subscription.municipalityId} = ${MUNICIPALITY} and ${subscription.subscriptionNumber} = ${at(NUMBER)}`;
const part = (index: number): SQL => sql.raw(`part.value ->> ${index}`);
const parts = (index: number): SQL => sql.raw(`json_each(item.value, '$[${index}]') as part`);
const fill = (table: SQLiteTable, columns: readonly SQLiteColumn[], index: number, values: readonly SQL[]) =>
  statement(
    () => sql`insert into ${table} (${list(columns.map(bare))})
select ${list(values)} from ${written} cross join ${parts(index)}`,
  );

/** What replaces whole subscriptions, in this order. Deleting the old row deletes its lists. */
const WRITE_SUBSCRIPTIONS = [
  statement(
    () =>
      sql`delete from ${subscriptions} where ${subscriptions.id} in (select ${subscription.id} from ${written})`,
  ),
  statement(
    () => sql`insert into ${subscriptions} (${list(SUBSCRIPTION.map(({ column }) => bare(column)))})
select ${list(SUBSCRIPTION.map((column, index) => column.write(at(index))))} from json_each(${ROWS}) as item`,
  ),
  fill(
    subscriptionPlates,
    [
      subscriptionPlates.subscriptionId,
      subscriptionPlates.municipalityId,
      subscriptionPlates.plate,
      subscriptionPlates.validFrom,
      subscriptionPlates.validUntil,
    ],
    PLATES,
    [sql`${subscription.id}`, MUNICIPALITY, part(0), part(1), part(2)],
  ),
  fill(
    subscriptionPeriods,
    [subscriptionPeriods.subscriptionId, subscriptionPeriods.startsAt, subscriptionPeriods.endsAt],
    PERIODS,
    [sql`${subscription.id}`, part(0), part(1)],
  ),
  fill(subscriptionAreas, [subscriptionAreas.subscriptionId, subscriptionAreas.areaId], AREAS, [
    sql`${subscription.id}`,
    part(0),
  ]),
] as const;

export const COPIED_SUBSCRIPTIONS = {
  kind: 'subscription',
  writes: WRITE_SUBSCRIPTIONS,
  ...layoutOf(SUBSCRIPTION, 'plates', 'periods', 'areas'),
} as const;
