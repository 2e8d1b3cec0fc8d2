import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import {
  subscriptionAreas,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../db/schema/index.ts';
import { aliased, bare, list, statement } from '../db/sql.ts';
import { writableId } from '../db/writable.ts';
import { NO_ERASED_COLUMNS, unionErased } from './erased-parts.ts';
import {
  AREAS,
  areas,
  IS_NEWER,
  isLineOf,
  LINE_COLUMNS,
  LIST,
  lineValue,
  MUNICIPALITY,
  PERIODS,
  PLATES,
  periods,
  plates,
  s,
} from './subscriptions-parts.ts';

const item = (index: number): SQL => sql.raw(`item.value ->> ${index}`);

/** A row a subscription; its lists as JSON, so that all of a batch is one statement. */
export const READ_SUBSCRIPTIONS = statement(
  () => sql`
select ${list(LINE_COLUMNS.map((name) => sql`${s[name]} as ${sql.identifier(name)}`))},
  (select json_group_array(json_array(${plates.plate}, ${plates.validFrom}, ${plates.validUntil}))
    from ${aliased(subscriptionPlates, plates)} where ${plates.subscriptionId} = ${s.id}) as plates,
  (select json_group_array(json_array(${periods.startsAt}, ${periods.endsAt}))
    from ${aliased(subscriptionPeriods, periods)} where ${periods.subscriptionId} = ${s.id}) as periods,
  (select json_group_array(${areas.areaId})
    from ${aliased(subscriptionAreas, areas)} where ${areas.subscriptionId} = ${s.id}) as areas,
  ${NO_ERASED_COLUMNS}
from json_each(${LIST}) as wanted
cross join ${aliased(subscriptions, s)}
  on ${s.municipalityId} = ${MUNICIPALITY} and ${s.subscriptionNumber} = wanted.value
${unionErased({
  kind: 'subscription',
  municipality: MUNICIPALITY,
  source: sql.raw("''"),
  keys: LIST,
  columns: LINE_COLUMNS.length + 3,
})}`,
);

/**
 * Replaces subscriptions and keeps their ids. The row that goes takes its lists along, so that no statement has to
 * empty them. Two imports may run at once: what the other has stored since is not undone where it is newer.
 */
export const REPLACE_SUBSCRIPTIONS = statement(
  () => sql`
insert or replace into ${subscriptions}
  (${list([s.id, s.municipalityId, ...LINE_COLUMNS.map((name) => s[name])].map(bare))})
select ${list([sql`${s.id}`, writableId(MUNICIPALITY), ...LINE_COLUMNS.map(replacing)])}
from json_each(${LIST}) as line
left join ${aliased(subscriptions, s)} on ${isLineOf}
where ${s.id} is null or ${IS_NEWER}`,
);

function replacing(name: (typeof LINE_COLUMNS)[number]): SQL {
  const value = lineValue(name);
  return name === 'revision' ? sql`coalesce(${value}, ${s.revision})` : value;
}

/** The subscriptions that have just been replaced: one that was newer has a higher revision than its line. */
const REPLACED = sql`
from json_each(${LIST}) as line
cross join ${aliased(subscriptions, s)}
  on ${isLineOf}
  and (${lineValue('revision')} is null or ${lineValue('revision')} = ${s.revision})`;

const fill = (table: SQLiteTable, columns: readonly SQLiteColumn[], values: readonly SQL[], index: number) =>
  statement(
    () => sql`insert into ${table} (${list(columns.map(bare))})
select ${list(values)} ${REPLACED}
cross join json_each(line.value, ${sql.raw(`'$[${index}]'`)}) as item`,
  );

export const FILL_PLATES = fill(
  subscriptionPlates,
  [plates.subscriptionId, plates.municipalityId, plates.plate, plates.validFrom, plates.validUntil],
  [sql`${s.id}`, MUNICIPALITY, item(0), item(1), item(2)],
  PLATES,
);
export const FILL_PERIODS = fill(
  subscriptionPeriods,
  [periods.subscriptionId, periods.startsAt, periods.endsAt],
  [sql`${s.id}`, item(0), item(1)],
  PERIODS,
);
export const FILL_AREAS = fill(
  subscriptionAreas,
  [areas.subscriptionId, areas.areaId],
  [sql`${s.id}`, sql.raw('item.value')],
  AREAS,
);
