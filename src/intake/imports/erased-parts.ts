import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import { undo } from '../../storage/db/guards.ts';
import { type ERASED_KINDS, erasedPlates } from '../../storage/db/schema/index.ts';
import { bare, type Json, json, type Prepared, tableAs, tableByIndex } from '../../storage/db/sql.ts';
import { all, statement, value } from '../../storage/db/statement.ts';
import type { ErasedFrom } from '../../storage/plate-digest/erased-plate.ts';
import {
  type Guarded,
  sessionGuardedUntil,
  subscriptionGuardedUntil,
} from '../../storage/plate-digest/guard-parts.ts';

/** A plate that was erased from a session or a subscription. */
export interface ErasedPlate {
  /** The digest of the key of that session or subscription. */
  readonly key: string;
  readonly digest: string;
  /** Its pseudonym in a session. */
  readonly pseudonym: string | null;
}

/** The erasures that concern a batch: those from its keys, and the last one in the database. */
interface Erased {
  readonly plates: readonly ErasedPlate[];
  readonly upTo: number;
}

/** The stored rows that a batch has read, by key, and the erasures from them. */
export interface StoredRows<Row> {
  readonly stored: ReadonlyMap<string, Row>;
  readonly erased: Erased;
}

/** The columns of erasures: null in stored rows. */
export interface ErasedColumns {
  readonly erased_key: string | null;
  readonly erased_digest: string | null;
  readonly erased_pseudonym: string | null;
  readonly erased_up_to: number | null;
}

const erased = alias(erasedPlates, 'erased');
const LAST = sql`coalesce((select max(${erasedPlates.id}) from ${erasedPlates}), 0)`;
const nulls = (count: number): SQL => sql.raw(Array(count).fill('null').join(', '));

/** After the columns of a stored row. */
export const NO_ERASED_COLUMNS = sql`null as erased_key, null as erased_digest, null as erased_pseudonym, null as erased_up_to`;

interface Of {
  readonly kind: (typeof ERASED_KINDS)[number];
  readonly municipality: SQL;
  readonly source: SQL;
  /** A JSON list. */
  readonly keys: SQL;
  /** The number of columns of a stored row. */
  readonly columns: number;
}

/**
 * Adds the rows of erasures after the stored ones, in one statement, since D1 limits their number. Most batches have no
 * erasures.
 */
export const unionErased = ({ kind, municipality, source, keys, columns }: Of): SQL => sql`
  union all
  select ${nulls(columns)}, wanted.value, ${erased.digest}, ${erased.pseudonym}, null
  from (select 1 where ${LAST} > 0) as anything
  cross join json_each(${keys}) as wanted
  cross join ${tableAs(erasedPlates, erased, 'erased_plates_digest')}
    on ${erased.municipalityId} = ${municipality}
    and ${erased.kind} = ${sql.raw(`'${kind}'`)}
    and ${erased.sourceCode} = ${source}
    and ${erased.key} = wanted.value
  union all
  select ${nulls(columns)}, null, null, null, ${LAST}`;

/** A row's guard against an erased plate: the digest of its key, and the key under which it is stored. */
export interface Guard {
  readonly guard: string;
  readonly key: string;
}

const guardValue = (index: number): SQL => sql.raw(`guard.value ->> ${index}`);

/**
 * Makes guards last as long as the rows that they guard; run it after the statements that change those. The history of a change
 * is kept from the instant on at which it is recorded.
 */
const keepGuards = (kind: (typeof ERASED_KINDS)[number], guardedUntil: (guarded: Guarded) => SQL) =>
  statement(
    {
      municipalityId: value<number>(),
      sourceCode: value<string>(),
      guards: value<Json<readonly GuardTuple[]>>(),
      now: value<Instant>(),
    },
    ({ municipalityId: municipality, sourceCode: source, guards, now }) => sql`
  update ${tableByIndex(erasedPlates, 'erased_plates_digest')}
  set ${bare(erasedPlates.guardsUntil)} = max(
    ${now},
    coalesce(${guardedUntil({ municipality, source, key: guardValue(1) })}, ${erasedPlates.guardsUntil}))
  from json_each(${guards}) as guard
  where ${erasedPlates.municipalityId} = ${municipality}
    and ${erasedPlates.kind} = ${sql.raw(`'${kind}'`)}
    and ${erasedPlates.sourceCode} = ${source}
    and ${erasedPlates.key} = ${guardValue(0)}`,
  );

type GuardTuple = readonly [guard: string, key: string];

const KEEP_GUARDS = {
  parking_session: keepGuards('parking_session', sessionGuardedUntil),
  subscription: keepGuards('subscription', subscriptionGuardedUntil),
} as const;

/** The statement that makes guards last as long as their rows; no statement if nothing is guarded. */
export function guardStatements(
  db: D1Database,
  { municipalityId, kind, sourceCode }: Omit<ErasedFrom, 'key'>,
  guards: readonly Guard[],
  now: Instant,
): D1PreparedStatement[] {
  const tuples = guards.map(({ guard, key }): GuardTuple => [guard, key]);
  return guards.length === 0
    ? []
    : [KEEP_GUARDS[kind].prepare(db, { municipalityId, sourceCode, guards: json(tuples), now })];
}

/**
 * Reads stored rows, and the erasures after them.
 *
 * @param rowsOf returns the stored rows in a row of the statement, each with its key
 */
export async function readWithErased<Read, Row>(
  prepared: Prepared<Read & ErasedColumns>,
  rowsOf: (read: Read) => readonly (readonly [key: string, row: Row])[],
): Promise<StoredRows<Row>> {
  const stored = new Map<string, Row>();
  const plates: ErasedPlate[] = [];
  let upTo = 0;
  const { results } = await all(prepared);
  for (const row of results) {
    if (row.erased_up_to !== null) {
      upTo = row.erased_up_to;
    } else if (row.erased_key !== null && row.erased_digest !== null) {
      plates.push({ key: row.erased_key, digest: row.erased_digest, pseudonym: row.erased_pseudonym });
    } else {
      for (const [key, one] of rowsOf(row)) stored.set(key, one);
    }
  }
  return { stored, erased: { plates, upTo } };
}

/** The municipality of a change. It undoes the batch if anything was erased since the batch was read. */
export const requireNoErasure = (municipality: SQL, upTo: SQL): SQL =>
  sql`iif(${LAST} = ${upTo}, ${municipality}, ${undo('erased_meanwhile')})`;
