import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import { lastRecordedAt, recordChange } from '../db/changes-sql.ts';
import {
  ERASED_KINDS,
  erasedPlates,
  erasureKeys,
  municipalities,
  pastSubscriptions,
  payments,
  subscriptionPeriods,
} from '../db/schema/index.ts';
import {
  bare,
  type Json,
  jsonArray,
  jsonObject,
  list,
  literal,
  primaryKeyOf,
  tableByIndex,
} from '../db/sql.ts';
import { type Parameters, statement, type ValuesOf, value } from '../db/statement.ts';
import {
  isFound,
  keyOf,
  replacePlates,
  type StoredPlate,
  type StoredTable,
  subjectKeyOf,
  tableByKey,
  type WithKey,
} from '../db/stored-table.ts';
import { STORED_TABLES } from '../db/stored-tables.ts';
import type { ErasedRow } from '../plate-digest/erased-plate.ts';
import { sessionGuardedUntil, subscriptionGuardedUntil } from '../plate-digest/guard-parts.ts';

/** A row with the plate: a session or a subscription with all its rows, or a row of another table. */
export interface SubjectRow extends ErasedRow {
  /** Texts that may spell the plate; in a {@link Subject}, only those that do. */
  readonly texts: readonly string[];
}

/** A {@link SubjectRow} with the digest and the pseudonym that replace the plate there. */
export interface Subject extends SubjectRow {
  readonly digest: string;
  /** Null for a subscription, which keeps no pseudonym. */
  readonly pseudonym: string | null;
  readonly keyDigest: string;
  /** The digest that replaces the key, if that is made from the plate. */
  readonly newKey: string | null;
}

const HELD = { municipalities: value<Json<readonly number[]>>(), plate: value<Plate>() };
const SUBJECTS_LIST = { subjects: value<Json<readonly Subject[]>>() };
const OF_PLATE = { ...SUBJECTS_LIST, plate: value<Plate>() };
const AT = { ...SUBJECTS_LIST, now: value<Instant>() };
/** Identifies an erasure. */
const ERASURE = { erasure: value<string>() };

const field = (name: keyof Subject): SQL => sql.raw(`subject.value ->> '${name}'`);
const [MUNICIPALITY, KIND, SOURCE] = [field('municipalityId'), field('kind'), field('sourceCode')] as const;
const [KEY, NEW_KEY, PSEUDONYM] = [field('key'), field('newKey'), field('pseudonym')] as const;
const text = (constant: string): SQL => sql.raw(`'${constant}'`);

/** A table that holds plates, and the table of their subjects. */
interface WithPlate {
  readonly stored: StoredTable;
  readonly plate: StoredPlate;
  readonly subject: StoredTable;
}

/** The tables that hold plates, of the present and of the past. */
const WITH_PLATES = STORED_TABLES.flatMap((stored): WithPlate[] => {
  const { plate, goesWith } = stored;
  const subject =
    goesWith === undefined ? stored : STORED_TABLES.find(({ table }) => table === goesWith.table);
  return plate === undefined || subject === undefined ? [] : [{ stored, plate, subject }];
});

/** The tables whose rows have the key of a subject. Its own is the last: rows of the others are found by its key. */
const withKeyOf = ({ table, texts = [], takesAlong }: StoredTable): readonly WithKey[] => [
  ...(takesAlong === undefined ? [] : [takesAlong]),
  { table, by: keyOf(table), texts },
];

/** @param key the subject's key, in a row with the plate */
function textsOf(subject: StoredTable, key: SQL): SQL {
  const selects = withKeyOf(subject).flatMap(({ table, by, texts }) =>
    texts.map(
      (column) =>
        sql`select ${column} as text from ${tableByKey(table)} where (${list(by)}) = (${key}) and ${column} is not null`,
    ),
  );
  return selects.length === 0
    ? text('[]')
    : sql`(select json_group_array(text) from (${sql.join(selects, sql` union all `)}))`;
}

