import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { livingIds } from '../databases/living-parts.ts';
import { lastRecordedAt, recordChange } from '../db/changes-sql.ts';
import {
  ERASED_KINDS,
  erasedPlates,
  erasureKeys,
  moves,
  municipalities,
  payments,
} from '../db/schema/index.ts';
import { bare, jsonObject, literal, parameter, primaryKeyOf, statement, tableByIndex } from '../db/sql.ts';
import { replacePlates, type StoredPlate, type StoredTable, subjectIdOf } from '../db/stored-table.ts';
import { STORED_TABLES } from '../db/stored-tables.ts';
import { requireNotStopped } from '../db/writable.ts';
import { sessionGuardedUntil, subscriptionGuardedUntil } from '../plate-digest/guard-parts.ts';

/*
 * A subject is a row that a plate is erased from: a session or a subscription with all its rows, or a row of another table. In JSON it
 * is a list: municipality, kind, source, key, digest of key and plate, digest of the key, the same once more where it takes the
 * key's place, and the pseudonym.
 */

const ONE = parameter(1);
const TWO = parameter(2);

const value = (index: number): SQL => sql.raw(`subject.value ->> ${index}`);
const NEW_KEY = value(6);
const PSEUDONYM = value(7);

/** A table that holds plates, and that of the subjects which they are erased from. */
interface WithPlate {
  readonly stored: StoredTable;
  readonly plate: StoredPlate;
  readonly subject: StoredTable;
}

/** The tables that hold plates, of the present and of the past, but for those that are erased apart. */
const WITH_PLATES = STORED_TABLES.flatMap((stored): WithPlate[] => {
  const { plate, goesWith } = stored;
  const subject =
    goesWith === undefined ? stored : STORED_TABLES.find(({ table }) => table === goesWith.table);
  return plate === undefined || plate.isErasedApart || subject === undefined
    ? []
    : [{ stored, plate, subject }];
});

/** How a subject is known: by the key that imports name it by, or by its number. */
const keyOfSubject = (subject: StoredTable): { readonly source: SQL; readonly key: SQL } => ({
  source: subject.named?.source === undefined ? sql.raw(`''`) : sql`${subject.named.source}`,
  key: subject.named === undefined ? sql`cast(${subjectIdOf(subject)} as text)` : sql`${subject.named.key}`,
});

const SUBJECT = jsonObject({
  municipalityId: sql.raw('municipalityId'),
  kind: sql.raw('kind'),
  sourceCode: sql.raw('sourceCode'),
  key: sql.raw('key'),
});

/** The subjects whose plate a table holds. */
function subjectsIn({ stored, plate, subject }: WithPlate): SQL {
  const { table, owner } = stored;
  const named = ({ name }: SQLiteColumn): SQL => sql`named.${sql.identifier(name)}`;
  const { source, key } = keyOfSubject(subject);
  return sql`
select ${named(owner)} as municipalityId, ${sql.raw(`'${subject.kind}'`)} as kind, ${source} as sourceCode, ${key} as key
  from json_each(${ONE}) as held
  cross join ${table} as named indexed by ${sql.identifier(plate.index)} on ${named(owner)} = held.value and ${named(plate.column)} = ${TWO}
  cross join ${subject.table} on ${subjectIdOf(subject)} = ${named(subjectIdOf(stored))}`;
}

const keysOf = (digest: SQL): SQL =>
  sql`${tableByIndex(erasureKeys, primaryKeyOf(erasureKeys))} where ${erasureKeys.digest} = ${digest}`;
/** 1: the erasure's digest; likewise below. */
export const KEYS = statement(() => sql`select ${erasureKeys.key} as key from ${keysOf(ONE)}`);
export const END_KEYS = statement(() => sql`delete from ${keysOf(ONE)}`);

