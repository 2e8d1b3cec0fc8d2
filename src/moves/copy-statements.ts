import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { alias } from 'drizzle-orm/sqlite-core';
import { isConfiguration, newestFirst, plateOf, requestIdOf } from '../db/journal-sql.ts';
import {
  anonymizations,
  areas,
  erasedPlates,
  journal,
  parkingSessions,
  plans,
  rejectedPlates,
  sourceDelays,
  sourceImports,
  sources,
  subscriptionTypes,
} from '../db/schema/index.ts';
import { bare, bytesOfUuid, jsonArray, list, parameter, statement, tableAs } from '../db/sql.ts';
import {
  at,
  type Copied,
  change,
  columnsOf,
  inRange,
  inRangeOf,
  layoutOf,
  MUNICIPALITY,
  ofMunicipality,
  ROWS,
  typeByCode,
} from './copy-parts.ts';

interface CopiedTable {
  readonly table: SQLiteTable;
  readonly columns: readonly Copied[];
  readonly key: readonly SQLiteColumn[];
  readonly isOf: SQL;
}

const read = ({ table, columns, isOf }: CopiedTable) =>
  statement(
    () => sql`select ${jsonArray(columns.map((column) => column.read))} as item from ${table} where ${isOf}`,
  );

const write = ({ table, columns, key }: CopiedTable) =>
  statement(
    () => sql`insert into ${table} (${list(columns.map(({ column }) => bare(column)))})
select ${list(columns.map((column, index) => column.write(at(index))))} from json_each(${ROWS}) as item where true
on conflict (${list(key.map(bare))}) do update set
  ${list(changeable(columns, key).map(({ column }) => sql`${bare(column)} = excluded.${bare(column)}`))}`,
  );

/** What others refer to is never another: and to set it, SQLite would look through all that refer to it. */
const REFERRED = ['id', 'municipality_id', 'code'];
const changeable = (columns: readonly Copied[], key: readonly SQLiteColumn[]): Copied[] => {
  const fixed = new Set([...REFERRED, ...key.map(({ name }) => name)]);
  return columns.filter(({ column }) => !fixed.has(column.name));
};

const both = <Kind extends string>(kind: Kind, table: CopiedTable) => ({
  kind,
  read: read(table),
  writes: [write(table)],
  ...layoutOf(table.columns),
});

const isOfSources = (column: SQLiteColumn): SQL =>
  sql`${column} in (select ${sources.id} from ${sources} where ${ofMunicipality(sources.municipalityId)})`;

/** The configuration, and how the sources' last imports went: each table after those that it refers to. */
export const CONFIGURATION = [
  both('area', {
    table: areas,
    columns: columnsOf(areas),
    key: [areas.id],
    isOf: ofMunicipality(areas.municipalityId),
  }),
  both('source', {
    table: sources,
    columns: columnsOf(sources),
    key: [sources.id],
    isOf: ofMunicipality(sources.municipalityId),
  }),
  both('source_import', {
    table: sourceImports,
    columns: columnsOf(sourceImports),
    key: [sourceImports.sourceId],
    isOf: isOfSources(sourceImports.sourceId),
  }),
  both('source_delay', {
    table: sourceDelays,
    columns: columnsOf(sourceDelays),
    key: [sourceDelays.sourceId, sourceDelays.day, sourceDelays.step],
    isOf: isOfSources(sourceDelays.sourceId),
  }),
  both('rejected_plate', {
    table: rejectedPlates,
    columns: columnsOf(rejectedPlates),
    key: [rejectedPlates.sourceId, rejectedPlates.digest],
    isOf: isOfSources(rejectedPlates.sourceId),
  }),
  both('subscription_type', {
    table: subscriptionTypes,
    columns: columnsOf(subscriptionTypes, subscriptionTypes.id),
    key: [subscriptionTypes.municipalityId, subscriptionTypes.code],
    isOf: ofMunicipality(subscriptionTypes.municipalityId),
  }),
  both('plan', {
    table: plans,
    columns: [...columnsOf(plans, plans.id, plans.subscriptionTypeId), typeByCode(plans.subscriptionTypeId)],
    key: [plans.municipalityId, plans.code],
    isOf: ofMunicipality(plans.municipalityId),
  }),
  both('erased_plate', {
    table: erasedPlates,
    columns: columnsOf(erasedPlates, erasedPlates.id),
    key: [
      erasedPlates.municipalityId,
      erasedPlates.kind,
      erasedPlates.sourceCode,
      erasedPlates.key,
      erasedPlates.digest,
    ],
    isOf: ofMunicipality(erasedPlates.municipalityId),
  }),
  both('anonymization', {
    table: anonymizations,
    columns: columnsOf(anonymizations),
    key: [anonymizations.municipalityId],
    isOf: ofMunicipality(anonymizations.municipalityId),
  }),
] as const;

