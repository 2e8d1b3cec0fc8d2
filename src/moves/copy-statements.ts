import { type SQL, sql } from 'drizzle-orm';
import { alias, getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { isConfiguration, newestFirst, plateOf, requestIdOf, SESSION_HISTORY } from '../db/journal-sql.ts';
import {
  anonymizations,
  areas,
  erasedPlates,
  journal,
  parkingSessions,
  plans,
  sourceDelays,
  sourceImports,
  sources,
  subscriptionTypes,
} from '../db/schema/index.ts';
import {
  bare,
  bytesOfUuid,
  jsonArray,
  list,
  parameter,
  primaryKeyOf,
  statement,
  tableAs,
  tableByIndex,
} from '../db/sql.ts';
import {
  type Copied,
  change,
  columnsOf,
  type Exceptions,
  inRange,
  inRangeOf,
  insertItems,
  itemOf,
  layoutOf,
  MUNICIPALITY,
  ofMunicipality,
  readAs,
  typeByCode,
} from './copy-parts.ts';

/** What others refer to is never another: and to set it, SQLite would look through all that refer to it. */
const REFERRED = ['id', 'municipality_id', 'code'];

/** What a row is known by in every database: its primary key, where that is copied; else its unique one. */
function keyOf(table: SQLiteTable, columns: readonly Copied[]): readonly SQLiteColumn[] {
  const { columns: all, primaryKeys, uniqueConstraints } = getTableConfig(table);
  const primary = primaryKeys[0]?.columns ?? all.filter(({ primary }) => primary);
  const isCopied = primary.every(({ name }) => columns.some(({ column }) => column.name === name));
  return isCopied ? primary : (uniqueConstraints[0]?.columns ?? []);
}

/** Replaces rows by their key. */
export const write = (table: SQLiteTable, columns: readonly Copied[]) =>
  statement(() => {
    const key = keyOf(table, columns);
    const fixed = new Set([...REFERRED, ...key.map(({ name }) => name)]);
    const changeable = columns.filter(({ column }) => !fixed.has(column.name));
    return sql`${insertItems(table, columns)} where true
on conflict (${list(key.map(bare))}) do update set
  ${list(changeable.map(({ column }) => sql`${bare(column)} = excluded.${bare(column)}`))}`;
  });

/** The condition that a row is the municipality's, or of one of its sources. */
function isOf(table: SQLiteTable): SQL {
  const { columns } = getTableConfig(table);
  const column = (wanted: string) => columns.find(({ name }) => name === wanted);
  const owner = column('municipality_id');
  return owner === undefined
    ? sql`${column('source_id')} in (select ${sources.id} from ${sources} where ${ofMunicipality(sources.municipalityId)})`
    : ofMunicipality(owner);
}

/**
 * A table whose rows are read and written whole, as its schema says.
 *
 * @param index of a table that grows: by which its rows are read
 */
function copied<Kind extends string>(
  kind: Kind,
  table: SQLiteTable,
  exceptions?: Exceptions,
  index?: string,
) {
  const columns = columnsOf(table, exceptions);
  return {
    kind,
    read: statement(
      () =>
        sql`select ${itemOf(columns)} as item from ${index === undefined ? table : tableByIndex(table, index)} where ${isOf(table)}`,
    ),
    writes: [write(table, columns)],
    ...layoutOf(columns),
  };
}

/** The configuration, and how the sources' last imports went: each table after those that it refers to. */
export const CONFIGURATION = [
  copied('area', areas),
  copied('source', sources),
  copied('source_import', sourceImports),
  copied('source_delay', sourceDelays, {}, primaryKeyOf(sourceDelays)),
  copied('subscription_type', subscriptionTypes, { without: [subscriptionTypes.id] }),
  copied('plan', plans, { without: [plans.id], otherwise: [typeByCode(plans.subscriptionTypeId)] }),
  copied('erased_plate', erasedPlates, { without: [erasedPlates.id] }, 'erased_plates_digest'),
  copied('anonymization', anonymizations),
] as const;

const later = alias(journal, 'later');
const first = alias(journal, 'first');
const sized = alias(journal, 'sized');

const JOURNAL = columnsOf(change, {
  // New numbers and stamps: a cursor of the old database is not valid in the new one.
  without: [journal.sequence, journal.stamp],
  otherwise: [
    // As text: JSON holds no bytes.
    readAs(journal.requestId, requestIdOf(change.requestId)),
    readAs(journal.firstBy, requestIdOf(change.firstBy)),
    // The session may get another one before it is copied.
    readAs(journal.plate, plateOf(change)),
    // The row with which a plate came on its subscription names that right. New numbers are given where the rows go, so the
    // random stamp of that row is written there instead, below zero, where no number is. A shared row names none.
    readAs(
      journal.cameWith,
      sql`case when ${change.kind} <> 'subscription' or ${change.plate} is null or ${change.cameWith} < 0 then ${change.cameWith}
    when ${change.cameWith} is null then -${change.stamp}
    else -coalesce((select ${first.stamp} from ${tableAs(journal, first)} where ${first.sequence} = ${change.cameWith}), ${change.cameWith})
    end`,
    ),
    // In the copy it is among younger rows: retention has to find it by itself.
    readAs(journal.awaits, sql`coalesce(${change.awaits}, ${change.recordedAt})`),
  ],
});

/** The newest number that the journal has given, to any municipality. */
export const NEWEST_SEQUENCE = statement(
  () => sql`select max(${journal.sequence}) as sequence from ${journal}`,
);

/** The newest row of the municipality's configuration. */
export const NEWEST_CONFIGURATION = statement(
  () => sql`select ${journal.sequence} as sequence from ${tableByIndex(journal, 'journal_by_time')}
where ${ofMunicipality(journal.municipalityId)} and ${isConfiguration(journal)} ${newestFirst(journal)} limit 1`,
);

/** A row in which nothing is left: it keeps its number from being given again, which is another one in the copy. */
const isEmptied = sql`(${sized.kind} in ('parking_session', 'subscription') and ${sized.key} is null)`;

/** A large configuration has several rows in succession, which are never cut apart. They are few. */
const bytes = sql`iif(${sized.kind} = 'configuration', 0, coalesce(octet_length(${sized.record}), 0))`;

/**
 * Parameters 2 and 3: the range; 4: the most bytes of records, not counting the last row. `found` counts all rows of the
 * range.
 */
export const READ_JOURNAL = statement(
  () => sql`select ${change.sequence} as sequence, ${change.kind} as kind, ${change.key} as key, page.found as found,
  ${itemOf(JOURNAL)} as item
from (
  select sequence, count(*) over () as found,
    coalesce(sum(bytes) over (order by sequence rows between unbounded preceding and 1 preceding), 0) as bytes_before
  from (select ${sized.sequence} as sequence, ${bytes} as bytes from ${tableAs(journal, sized)}
    where ${inRangeOf(sized)} and not ${isEmptied})
) as page cross join ${tableAs(journal, change)} on ${change.sequence} = page.sequence
where page.bytes_before < ${parameter(4)} order by page.sequence`,
);

export const COPIED_JOURNAL = {
  kind: 'journal',
  writes: [statement(() => sql`${insertItems(journal, JOURNAL)} order by item.key`)],
  ...layoutOf(JOURNAL),
} as const;

const before = alias(parkingSessions, 'newest_before');
/** It is stored with how far a move has come, and so it is neither a key nor a plate. */
const markOfSession = (session: typeof parkingSessions | typeof before): SQL =>
  jsonArray([session.municipalityId, session.areaId, session.startsAt]);
const SESSION_BEFORE = sql`select 1 from ${tableAs(parkingSessions, before)}
    where ${before.id} = ${parameter(1)} and ${markOfSession(before)} = ${parameter(2)}`;

const SESSION = columnsOf(parkingSessions, {
  without: [parkingSessions.id],
  otherwise: [readAs(parkingSessions.knownBy, requestIdOf(parkingSessions.knownBy), bytesOfUuid)],
});

/** The sessions whose newest row of the journal is in the range, as they are now: parameters 2 and 3. */
export const READ_SESSIONS = statement(
  () => sql`select distinct ${itemOf(SESSION)} as item
from ${tableAs(journal, change)} cross join ${tableByIndex(parkingSessions, 'parking_sessions_key')}
  on ${parkingSessions.municipalityId} = ${MUNICIPALITY}
  and ${parkingSessions.sourceCode} = ${change.sourceCode} and ${parkingSessions.sessionId} = ${change.key}
where ${inRange} and ${change.kind} = 'parking_session' and not exists (
  select 1 from ${tableAs(journal, later, 'journal_by_key')} where ${later.municipalityId} = ${MUNICIPALITY} and ${later.key} is not null
    and ${later.sourceCode} = ${change.sourceCode} and ${later.key} = ${change.key} and ${later.sequence} > ${change.sequence})`,
);
/** 2 and 3: a range of ids. Of those that the journal has no row of, as they are now; whose the others are does not matter. */
export const READ_UNCHANGED_SESSIONS = statement(
  () => sql`select ${itemOf(SESSION)} as item from ${parkingSessions}
where ${parkingSessions.id} > ${parameter(2)} and ${parkingSessions.id} <= ${parameter(3)}
  and +${parkingSessions.municipalityId} = ${MUNICIPALITY} and (${parkingSessions.knownAt} is not null or not exists (
    select 1 from ${tableAs(journal, later, SESSION_HISTORY)} where ${later.municipalityId} = ${MUNICIPALITY}
      and ${later.sourceCode} = ${parkingSessions.sourceCode} and ${later.key} = ${parkingSessions.sessionId}))`,
);

/**
 * The newest session, of any municipality, and whether the one that was the newest before is still there (1: its id, 2: its mark): only
 * where that has gone may an id have been given again.
 */
export const NEWEST_SESSION = statement(
  () => sql`select ${parkingSessions.id} as id, ${markOfSession(parkingSessions)} as mark,
  exists (${SESSION_BEFORE}) as stays
from ${parkingSessions} where ${parkingSessions.id} = (select max(${parkingSessions.id}) from ${parkingSessions})`,
);

export const COPIED_SESSIONS = {
  kind: 'parking_session',
  writes: [write(parkingSessions, SESSION)],
  ...layoutOf(SESSION),
} as const;