/** The subjects whose plate a table holds. */
function subjectsIn({ stored, plate, subject }: WithPlate, held: Parameters<ValuesOf<typeof HELD>>): SQL {
  const column = ({ name }: SQLiteColumn): SQL => sql`holder.${sql.identifier(name)}`;
  const owner = column(stored.owner);
  const key = list(subjectKeyOf(stored).map(column));
  const { table, kind, named } = subject;
  return sql`
  select ${owner} as municipalityId, ${text(kind)} as kind, ${named?.source ?? text('')} as sourceCode,
    ${named?.key ?? sql`cast(${list(keyOf(table))} as text)`} as key, ${textsOf(subject, key)} as texts
  from json_each(${held.municipalities}) as held
  cross join ${stored.table} as holder indexed by ${sql.identifier(plate.index)}
    on ${owner} = held.value and ${column(plate.column)} = ${held.plate}
  cross join ${tableByKey(table)} on (${list(keyOf(table))}) = (${key})`;
}

/** D1 takes at most five selects in one union. */
const MAX_SELECTS = 5;

const unionOf = (selects: readonly SQL[]): SQL =>
  selects.length <= MAX_SELECTS
    ? sql.join([...selects], sql` union `)
    : sql`select * from (${unionOf(selects.slice(0, MAX_SELECTS))}) union select * from (${unionOf(selects.slice(MAX_SELECTS))})`;

const keysOf = (erasure: SQL): SQL =>
  sql`${tableByIndex(erasureKeys, primaryKeyOf(erasureKeys))} where ${erasureKeys.digest} = ${erasure}`;
export const KEYS = statement(
  ERASURE,
  ({ erasure }) => sql<{ readonly key: string }>`select ${erasureKeys.key} as key from ${keysOf(erasure)}`,
);
export const END_KEYS = statement(ERASURE, ({ erasure }) => sql`delete from ${keysOf(erasure)}`);

const SUBJECT = jsonObject({
  ...Object.fromEntries(['municipalityId', 'kind', 'sourceCode', 'key'].map((name) => [name, sql.raw(name)])),
  texts: sql.raw('json(texts)'),
});

/** The subjects with the plate as a JSON list, and whether the erasure has replaced keys. */
export const SUBJECTS = statement(
  { ...HELD, ...ERASURE, max: value<number>() },
  ({ max, erasure, ...held }) => sql<{
    readonly subjects: Json<SubjectRow[]>;
    readonly hasKeys: number;
  }>`
  select json_group_array(${SUBJECT}) as subjects,
    exists (select 1 from ${keysOf(erasure)}) as hasKeys
  from (${unionOf(WITH_PLATES.map((table) => subjectsIn(table, held)))} limit ${max})`,
);

const each = (subjects: SQL): SQL => sql`json_each(${subjects}) as subject`;

/** The stored subjects of a kind. A condition may follow. */
function subjectsOf(subject: StoredTable, subjects: SQL): SQL {
  const { table, kind, owner, named } = subject;
  const isIt =
    named === undefined
      ? sql`${table} on ${list(keyOf(table))} = ${KEY} and ${owner} = ${MUNICIPALITY}`
      : sql`${tableByIndex(table, named.index)} on ${owner} = ${MUNICIPALITY}${
          named.source === undefined ? sql`` : sql` and ${named.source} = ${SOURCE}`
        } and ${named.key} = ${KEY}`;
  return sql`${each(subjects)} cross join ${isIt} where ${KIND} = ${text(kind)}`;
}

/** @param which a condition that begins with `and` */
const foundOf = (subject: StoredTable, subjects: SQL, more: SQL, which = sql``): SQL =>
  sql`with found as materialized (
  select ${list(keyOf(subject.table))}, ${more} from ${subjectsOf(subject, subjects)}${which}
)`;

const idsOf = (subjects: SQL): SQL => sql`select ${MUNICIPALITY} from ${each(subjects)}`;

/**
 * Finds a session's versions by the session: by the plate, each session would read the plate's whole past. Finds spans by the
 * plate: a fleet's subscription has hundreds of others.
 */