/**
 * 1: ids of municipalities, a JSON list; 2: the plate; 3: how many; 4: the erasure's digest. The subjects that have the plate, each once,
 * and the municipalities that live here, each as a JSON list, whether payments have the plate, and whether the erasure has taken keys away
 * here: an invocation may send D1 a thousand statements, and this is asked of every database.
 */
export const SUBJECTS = statement(
  () => sql`select ${livingIds(parameter(1))} as living, json_group_array(${SUBJECT}) as subjects,
  exists (
    select 1
    from json_each(${ONE}) as held
    cross join ${tableByIndex(payments, 'payments_by_plate')}
      on ${payments.municipalityId} = held.value
      and ${payments.plate} = ${TWO}
  ) as hasPayments,
  exists (select 1 from ${keysOf(parameter(4))}) as hasKeys
from (
${sql.join(WITH_PLATES.map(subjectsIn), sql` union `)}
limit ${parameter(3)})`,
);

/** The stored subjects of a kind; parameter 1 is a JSON list of subjects. A condition may follow. */
function subjectsOf(subject: StoredTable): SQL {
  const { table, kind, owner, named } = subject;
  const isIt =
    named === undefined
      ? sql`${table} on ${subjectIdOf(subject)} = ${value(3)} and ${owner} = ${value(0)}`
      : sql`${tableByIndex(table, named.index)} on ${owner} = ${value(0)}${
          named.source === undefined ? sql`` : sql` and ${named.source} = ${value(2)}`
        } and ${named.key} = ${value(3)}`;
  return sql`json_each(${ONE}) as subject cross join ${isIt} where ${value(1)} = ${sql.raw(`'${kind}'`)}`;
}

const foundOf = (subject: StoredTable, more: SQL): SQL => sql`with found as materialized (
  select ${subjectIdOf(subject)} as id, ${more} from ${subjectsOf(subject)}
)`;

const municipalityIds = sql`select ${value(0)} from json_each(${ONE}) as subject`;

/**
 * 1: the subjects; 2: the plate. Of a session all versions, whichever plate it has today: by the plate, each session would read the
 * plate's whole past. Spans by the plate: a fleet's subscription has hundreds of others.
 */
const erase = ({ stored, plate, subject }: WithPlate): SQL =>
  plate.goesWithRow
    ? sql`delete from ${tableByIndex(stored.table, plate.index)} where ${stored.owner} in (${municipalityIds})
  and ${plate.column} = ${TWO} and ${subjectIdOf(stored)} in (select ${subjectIdOf(subject)} from ${subjectsOf(subject)})
returning ${bare(subjectIdOf(stored))} as erased`
    : replacePlates(
        stored,
        plate,
        foundOf(subject, sql`${PSEUDONYM} as pseudonym`),
        sql`+${plate.column} = ${TWO}`,
      );

/** What erases the plate from each table that holds plates. */
export const ERASING = WITH_PLATES.map((held) => ({
  kind: held.stored.kind,
  text: statement(() => erase(held)),
}));

export const REQUIRE_NOT_STOPPED = statement(() => requireNotStopped(municipalityIds));

/** A copy that is being made of them begins again: nothing says which of its rows have been erased. */
export const MAKE_COPIES_STALE = statement(
  () =>
    sql`update ${moves} set ${bare(moves.erasures)} = ${moves.erasures} + 1 where ${moves.municipalityId} in (${municipalityIds})`,
);

/** Lists are made where a municipality lives. */
const LIVING_OF_THEM = sql`${municipalities.id} in (${municipalityIds}) and ${municipalities.movedTo} is null and not ${municipalities.arriving}`;

/** 2: now. A change that nothing is stored with: no call's, since no version is recorded at it. */
export const RECORD_ERASURE = statement(() =>
  recordChange(
    sql`${municipalities.id}`,
    { now: TWO, requestId: sql.raw('hex(randomblob(16))'), batch: literal(0) },
    { from: sql`from ${municipalities} where ${LIVING_OF_THEM}` },
  ),
);

