import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  journal,
  subscriptionAreas,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../db/schema/index.ts';
import {
  bare,
  jsonArray,
  jsonRows,
  list,
  parameter,
  primaryKeyOf,
  statement,
  tableAs,
  tableByIndex,
} from '../db/sql.ts';
import {
  at,
  change,
  columnsOf,
  inRange,
  insertItems,
  layoutOf,
  MUNICIPALITY,
  ofMunicipality,
  ROWS,
  typeByCode,
} from './copy-parts.ts';

const subscription = alias(subscriptions, 'subscription');
const SUBSCRIPTION = columnsOf(subscriptions, {
  without: [subscriptions.id],
  otherwise: [typeByCode(subscriptions.typeId)],
});

const BY_NUMBER = 'subscriptions_number';
const PLATES_OF = tableByIndex(subscriptionPlates, 'subscription_plates_by_subscription');
const PERIODS_OF = tableByIndex(subscriptionPeriods, primaryKeyOf(subscriptionPeriods));
const AREAS_OF = tableByIndex(subscriptionAreas, primaryKeyOf(subscriptionAreas));

/** What a subscription has lists of. They follow its columns, each as a list of lists. */
const LISTS = [
  {
    name: 'plates',
    table: subscriptionPlates,
    of: subscriptionPlates.subscriptionId,
    byOf: PLATES_OF,
    columns: [subscriptionPlates.plate, subscriptionPlates.validFrom, subscriptionPlates.validUntil],
    /** What every item has in addition. */
    given: [[subscriptionPlates.municipalityId, MUNICIPALITY]],
  },
  {
    name: 'periods',
    table: subscriptionPeriods,
    of: subscriptionPeriods.subscriptionId,
    byOf: PERIODS_OF,
    columns: [subscriptionPeriods.startsAt, subscriptionPeriods.endsAt],
    given: [],
  },
  {
    name: 'areas',
    table: subscriptionAreas,
    of: subscriptionAreas.subscriptionId,
    byOf: AREAS_OF,
    columns: [subscriptionAreas.areaId],
    given: [],
  },
] as const;

/** All of a subscription. */
const WHOLE_SUBSCRIPTION = jsonArray([
  ...SUBSCRIPTION.map(({ read }) => read),
  ...LISTS.map(({ of, byOf, columns }) =>
    jsonRows(jsonArray(columns), sql`from ${byOf} where ${of} = ${subscriptions.id}`),
  ),
]);

const last = alias(subscriptions, 'last');
/**
 * The number of the subscription that was looked at last. Parameters 2 and 3: its id, and when it had changed. Of one that has
 * gone, or has changed, the id may be another's by now: then from the first number on.
 */
const LAST_NUMBER = sql`coalesce((select ${last.subscriptionNumber} from ${tableAs(subscriptions, last)}
  where ${last.id} = ${parameter(2)} and ${ofMunicipality(last.municipalityId)} and ${last.changedAt} is ${parameter(3)}), '')`;

/** Parameters 2 and 3: where to go on; 4: how many. */
export const READ_SUBSCRIPTIONS = statement(
  () => sql`select ${subscriptions.id} as id, ${subscriptions.changedAt} as changedAt, ${WHOLE_SUBSCRIPTION} as item
from ${tableByIndex(subscriptions, BY_NUMBER)}
where ${ofMunicipality(subscriptions.municipalityId)} and ${subscriptions.subscriptionNumber} > ${LAST_NUMBER}
order by ${subscriptions.subscriptionNumber} limit ${parameter(4)}`,
);

const countOf = (table: SQL, subscriptionId: SQLiteColumn): SQL =>
  sql`(select count(*) from ${table} where ${subscriptionId} = ${subscription.id})`;

/**
 * The same for those without a plate. Parameter 5: the instant since which they have changed; 6: how many periods and areas they
 * have together, but for those of the last one. `found` counts those up to the fourth parameter, read or not.
 */
export const READ_PLATELESS = statement(
  () => sql`select ${subscriptions.id} as id, ${subscriptions.changedAt} as changedAt, ${WHOLE_SUBSCRIPTION} as item, page.found as found
from (
  select id, number, count(*) over () as found,
    coalesce(sum(items) over (order by number rows between unbounded preceding and 1 preceding), 0) as items_before
  from (
    select ${subscription.id} as id, ${subscription.subscriptionNumber} as number,
      ${countOf(PERIODS_OF, subscriptionPeriods.subscriptionId)} + ${countOf(AREAS_OF, subscriptionAreas.subscriptionId)} as items
    from ${tableAs(subscriptions, subscription, BY_NUMBER)}
    where ${ofMunicipality(subscription.municipalityId)} and ${subscription.subscriptionNumber} > ${LAST_NUMBER}
      and ${subscription.changedAt} >= ${parameter(5)}
      and not exists (select 1 from ${PLATES_OF} where ${subscriptionPlates.subscriptionId} = ${subscription.id})
    order by ${subscription.subscriptionNumber} limit ${parameter(4)}
  )
) as page cross join ${subscriptions} on ${subscriptions.id} = page.id
where page.items_before < ${parameter(6)} order by page.number`,
);

/** The subscriptions that have rows in a range of the journal, as they are now. Parameters 2 and 3: the range. */
export const READ_CHANGED_SUBSCRIPTIONS = statement(
  () => sql`select ${WHOLE_SUBSCRIPTION} as item from ${tableByIndex(subscriptions, BY_NUMBER)}
where ${ofMunicipality(subscriptions.municipalityId)} and ${subscriptions.subscriptionNumber} in (
  select ${change.key} from ${tableAs(journal, change)} where ${inRange} and ${change.kind} = 'subscription')`,
);

const NUMBER = SUBSCRIPTION.findIndex(({ column }) => column.name === subscriptions.subscriptionNumber.name);
const written = sql`json_each(${ROWS}) as item
  cross join ${tableAs(subscriptions, subscription, BY_NUMBER)} on ${subscription.municipalityId} = ${MUNICIPALITY} and ${subscription.subscriptionNumber} = ${at(NUMBER)}`;

/** What replaces whole subscriptions, in this order. Deleting the old row deletes its lists. */
const WRITE_SUBSCRIPTIONS = [
  statement(
    () =>
      sql`delete from ${subscriptions} where ${subscriptions.id} in (select ${subscription.id} from ${written})`,
  ),
  statement(() => insertItems(subscriptions, SUBSCRIPTION)),
  ...LISTS.map(({ table, of, columns, given }, index) =>
    statement(
      () => sql`insert into ${table} (${list([of, ...given.map(([column]) => column), ...columns].map(bare))})
select ${list([subscription.id, ...given.map(([, value]) => value), ...columns.map((_, at) => sql.raw(`part.value ->> ${at}`))])}
from ${written} cross join ${sql.raw(`json_each(item.value, '$[${SUBSCRIPTION.length + index}]') as part`)}`,
    ),
  ),
] as const;

export const COPIED_SUBSCRIPTIONS = {
  kind: 'subscription',
  writes: WRITE_SUBSCRIPTIONS,
  ...layoutOf(SUBSCRIPTION, ...LISTS.map(({ name }) => name)),
} as const;