const erase = (
  { stored, plate: { column, index, goesWithRow }, subject }: WithPlate,
  { subjects, plate }: Parameters<ValuesOf<typeof OF_PLATE>>,
): SQL =>
  goesWithRow
    ? sql`
  delete from ${tableByIndex(stored.table, index)}
  where ${stored.owner} in (${idsOf(subjects)}) and ${column} = ${plate}
    and (${list(subjectKeyOf(stored))}) in (select ${list(keyOf(subject.table))} from ${subjectsOf(subject, subjects)})
  returning ${jsonArray(subjectKeyOf(stored).map(bare))} as erased`
    : replacePlates(
        stored,
        { column, index },
        foundOf(subject, subjects, sql`${PSEUDONYM} as pseudonym`),
        sql`+${column} = ${plate}`,
      );

/** The statements that erase the plate, for each table that holds plates. */
export const ERASING = WITH_PLATES.map((held) => ({
  kind: held.stored.kind,
  statement: statement(OF_PLATE, (parameters) => erase(held, parameters)),
}));

/** Each subject with the tables whose rows have its key. */
const WITH_KEYS = STORED_TABLES.flatMap((subject) =>
  withKeyOf(subject).map((withKey) => ({ subject, ...withKey })),
);

/** Hides texts that spell the plate. Run it before {@link RENAMING}, which changes the keys. */
export const HIDING = WITH_KEYS.flatMap(({ subject, table, by, texts }) =>
  texts.map((column) =>
    statement(
      SUBJECTS_LIST,
      ({ subjects }) => sql`${foundOf(subject, subjects, sql`${field('texts')} as texts`)}
  update ${tableByKey(table)} set ${bare(column)} = '***'
  from found where ${isFound(by, subject.table)} and ${column} in (select value from json_each(found.texts))`,
    ),
  ),
);

const GUARDED = { municipality: MUNICIPALITY, source: SOURCE, key: KEY };
const IS_GUARDED = sql`${KIND} in (${list(ERASED_KINDS.map(text))})`;

/** Lists are made of municipalities that can be read, and only of guarded kinds. */
const areListed = (subjects: SQL): SQL =>
  sql`${municipalities.id} in (${idsOf(subjects)} where ${IS_GUARDED})
    and not ${municipalities.restoring}`;

/** Records a change without a version, so it belongs to no call. */
export const RECORD_ERASURE = statement(AT, ({ subjects, now }) =>
  recordChange(
    sql`${municipalities.id}`,
    { now, requestId: sql.raw('hex(randomblob(16))'), batch: literal(0) },
    { from: sql`from ${municipalities} where ${areListed(subjects)}` },
  ),
);

/** Records that the past before that change was altered: a gate with an older list takes the full list again. */
export const FORGET_PAST = statement(
  SUBJECTS_LIST,
  ({ subjects }) => sql`
  update ${municipalities} set ${bare(municipalities.pastSince)} = ${lastRecordedAt(sql`${municipalities.id}`)}
  where ${areListed(subjects)}`,
);

/** Whether callers name subjects of a kind by a key, which may be made from the plate. */
export const isNamed = (kind: string): boolean =>
  STORED_TABLES.some((stored) => stored.kind === kind && stored.named !== undefined);

/** @param now the instant of recording. The retention of guarded rows counts from it, even if they ended long ago */
export const KEEP_ERASED = statement(
  AT,
  ({ subjects, now }) => sql`
  insert into ${erasedPlates} (${list(
    [
      ...[erasedPlates.municipalityId, erasedPlates.kind, erasedPlates.sourceCode, erasedPlates.key],
      ...[erasedPlates.digest, erasedPlates.pseudonym, erasedPlates.guardsUntil],
    ].map(bare),
  )})
  select ${MUNICIPALITY}, ${KIND}, ${SOURCE}, ${field('keyDigest')}, ${field('digest')}, ${PSEUDONYM},
    max(${now}, coalesce(
      iif(${KIND} = 'parking_session', ${sessionGuardedUntil(GUARDED)}, ${subscriptionGuardedUntil(GUARDED)}), ${now}))
  from ${each(subjects)} where ${IS_GUARDED}
  on conflict do update set ${bare(erasedPlates.pseudonym)} = excluded.${bare(erasedPlates.pseudonym)},
    ${bare(erasedPlates.guardsUntil)} = excluded.${bare(erasedPlates.guardsUntil)}`,
);

