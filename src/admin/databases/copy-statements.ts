import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { alias, getTableConfig } from 'drizzle-orm/sqlite-core';
import {
  anonymizations,
  areas,
  erasedPlates,
  journal,
  parkingSessions,
  plans,
  sourceImports,
  sources,
  subscriptionAreas,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
  subscriptionTypes,
} from '../../db/schema/index.ts';
import { aliased, bare, jsonArray, jsonRows, list, parameter, statement } from '../../db/sql.ts';

/**
 * How the rows of a municipality are read in one database and written in another. A row travels as a JSON list. Parameter
 * 1 of every statement is the municipality's id, which is the same everywhere; parameter 2 of a write is a JSON list of
 * rows.
 */
const MUNICIPALITY = parameter(1);
const ROWS = parameter(2);

const at = (index: number): SQL => sql.raw(`item.value ->> ${index}`);

/** A column as it is read, and as it is written from the value that was read. */
interface Copied {
  readonly column: SQLiteColumn;
  readonly read: SQL;
  readonly write: (value: SQL) => SQL;
}

const asIs = (column: SQLiteColumn): Copied => ({ column, read: sql`${column}`, write: (value) => value });

/** Numbers of rows that are not the same in every database: they travel as codes. */
const typeByCode = (column: SQLiteColumn): Copied => ({
  column,
  read: sql`(select ${subscriptionTypes.code} from ${subscriptionTypes} where ${subscriptionTypes.id} = ${column})`,
  write: (value) => sql`(select ${subscriptionTypes.id} from ${subscriptionTypes}
    where ${subscriptionTypes.municipalityId} = ${MUNICIPALITY} and ${subscriptionTypes.code} = ${value})`,
});

/** All columns of a table but some. Generated ones are never written. */
function columnsOf(table: SQLiteTable, ...without: readonly SQLiteColumn[]): Copied[] {
  const left = new Set(without.map(({ name }) => name));
  return getTableConfig(table)
    .columns.filter((column) => !left.has(column.name) && column.generated === undefined)
    .map(asIs);
}

interface CopiedTable {
  readonly table: SQLiteTable;
  readonly columns: readonly Copied[];
  readonly key: readonly SQLiteColumn[];
  readonly isOf: SQL;
}

const ofMunicipality = (column: SQLiteColumn): SQL => sql`${column} = ${MUNICIPALITY}`;

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

const both = (table: CopiedTable) => ({ read: read(table), write: write(table) });