/** The past before that change has been altered: a gate with an older list takes the full list again. */
export const FORGET_PAST = statement(
  () => sql`update ${municipalities} set ${bare(municipalities.pastSince)} = ${lastRecordedAt(sql`${municipalities.id}`)}
where ${LIVING_OF_THEM}`,
);

const GUARDED = { municipality: value(0), source: value(2), key: value(3) };
const IS_GUARDED = sql`${value(1)} in (${sql.raw(ERASED_KINDS.map((kind) => `'${kind}'`).join())})`;

/** Whether imports name the subjects of a kind by a key, which may be made from the plate. */
export const isNamed = (kind: string): boolean =>
  STORED_TABLES.some((stored) => stored.kind === kind && stored.named !== undefined);

/** 2: now, when the erasure is recorded: what it guards is kept from then on, though it has ended long ago. */
export const KEEP_ERASED = statement(
  () => sql`insert into ${erasedPlates} (${bare(erasedPlates.municipalityId)}, ${bare(erasedPlates.kind)},
  ${bare(erasedPlates.sourceCode)}, ${bare(erasedPlates.key)}, ${bare(erasedPlates.digest)}, ${bare(erasedPlates.pseudonym)},
  ${bare(erasedPlates.guardsUntil)})
select ${value(0)}, ${value(1)}, ${value(2)}, ${value(5)}, ${value(4)}, ${PSEUDONYM},
  max(${TWO}, coalesce(
    iif(${value(1)} = 'parking_session', ${sessionGuardedUntil(GUARDED)}, ${subscriptionGuardedUntil(GUARDED)}), ${TWO}))
from json_each(${ONE}) as subject where ${IS_GUARDED}
on conflict do update set ${bare(erasedPlates.pseudonym)} = excluded.${bare(erasedPlates.pseudonym)},
  ${bare(erasedPlates.guardsUntil)} = excluded.${bare(erasedPlates.guardsUntil)}`,
);

/** A subject whose key is made from the plate ends with a new key. 1: the subjects; 2: the erasure's digest. */
export const KEEP_KEYS = statement(
  () => sql`insert into ${erasureKeys} (${bare(erasureKeys.digest)}, ${bare(erasureKeys.key)})
select ${TWO}, ${value(3)} from json_each(${ONE}) as subject where ${NEW_KEY} is not null on conflict do nothing`,
);

/**
 * 1: the subjects. What is already stored under the digest is replaced by this one, which came later, and its past goes with it.
 * The sub-select is materialized, and its column has a sign, or the planner looks through the whole table for it.
 */
export const RENAMING = STORED_TABLES.flatMap((subject) => {
  const { table, named } = subject;
  return named === undefined
    ? []
    : [
        statement(
          () => sql`${foundOf(subject, sql`${NEW_KEY} as name`)}
update or replace ${table} set ${bare(named.key)} = found.name from found where found.name is not null and ${subjectIdOf(subject)} = +found.id`,
        ),
      ];
});

/**
 * 1: ids of municipalities, 2: digests of keys, each a JSON list. What was erased under any of these keys. A payment has such a digest
 * as its key only where an erasure has put it there: no collector can send one.
 */
export const ERASED_UNDER = statement(
  () => sql`select ${erasedPlates.municipalityId} as municipalityId, ${erasedPlates.kind} as kind,
  ${erasedPlates.sourceCode} as sourceCode, ${erasedPlates.key} as key, ${erasedPlates.digest} as digest
from json_each(${ONE}) as held
cross join ${tableByIndex(erasedPlates, 'erased_plates_digest')} on ${erasedPlates.municipalityId} = held.value
where +${erasedPlates.key} in (select value from json_each(${TWO}))
union all
select ${payments.municipalityId}, 'payment', '', ${payments.paymentId}, null
from json_each(${ONE}) as held
cross join ${tableByIndex(payments, primaryKeyOf(payments))} on ${payments.municipalityId} = held.value
  and ${payments.paymentId} in (select value from json_each(${TWO}))`,
);