/** Keeps the keys of subjects that get a new key. */
export const KEEP_KEYS = statement(
  { ...SUBJECTS_LIST, ...ERASURE },
  ({ subjects, erasure }) => sql`
  insert into ${erasureKeys} (${list([erasureKeys.digest, erasureKeys.key].map(bare))})
  select ${erasure}, ${KEY} from ${each(subjects)} where ${NEW_KEY} is not null on conflict do nothing`,
);

const renamedOf = (subject: StoredTable, subjects: SQL, more = sql``): SQL =>
  foundOf(subject, subjects, sql`${NEW_KEY} as name${more}`, sql` and ${NEW_KEY} is not null`);

/** Replaces a row already stored under the digest: this one is newer. The older row's past is deleted with it. */
const RENAMING_KEYS = WITH_KEYS.flatMap(({ subject, table, by }) => {
  const { named } = subject;
  return named === undefined
    ? []
    : statement(
        SUBJECTS_LIST,
        ({ subjects }) => sql`${renamedOf(subject, subjects)}
  update or replace ${tableByKey(table)} set ${bare(named.key)} = found.name
  from found where ${isFound(by, subject.table)}`,
      );
});

/** The columns of the payments in `found`. */
const PAID = {
  id: bare(payments.paymentId),
  of: bare(payments.subscriptionId),
  from: bare(payments.periodStartsAt),
};
const PAST_PERIODS = sql`json_each(${pastSubscriptions.record}, '$.periods') as part`;
const IS_PAID = sql`found.${PAID.id} = part.value ->> 2 and found.${PAID.of} = ${pastSubscriptions.id}`;

/** The period that a payment made has its key too, in the present and in past versions. */
const RENAMING_IN_PERIODS = STORED_TABLES.filter(({ table }) => table === payments).flatMap((stored) =>
  [
    sql`
  update ${tableByKey(subscriptionPeriods)} set ${bare(subscriptionPeriods.paidBy)} = found.name
  from found where ${subscriptionPeriods.subscriptionId} = +found.${PAID.of}
    and ${subscriptionPeriods.startsAt} = +found.${PAID.from} and ${subscriptionPeriods.paidBy} = found.${PAID.id}`,
    sql`
  update ${tableByKey(pastSubscriptions)} set ${bare(pastSubscriptions.record)} = json_set(${pastSubscriptions.record}, '$.periods', (
    select json_group_array(json_array(part.value ->> 0, part.value ->> 1, coalesce(
      (select found.name from found where ${IS_PAID}), part.value ->> 2)) order by part.key)
    from ${PAST_PERIODS}))
  where ${pastSubscriptions.id} in (select ${PAID.of} from found)
    and exists (select 1 from ${PAST_PERIODS} cross join found on ${IS_PAID})`,
  ].map((update) =>
    statement(
      SUBJECTS_LIST,
      ({ subjects }) => sql`${renamedOf(stored, subjects, sql`, ${PAID.of}, ${PAID.from}`)}${update}`,
    ),
  ),
);

/** Replaces keys by their digests. */
export const RENAMING = [...RENAMING_IN_PERIODS, ...RENAMING_KEYS];

/**
 * The erasures under keys with these digests, with the digest of key and plate. A payment lacks that digest: only an erasure
 * gives it such a key, which no collector can send.
 */
export const ERASED_UNDER = statement(
  { municipalities: HELD.municipalities, digests: value<Json<readonly string[]>>() },
  ({ municipalities: held, digests }) => sql<ErasedRow & { readonly digest: string | null }>`
  select ${erasedPlates.municipalityId} as municipalityId, ${erasedPlates.kind} as kind,
    ${erasedPlates.sourceCode} as sourceCode, ${erasedPlates.key} as key, ${erasedPlates.digest} as digest
  from json_each(${held}) as held
  cross join ${tableByIndex(erasedPlates, 'erased_plates_digest')} on ${erasedPlates.municipalityId} = held.value
  where +${erasedPlates.key} in (select value from json_each(${digests}))
  union all
  select ${payments.municipalityId}, 'payment', '', ${payments.paymentId}, null
  from json_each(${held}) as held
  cross join ${tableByKey(payments)} on ${payments.municipalityId} = held.value
    and ${payments.paymentId} in (select value from json_each(${digests}))`,
);