/** The configuration, and how the sources' imports stand: each table after those that it refers to. */
export const CONFIGURATION = [
  both({
    table: areas,
    columns: columnsOf(areas),
    key: [areas.id],
    isOf: ofMunicipality(areas.municipalityId),
  }),
  both({
    table: sources,
    columns: columnsOf(sources),
    key: [sources.id],
    isOf: ofMunicipality(sources.municipalityId),
  }),
  both({
    table: sourceImports,
    columns: columnsOf(sourceImports),
    key: [sourceImports.sourceId],
    isOf: sql`${sourceImports.sourceId} in (select ${sources.id} from ${sources} where ${ofMunicipality(sources.municipalityId)})`,
  }),
  both({
    table: subscriptionTypes,
    columns: columnsOf(subscriptionTypes, subscriptionTypes.id),
    key: [subscriptionTypes.municipalityId, subscriptionTypes.code],
    isOf: ofMunicipality(subscriptionTypes.municipalityId),
  }),
  both({
    table: plans,
    columns: [...columnsOf(plans, plans.id, plans.subscriptionTypeId), typeByCode(plans.subscriptionTypeId)],
    key: [plans.municipalityId, plans.code],
    isOf: ofMunicipality(plans.municipalityId),
  }),
  both({
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
  both({
    table: anonymizations,
    columns: columnsOf(anonymizations),
    key: [anonymizations.municipalityId],
    isOf: ofMunicipality(anonymizations.municipalityId),
  }),
] as const;

const j = alias(journal, 'j');
const later = alias(journal, 'later');
const first = alias(journal, 'first');

/** Of what follows: the journal's rows behind one number, up to another. */
const AFTER = parameter(2);
const UP_TO = parameter(3);
/** The sign keeps the planner from reading all that the municipality has, to leave out what is out of the range. */
const inRange = sql`${j.sequence} > ${AFTER} and ${j.sequence} <= ${UP_TO} and +${j.municipalityId} = ${MUNICIPALITY}`;

/**
 * The row with which a plate came on its subscription names that right. Numbers are given anew where the rows go, so the
 * random stamp of that row stands for it there, below zero, where no number is.
 */
const cameWith: Copied = {
  column: journal.cameWith,
  read: sql`case when ${j.kind} <> 'subscription' or ${j.cameWith} < 0 then ${j.cameWith}
    when ${j.cameWith} is null then -${j.stamp}
    else -coalesce((select ${first.stamp} from ${aliased(journal, first)} where ${first.sequence} = ${j.cameWith}), ${j.cameWith})
    end`,
  write: (value) => value,
};
const JOURNAL: readonly Copied[] = [
  ...columnsOf(journal, journal.sequence, journal.stamp, journal.cameWith).map(
    ({ column }): Copied => ({ column, read: sql`j.${bare(column)}`, write: (value) => value }),
  ),
  cameWith,
];

/** The newest number that the journal has given, whoever's it is. */
export const NEWEST_SEQUENCE = statement(
  () => sql`select max(${journal.sequence}) as sequence from ${journal}`,
);

/** The newest row that tells of the municipality's configuration: those behind it have keys. */
export const NEWEST_CONFIGURATION = statement(
  () => sql`select ${journal.sequence} as sequence from ${journal}
where ${ofMunicipality(journal.municipalityId)} and ${journal.kind} = 'configuration' and ${journal.sourceCode} is null
  and ${journal.key} is null
order by ${journal.recordedAt} desc, ${journal.sequence} desc limit 1`,
);

/** A row in which nothing is left: it keeps its number from being given again, which is another one in the copy. */
const isEmptied = sql`(${j.kind} in ('parking_session', 'subscription') and ${j.key} is null)`;

/** Parameters 2 and 3: the range. */
export const READ_JOURNAL = statement(
  () => sql`select ${j.sequence} as sequence, ${j.kind} as kind, ${j.key} as key,
  ${jsonArray(JOURNAL.map((column) => column.read))} as item
from ${aliased(journal, j)} where ${inRange} and not ${isEmptied} order by ${j.sequence}`,
);

/** New numbers and stamps: a cursor of the old database is none of the new one. */
export const WRITE_JOURNAL = statement(
  () => sql`insert into ${journal} (${list(JOURNAL.map(({ column }) => bare(column)))})
select ${list(JOURNAL.map((_, index) => at(index)))} from json_each(${ROWS}) as item order by item.key`,
);

const SESSIONS: CopiedTable = {
  table: parkingSessions,
  columns: columnsOf(parkingSessions, parkingSessions.id),
  key: [parkingSessions.municipalityId, parkingSessions.sourceCode, parkingSessions.sessionId],
  isOf: sql`true`,
};

/** The sessions whose newest row of the journal is in the range, as they stand: parameters 2 and 3. */
export const READ_SESSIONS = statement(
  () => sql`select distinct ${jsonArray(SESSIONS.columns.map((column) => column.read))} as item
from ${aliased(journal, j)} cross join ${parkingSessions}
  on ${parkingSessions.municipalityId} = ${MUNICIPALITY}
  and ${parkingSessions.sourceCode} = ${j.sourceCode} and ${parkingSessions.sessionId} = ${j.key}
where ${inRange} and ${j.kind} = 'parking_session' and not exists (
  select 1 from ${aliased(journal, later)} where ${later.municipalityId} = ${MUNICIPALITY} and ${later.key} is not null
    and ${later.sourceCode} = ${j.sourceCode} and ${later.key} = ${j.key} and ${later.sequence} > ${j.sequence})`,
);
export const WRITE_SESSIONS = write(SESSIONS);

const b = alias(subscriptions, 'b');
const SUBSCRIPTION: readonly Copied[] = [
  ...columnsOf(subscriptions, subscriptions.id, subscriptions.typeId),
  typeByCode(subscriptions.typeId),
];
/** Behind the columns: the lists, as lists of lists. */
const [PLATES, PERIODS, AREAS] = [0, 1, 2].map((index) => SUBSCRIPTION.length + index) as [
  number,
  number,
  number,
];

/** Of a subscription, all there is. */
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

/** Likewise, of those without a plate. Parameter 4: the instant since which they have changed. */
export const READ_PLATELESS = statement(
  () => sql`select ${subscriptions.subscriptionNumber} as number, ${WHOLE_SUBSCRIPTION} as item from ${subscriptions}
where ${ofMunicipality(subscriptions.municipalityId)} and ${subscriptions.subscriptionNumber} > ${parameter(2)}
  and ${subscriptions.changedAt} >= ${parameter(4)}
  and not exists (select 1 from ${subscriptionPlates} where ${ofOwn(subscriptionPlates.subscriptionId)})
order by ${subscriptions.subscriptionNumber} limit ${parameter(3)}`,
);

/** The subscriptions that rows of the journal in a range are of, as they stand: parameters 2 and 3. */
export const READ_CHANGED_SUBSCRIPTIONS = statement(
  () => sql`select ${WHOLE_SUBSCRIPTION} as item from ${subscriptions}
where ${ofMunicipality(subscriptions.municipalityId)} and ${subscriptions.subscriptionNumber} in (
  select ${j.key} from ${aliased(journal, j)} where ${inRange} and ${j.kind} = 'subscription')`,
);

const NUMBER = SUBSCRIPTION.findIndex(({ column }) => column.name === subscriptions.subscriptionNumber.name);
const written = sql`json_each(${ROWS}) as item
  cross join ${aliased(subscriptions, b)} on ${b.municipalityId} = ${MUNICIPALITY} and ${b.subscriptionNumber} = ${at(NUMBER)}`;
const part = (index: number): SQL => sql.raw(`part.value ->> ${index}`);
const parts = (index: number): SQL => sql.raw(`json_each(item.value, '$[${index}]') as part`);
const fill = (table: SQLiteTable, columns: readonly SQLiteColumn[], index: number, values: readonly SQL[]) =>
  statement(
    () => sql`insert into ${table} (${list(columns.map(bare))})
select ${list(values)} from ${written} cross join ${parts(index)}`,
  );

/** What replaces subscriptions, each whole, in this order: the row that goes takes its lists along. */
export const WRITE_SUBSCRIPTIONS = [
  statement(
    () => sql`delete from ${subscriptions} where ${subscriptions.id} in (select ${b.id} from ${written})`,
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
    [sql`${b.id}`, MUNICIPALITY, part(0), part(1), part(2)],
  ),
  fill(
    subscriptionPeriods,
    [subscriptionPeriods.subscriptionId, subscriptionPeriods.startsAt, subscriptionPeriods.endsAt],
    PERIODS,
    [sql`${b.id}`, part(0), part(1)],
  ),
  fill(subscriptionAreas, [subscriptionAreas.subscriptionId, subscriptionAreas.areaId], AREAS, [
    sql`${b.id}`,
    part(0),
  ]),
] as const;
