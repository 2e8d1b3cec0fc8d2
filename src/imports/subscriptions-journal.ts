import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { appendToJournal, newestOfPlate, recordedAt } from '../db/journal-sql.ts';
import { journal } from '../db/schema/index.ts';
import { bytesOfUuid, isNotIn, jsonArray, parameter, statement } from '../db/sql.ts';
import type { Instant } from '../domain/instant.ts';
import type { SubscriptionTuple } from '../history/recorded.ts';
import { inRecord } from '../history/shared-rows-parts.ts';
import { codeOf } from './codes.ts';
import { requireNoErasure } from './erased-parts.ts';
import type { BatchStoredBy } from './stored-by.ts';
import type { SubscriptionRow } from './subscription-line.ts';
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
import type { SubscriptionPlace } from './subscriptions-table.ts';

const before = alias(journal, 'before');

/** Parameters behind those of every statement of subscriptions. */
const NOW = parameter(3);
const REQUEST = parameter(4);
const ERASED_UP_TO = parameter(5);

/** Behind the lists of a line: its record in the journal, but for what is each plate's own; and each plate's entries. */
const RECORD = AREAS + 1;
const ENTRIES = AREAS + 2;

/** When it changed is not part of its content. */
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

const PLATES_DIFFER = tuplesDiffer(
  [sql`${plate.plate}`, sql`${plate.validFrom}`, sql`${plate.validUntil}`],
  sql`from ${PLATES_OF} where ${plate.subscriptionId} = ${subscription.id}`,
  PLATES,
);

/** Whether a line changes what all plates of its subscription share. */
const SHARED_DIFFERS = sql`(${sql.join(
  [
    ...COMPARED.map((name) => sql`${subscription[name]} is not ${lineValue(name)}`),
    sql`${subscription.revision} is not ${REVISION_AFTER}`,
    tuplesDiffer(
      [sql`${period.startsAt}`, sql`${period.endsAt}`],
      sql`from ${PERIODS_OF} where ${period.subscriptionId} = ${subscription.id}`,
      PERIODS,
    ),
    sql`${sortedList(
      sql`${area.areaId}`,
      [sql`${area.areaId}`],
      sql`from ${AREAS_OF} where ${area.subscriptionId} = ${subscription.id}`,
    )} <> ${sortedList(
      sql.raw('item.value'),
      [sql.raw('item.value')],
      sql`from json_each(line.value, ${sql.raw(`'$[${AREAS}]'`)}) as item`,
    )}`,
  ],
  sql` or `,
)})`;

const ofLine = (index: number): SQL => sql.raw(`line.value -> ${index}`);

/**
 * The lines that change anything, each with the id and the revision of the stored row. Values that are read for each of
 * hundreds of plates are columns of their own, so that no plate searches the whole line again.
 */
const CHANGED = sql`
select ${subscription.id} as id, ${lineValue('subscriptionNumber')} as number, ${REVISION_AFTER} as revision,
  ${subscription.id} is null or ${SHARED_DIFFERS} as for_all, ${ofLine(RECORD)} as record, ${ofLine(ENTRIES)} as entries
from json_each(${LIST}) as line
left join ${SUBSCRIPTIONS} on ${isLineOf}
where ${subscription.id} is null or (${IS_NOT_OLDER} and (${SHARED_DIFFERS} or ${PLATES_DIFFER}))`;

/** What is stored of each plate of the subscriptions that change, as a line has it. */
const STORED = sql`
select changed.id as id, changed.number as number, ${plate.plate} as plate,
  json_group_array(${jsonArray([plate.validFrom, plate.validUntil])}
    order by ${plate.validFrom}, ${plate.validUntil}) as entries
from changed cross join ${PLATES_OF} on ${plate.subscriptionId} = changed.id
group by changed.id, ${plate.plate}`;

/** What a line has of each plate: as it comes, and in the order of {@link STORED}. */
const GIVEN = sql`
select changed.id as id, number, record, revision, for_all, entry.value ->> 0 as plate, entry.value -> 1 as entries,
  (select json_group_array(json(span.value) order by span.value ->> 0, span.value ->> 1)
    from json_each(entry.value, '$[1]') as span) as in_order
from changed cross join json_each(changed.entries) as entry`;

/** That a plate comes, or has other entries. */
const DIFFERS = isNotIn(sql`id, plate, in_order`, sql`select id, plate, entries from stored`);

