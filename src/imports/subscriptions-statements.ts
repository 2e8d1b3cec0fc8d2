import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import {
  subscriptionAreas,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../db/schema/index.ts';
import { OPEN_END } from '../db/schema/sessions.ts';
import { bare, isNotIn, list, literal, parameter, primaryKeyOf, statement, tableByIndex } from '../db/sql.ts';
import { writableId } from '../db/writable.ts';
import { NO_ERASED_COLUMNS, unionErased } from './erased-parts.ts';
import { isNotOlder, revisionAfter } from './line-parts.ts';
import {
  AREAS,
  AREAS_OF,
  area,
  IS_NOT_OLDER,
  isLineOf,
  LINE_COLUMNS,
  LIST,
  lineValue,
  MUNICIPALITY,
  PERIODS,
  PERIODS_OF,
  PLATES,
  PLATES_OF,
  period,
  plate,
  REVISION_AFTER,
  SUBSCRIPTIONS,
  subscription,
} from './subscriptions-parts.ts';
import { ITEMS_PER_PLATE } from './weights.ts';

const item = (index: number): SQL => sql.raw(`item.value ->> ${index}`);

/** A row a subscription; its lists as JSON, so that all of a batch is one statement. */
export const READ_SUBSCRIPTIONS = statement(
  () => sql`
select ${list(LINE_COLUMNS.map((name) => sql`${subscription[name]} as ${sql.identifier(name)}`))},
  (select json_group_array(json_array(${plate.plate}, ${plate.validFrom}, ${plate.validUntil}))
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
  columns: LINE_COLUMNS.length + 3,
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

const OWN_COLUMNS = list(
  [subscription.municipalityId, ...LINE_COLUMNS.map((name) => subscription[name])].map(bare),
);

/**
 * Replaces subscriptions and keeps their ids. Deleting the old row deletes its lists, so that no statement has to. Two
 * imports may run at once: what the other has stored since is not undone where it is newer.
 */
export const REPLACE_SUBSCRIPTIONS = statement(
  () => sql`
insert or replace into ${subscriptions} (${bare(subscription.id)}, ${OWN_COLUMNS})
select ${list([sql`${subscription.id}`, writableId(MUNICIPALITY), ...LINE_COLUMNS.map(replacing)])}
from json_each(${LIST}) as line
left join ${SUBSCRIPTIONS} on ${isLineOf}
where ${subscription.id} is null or ${IS_NOT_OLDER}`,
);

const replacing = (name: (typeof LINE_COLUMNS)[number]): SQL =>
  name === 'revision' ? REVISION_AFTER : lineValue(name);

const { revision, municipalityId, subscriptionNumber } = subscriptions;
const given = (column: SQLiteColumn): SQL => sql`excluded.${bare(column)}`;

/** The same for subscriptions with long lists, which stay: the statements behind it change what differs in them. */
export const UPDATE_SUBSCRIPTIONS = statement(
  () => sql`
insert into ${subscriptions} (${OWN_COLUMNS})
select ${list([writableId(MUNICIPALITY), ...LINE_COLUMNS.map(lineValue)])}
from json_each(${LIST}) as line where true
on conflict (${list([municipalityId, subscriptionNumber].map(bare))}) do update set
  ${list(
    LINE_COLUMNS.filter((name) => name !== 'subscriptionNumber' && name !== 'revision').map(
      (name) => sql`${bare(subscription[name])} = ${given(subscription[name])}`,
    ),
  )}, ${bare(revision)} = ${revisionAfter(given(revision), revision)}
where ${isNotOlder(given(revision), revision)}`,
);

/** The subscriptions that have just been stored: one that was newer has a higher revision than its line. */
const STORED = sql`
from json_each(${LIST}) as line
cross join ${SUBSCRIPTIONS}
  on ${isLineOf}
  and (${lineValue('revision')} is null or ${lineValue('revision')} = ${subscription.revision})`;

interface List {
  readonly table: SQLiteTable;
  /** The index that finds a subscription's rows; it begins with the columns that name the subscription. */
  readonly index: string;
  readonly subscriptionId: SQLiteColumn;
  /** Of an item of a line, by position. */
  readonly columns: readonly SQLiteColumn[];
  /** Its place in a line. */
  readonly position: number;
  /** Columns that repeat what is the subscription's, each with its value. */
  readonly repeated?: readonly [SQLiteColumn, SQL];
}

/** The statements of a list: `fill` adds all items of the lines; `prune` and `extend` change what differs. */
function statementsOf({ table, index, subscriptionId, columns, position, repeated }: List) {
  const items = sql`${STORED}
cross join json_each(line.value, ${sql.raw(`'$[${position}]'`)}) as item`;
  const values = columns.length === 1 ? [sql.raw('item.value')] : columns.map((_, nth) => item(nth));
  const into = sql`insert into ${table} (${list([subscriptionId, ...(repeated ? [repeated[0]] : []), ...columns].map(bare))})
select ${list([sql`${subscription.id}`, ...(repeated ? [repeated[1]] : []), ...values])} ${items}`;
  // In SQL no null equals another: an instant that no row has replaces it.
  const comparable = (parts: readonly SQL[]): SQL =>
    list(parts.map((part) => sql`coalesce(${part}, ${literal(-OPEN_END)})`));
  const own = columns.map((column) => sql`${column}`);
  return {
    fill: statement(() => into),
    prune: statement(
      () => sql`delete from ${tableByIndex(table, index)}
where ${subscriptionId} in (select ${subscription.id} ${STORED})
  and ${isNotIn(sql`${subscriptionId}, ${comparable(own)}`, sql`select ${subscription.id}, ${comparable(values)} ${items}`)}`,
    ),
    extend: statement(
      () => sql`${into}
where ${isNotIn(
        sql`${subscription.id}, ${comparable(values)}`,
        sql`select ${subscriptionId}, ${comparable(own)} ${STORED}
  cross join ${tableByIndex(table, index)} on ${subscriptionId} = ${subscription.id}`,
      )}`,
    ),
  };
}

export const PLATE_STATEMENTS = statementsOf({
  table: subscriptionPlates,
  index: 'subscription_plates_by_subscription',
  subscriptionId: subscriptionPlates.subscriptionId,
  columns: [subscriptionPlates.plate, subscriptionPlates.validFrom, subscriptionPlates.validUntil],
  position: PLATES,
  repeated: [subscriptionPlates.municipalityId, MUNICIPALITY],
});
export const PERIOD_STATEMENTS = statementsOf({
  table: subscriptionPeriods,
  index: primaryKeyOf(subscriptionPeriods),
  subscriptionId: subscriptionPeriods.subscriptionId,
  columns: [subscriptionPeriods.startsAt, subscriptionPeriods.endsAt],
  position: PERIODS,
});
export const AREA_STATEMENTS = statementsOf({
  table: subscriptionAreas,
  index: primaryKeyOf(subscriptionAreas),
  subscriptionId: subscriptionAreas.subscriptionId,
  columns: [subscriptionAreas.areaId],
  position: AREAS,
});