const later = alias(journal, 'later');
const first = alias(journal, 'first');
const sized = alias(journal, 'sized');

/**
 * The row with which a plate came on its subscription names that right. New numbers are given where the rows go, so the
 * random stamp of that row stands for it there, below zero, where no number is.
 */
const cameWith: Copied = {
  column: journal.cameWith,
  read: sql`case when ${change.kind} <> 'subscription' or ${change.cameWith} < 0 then ${change.cameWith}
    when ${change.cameWith} is null then -${change.stamp}
    else -coalesce((select ${first.stamp} from ${tableAs(journal, first)} where ${first.sequence} = ${change.cameWith}), ${change.cameWith})
    end`,
  write: (value) => value,
};
/** In the copy it is among younger rows: retention has to find it by itself. */
const awaits: Copied = {
  column: journal.awaits,
  read: sql`coalesce(${change.awaits}, ${change.recordedAt})`,
  write: (value) => value,
};
/** As text: JSON holds no bytes. */
const requestId: Copied = {
  column: journal.requestId,
  read: requestIdOf(change.requestId),
  write: (value) => value,
};
const firstBy: Copied = {
  column: journal.firstBy,
  read: requestIdOf(change.firstBy),
  write: (value) => value,
};
/** The session may get another one before it is copied. */
const plate: Copied = {
  column: journal.plate,
  read: plateOf(change),
  write: (value) => value,
};
const { sequence, stamp } = journal;
const ofOthers = [journal.requestId, journal.firstBy, journal.plate, journal.cameWith, journal.awaits];
const JOURNAL: readonly Copied[] = [
  ...columnsOf(journal, sequence, stamp, ...ofOthers).map(
    ({ column }): Copied => ({ column, read: sql`change.${bare(column)}`, write: (value) => value }),
  ),
  requestId,
  firstBy,
  plate,
  cameWith,
  awaits,
];

/** The newest number that the journal has given, whoever's it is. */
export const NEWEST_SEQUENCE = statement(
  () => sql`select max(${journal.sequence}) as sequence from ${journal}`,
);

/** The newest row of the municipality's configuration. */
export const NEWEST_CONFIGURATION = statement(
  () => sql`select ${journal.sequence} as sequence from ${journal}
where ${ofMunicipality(journal.municipalityId)} and ${isConfiguration(journal)} ${newestFirst(journal)} limit 1`,
);

/** A row in which nothing is left: it keeps its number from being given again, which is another one in the copy. */
const isEmptied = sql`(${sized.kind} in ('parking_session', 'subscription') and ${sized.key} is null)`;

/** A large configuration has several rows in succession, which are never cut apart. They are few. */
const bytes = sql`iif(${sized.kind} = 'configuration', 0, coalesce(octet_length(${sized.record}), 0))`;

/**
 * Parameters 2 and 3: the range; 4: the most bytes of records, but for those of the last row. `found` counts all rows of the
 * range.
 */