/** The changes that have records of several plates. All of a line's have one where something changes that they share. */
const SEVERAL = sql`
select number from changed where for_all and json_array_length(entries) > 1
union all
select number from given where not for_all and ${DIFFERS} group by number having count(*) > 1`;

const withRevision = sql`${inRecord('revision')}, revision`;
const IS_OF_SEVERAL = sql`number in (select number from several)`;

/**
 * A row for every plate that a change is about: all of them where something changes that they share, else those that come,
 * leave, or have other entries. Where it has records of several plates, what they share is in one row before all of these, which
 * have their own entries alone. A plate that has left has no record; it comes last, so that nothing is between the others.
 */
const PLATE_ROWS = sql`
select number, null as plate, json_set(record, ${withRevision}) as record
from changed
where ${IS_OF_SEVERAL}
union all
select number, plate, iif(${IS_OF_SEVERAL}, entries, json_set(record, ${inRecord('plates')}, json(entries), ${withRevision}))
from given
where for_all or ${DIFFERS}
union all
select number, plate, null
from stored
where ${isNotIn(sql`id, plate`, sql`select id, plate from given`)}`;

/** The row with which the plate of a row came on its subscription. Null for one that has never been on it. */
const CAME_WITH = newestOfPlate(
  before,
  { municipality: MUNICIPALITY, number: sql.raw('appended.number'), plate: sql.raw('appended.plate') },
  sql`coalesce(${before.cameWith}, ${before.sequence})`,
);

/**
 * Appends what the statements that replace subscriptions are about to change: it has to come before them, in the same
 * transaction. It compares with what is stored, so that a batch that was stored, and is sent again since its answer was
 * lost, appends nothing.
 */
export const APPEND_SUBSCRIPTIONS = statement(() =>
  appendToJournal(
    {
      municipalityId: requireNoErasure(MUNICIPALITY, ERASED_UP_TO),
      kind: sql.raw(`'subscription'`),
      recordedAt: recordedAt(NOW),
      requestId: bytesOfUuid(REQUEST),
      key: sql.raw('appended.number'),
      plate: sql.raw('appended.plate'),
      cameWith: CAME_WITH,
      record: sql.raw('appended.record'),
    },
    sql`from (
with changed as materialized (${CHANGED}), stored as materialized (${STORED}), given as not materialized (${GIVEN}),
  several as materialized (${SEVERAL})
${PLATE_ROWS}
) as appended`,
  ),
);

/** What appends rows to the journal. */
export const journalStatements = (
  db: D1Database,
  place: SubscriptionPlace,
  rows: readonly SubscriptionRow[],
  by: BatchStoredBy,
  now: Instant,
): D1PreparedStatement[] => [
  db
    .prepare(APPEND_SUBSCRIPTIONS())
    .bind(
      place.municipalityId,
      JSON.stringify(rows.map((row) => valuesOf(row, place, now))),
      now,
      by.requestId,
      by.erasedUpTo,
    ),
];

function valuesOf(row: SubscriptionRow, { names }: SubscriptionPlace, changedAt: Instant): unknown[] {
  const values = {
    ...row,
    allAreas: row.areas === 'all' ? 1 : 0,
    changedAt,
    lastPeriodEndsAt: row.periods.at(-1)?.endsAt ?? null,
  };
  return [
    ...LINE_COLUMNS.map((name) => values[name]),
    row.plates.map(({ plate, validFrom, validUntil }) => [plate, validFrom, validUntil]),
    row.periods.map(({ startsAt, endsAt }) => [startsAt, endsAt]),
    row.areas === 'all' ? [] : row.areas,
    recordOf(row, names),
    entriesByPlate(row),
  ];
}

const recordOf = (row: SubscriptionRow, names: SubscriptionPlace['names']): SubscriptionTuple => [
  codeOf(names.types, row.typeId),
  row.approval,
  row.areas === 'all' ? row.areas : row.areas.map((id) => codeOf(names.areas, id)).sort(),
  [],
  row.periods.map(({ startsAt, endsAt }) => [startsAt, endsAt]),
  row.authorizedFrom,
  row.authorizedUntil,
  row.suspendedFrom,
  row.suspendedUntil,
  row.revokedAt,
  row.revision,
];

const entriesByPlate = ({ plates }: SubscriptionRow) =>
  [...Map.groupBy(plates, ({ plate }) => plate)].map(([plate, entries]) => [
    plate,
    entries.map(({ validFrom, validUntil }) => [validFrom, validUntil]),
  ]);
