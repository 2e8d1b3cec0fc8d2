import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { appendToJournal, recordedAt } from '../db/journal-sql.ts';
import {
  journal,
  subscriptionAreas,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../db/schema/index.ts';
import { aliased, jsonArray, parameter, statement } from '../db/sql.ts';
import { countChanges } from './daily-changes-table.ts';
import { unlessErased } from './erased-parts.ts';
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

const before = alias(journal, 'before');

/** Parameters behind those of every statement of subscriptions. */
const NOW = parameter(3);
const REQUEST = parameter(4);
const ERASED_UP_TO = parameter(5);

/** Behind the lists of a line: its record in the journal, but for what is each plate's own; and each plate's entries. */
const RECORD = AREAS + 1;
const ENTRIES = AREAS + 2;

/** The revision that stands after a line: a line without one leaves the subscription the one it has. */
const REVISION_AFTER = sql`coalesce(${lineValue('revision')}, ${s.revision})`;

/** When it changed is no part of what it says. */
const COMPARED = LINE_COLUMNS.filter(
  (name) => !['subscriptionNumber', 'changedAt', 'lastPeriodEndsAt', 'revision'].includes(name),
);

/** A list in one order, so that two that hold the same are the same text. */
const sortedList = (item: SQL, order: readonly SQL[], from: SQL): SQL =>
  sql`(select json_group_array(${item} order by ${sql.join([...order], sql`, `)}) ${from})`;

function tuplesDiffer(stored: readonly SQL[], from: SQL, index: number): SQL {
  const given = stored.map((_, position) => sql.raw(`item.value ->> ${position}`));
  const ofLine = sql`from json_each(line.value, ${sql.raw(`'$[${index}]'`)}) as item`;
  return sql`${sortedList(jsonArray(stored), stored, from)} <> ${sortedList(jsonArray(given), given, ofLine)}`;
}

const LISTS_DIFFER = [
  tuplesDiffer(
    [sql`${plates.plate}`, sql`${plates.validFrom}`, sql`${plates.validUntil}`],
    sql`from ${aliased(subscriptionPlates, plates)} where ${plates.subscriptionId} = ${s.id}`,
    PLATES,
  ),
  tuplesDiffer(
    [sql`${periods.startsAt}`, sql`${periods.endsAt}`],
    sql`from ${aliased(subscriptionPeriods, periods)} where ${periods.subscriptionId} = ${s.id}`,
    PERIODS,
  ),
  sql`${sortedList(
    sql`${areas.areaId}`,
    [sql`${areas.areaId}`],
    sql`from ${aliased(subscriptionAreas, areas)} where ${areas.subscriptionId} = ${s.id}`,
  )} <> ${sortedList(
    sql.raw('item.value'),
    [sql.raw('item.value')],
    sql`from json_each(line.value, ${sql.raw(`'$[${AREAS}]'`)}) as item`,
  )}`,
];

/** The lines that change anything, each with the id and the revision of what is stored. */
const CHANGED = sql`
select line.value as line, ${s.id} as id, ${REVISION_AFTER} as revision
from json_each(${LIST}) as line
left join ${aliased(subscriptions, s)} on ${isLineOf}
where ${s.id} is null or (${IS_NEWER} and (${sql.join(
  [
    ...COMPARED.map((name) => sql`${s[name]} is not ${lineValue(name)}`),
    sql`${s.revision} is not ${REVISION_AFTER}`,
    ...LISTS_DIFFER,
  ],
  sql` or `,
)}))`;

/** Counts what is about to change: it has to come before the others, in the same transaction. */
export const COUNT_SUBSCRIPTIONS = statement(() =>
  countChanges(MUNICIPALITY, { day: parameter(3), count: parameter(4), mostBefore: parameter(5) }, CHANGED),
);

const numberOf = sql.raw(`line ->> ${LINE_COLUMNS.indexOf('subscriptionNumber')}`);
const entriesOf = sql.raw(`json_each(line, '$[${ENTRIES}]') as entry`);

/** A row for every plate that is on a subscription before or after the change; of one that has left it, no record. */
const PLATE_ROWS = sql`
select distinct ${numberOf} as number, ${plates.plate} as plate, null as record
from changed
cross join ${aliased(subscriptionPlates, plates)} on ${plates.subscriptionId} = changed.id
where not exists (select 1 from ${entriesOf} where entry.value ->> 0 = ${plates.plate})
union all
select ${numberOf}, entry.value ->> 0,
  json_set(line -> ${sql.raw(String(RECORD))}, '$.plates', entry.value -> 1, '$.revision', revision)
from changed
cross join ${entriesOf}`;

/** The row with which the plate of a row came on its subscription. Null for one that has never been on it. */
const CAME_WITH = sql`(select coalesce(${before.cameWith}, ${before.sequence}) from ${aliased(journal, before)}
  where ${before.municipalityId} = ${MUNICIPALITY} and ${before.kind} = 'subscription' and ${before.sourceCode} is null
    and ${before.key} = told.number and ${before.plate} = told.plate
  order by ${before.sequence} desc limit 1)`;

/**
 * Appends what the statements that replace subscriptions are about to change: it has to come before them, in the same
 * transaction. It compares with what is stored, so that a batch that was stored, and is sent again since its answer was
 * lost, appends nothing.
 */
export const APPEND_SUBSCRIPTIONS = statement(() =>
  appendToJournal(
    {
      municipalityId: unlessErased(MUNICIPALITY, ERASED_UP_TO),
      kind: sql.raw(`'subscription'`),
      recordedAt: recordedAt(NOW),
      requestId: REQUEST,
      key: sql.raw('told.number'),
      plate: sql.raw('told.plate'),
      cameWith: CAME_WITH,
      record: sql.raw('told.record'),
    },
    sql`from (
with changed as materialized (${CHANGED})
${PLATE_ROWS}
) as told`,
  ),
);