export const READ_JOURNAL = statement(
  () => sql`select ${change.sequence} as sequence, ${change.kind} as kind, ${change.key} as key, page.found as found,
  ${jsonArray(JOURNAL.map((column) => column.read))} as item
from (
  select sequence, count(*) over () as found,
    coalesce(sum(bytes) over (order by sequence rows between unbounded preceding and 1 preceding), 0) as bytes_before
  from (select ${sized.sequence} as sequence, ${bytes} as bytes from ${tableAs(journal, sized)}
    where ${inRangeOf(sized)} and not ${isEmptied})
) as page cross join ${tableAs(journal, change)} on ${change.sequence} = page.sequence
where page.bytes_before < ${parameter(4)} order by page.sequence`,
);

/** New numbers and stamps: a cursor of the old database is not valid in the new one. */
const WRITE_JOURNAL = statement(
  () => sql`insert into ${journal} (${list(JOURNAL.map(({ column }) => bare(column)))})
select ${list(JOURNAL.map((_, index) => at(index)))} from json_each(${ROWS}) as item order by item.key`,
);
export const COPIED_JOURNAL = {
  kind: 'journal',
  writes: [WRITE_JOURNAL],
  ...layoutOf(JOURNAL),
} as const;

const before = alias(parkingSessions, 'newest_before');
const keyOf = (s: typeof parkingSessions | typeof before): SQL =>
  jsonArray([s.municipalityId, s.sourceCode, s.sessionId]);
const KEY_OF_SESSION = keyOf(parkingSessions);
const SESSION_BEFORE = sql`select 1 from ${tableAs(parkingSessions, before)}
    where ${before.id} = ${parameter(1)} and ${keyOf(before)} = ${parameter(2)}`;

const SESSIONS: CopiedTable = {
  table: parkingSessions,
  columns: [
    ...columnsOf(parkingSessions, parkingSessions.id, parkingSessions.knownBy),
    { column: parkingSessions.knownBy, read: requestIdOf(parkingSessions.knownBy), write: bytesOfUuid },
  ],
  key: [parkingSessions.municipalityId, parkingSessions.sourceCode, parkingSessions.sessionId],
  isOf: sql`true`,
};

/** The sessions whose newest row of the journal is in the range, as they are now: parameters 2 and 3. */
export const READ_SESSIONS = statement(
  () => sql`select distinct ${jsonArray(SESSIONS.columns.map((column) => column.read))} as item
from ${tableAs(journal, change)} cross join ${parkingSessions}
  on ${parkingSessions.municipalityId} = ${MUNICIPALITY}
  and ${parkingSessions.sourceCode} = ${change.sourceCode} and ${parkingSessions.sessionId} = ${change.key}
where ${inRange} and ${change.kind} = 'parking_session' and not exists (
  select 1 from ${tableAs(journal, later)} where ${later.municipalityId} = ${MUNICIPALITY} and ${later.key} is not null
    and ${later.sourceCode} = ${change.sourceCode} and ${later.key} = ${change.key} and ${later.sequence} > ${change.sequence})`,
);
/** 2 and 3: a range of ids. Of those that the journal has no row of, as they stand; whose the others are does not matter. */
export const READ_UNCHANGED_SESSIONS = statement(
  () => sql`select ${jsonArray(SESSIONS.columns.map((column) => column.read))} as item from ${parkingSessions}
where ${parkingSessions.id} > ${parameter(2)} and ${parkingSessions.id} <= ${parameter(3)}
  and +${parkingSessions.municipalityId} = ${MUNICIPALITY} and ${parkingSessions.knownAt} is not null`,
);

/**
 * The newest session, whosever it is, and whether the one that was the newest before is there yet (1: its id, 2: its key): only
 * where that has gone may an id have been given again.
 */
export const NEWEST_SESSION = statement(
  () => sql`select ${parkingSessions.id} as id, ${KEY_OF_SESSION} as key,
  exists (${SESSION_BEFORE}) as stays
from ${parkingSessions} where ${parkingSessions.id} = (select max(${parkingSessions.id}) from ${parkingSessions})`,
);

export const COPIED_SESSIONS = {
  kind: 'parking_session',
  writes: [write(SESSIONS)],
  ...layoutOf(SESSIONS.columns),
} as const;
