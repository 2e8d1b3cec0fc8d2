import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { db, type Query, query } from '../../storage/db/batch.ts';
import { NEWEST_CHANGE } from '../../storage/db/changes.ts';
import { changes, type parkingSessions, type subscriptions } from '../../storage/db/schema/index.ts';
import { bare, list, namedIn } from '../../storage/db/sql.ts';

/** What a batch does, or would do: one row. */
export interface Judged {
  readonly created: number;
  readonly updated: number;
  /** The lines that change anything, those of erased plates included. */
  readonly stored: number;
}

/** How the lines of an import are stored. */
export interface LineStatements {
  /** Which of some keys are stored. */
  readonly find: Query<{ key: string }[]>;
  /** Counts what storing would do. */
  readonly judge: Query<Judged[]>;
  /** Behind `judge`, and with it one transaction. Sent again, it changes nothing. */
  readonly store: readonly Query<unknown>[];
}

export const MUNICIPALITY = sql.placeholder('municipalityId');
/** The lines of a batch, each a JSON list: see `lineOf` below. */
export const LINES = sql`json_each(${sql.placeholder('lines')}) as line`;

const lineAt = (index: number): SQL => sql.raw(`line.value ->> ${index}`);
export const [KEY, REVISION, ERASED] = [0, 1, 2].map(lineAt) as [SQL, SQL, SQL];
/** Where a line has its list of plates, and the first value of its record. */
export const PLATES = 3;
const FIRST_VALUE = 4;

const differ = (ones: readonly SQLWrapper[], others: readonly SQLWrapper[]): SQL =>
  sql`(${list(ones)}) is not (${list(others)})`;
/** Whether a line counts: not one with a lower revision, which is old. */
const counts = (revision: SQLWrapper, stored: SQLWrapper): SQL =>
  sql`(${revision} is null or ${stored} is null or ${revision} >= ${stored})`;

/** What an upsert would have inserted. */
export const excluded = (column: SQLiteColumn): SQL => sql`excluded.${bare(column)}`;

/** A row of an import: its key, its record, and the plates of a title. */
type Row<Name extends string> = { readonly [Value in Name | 'key' | 'revision']: unknown } & {
  readonly plates?: unknown;
};

/**
 * The statements that both kinds of rows have.
 *
 * @param record the names of the columns whose change makes a version, and of the values of a row
 * @param key the columns that tell rows apart with their values, the line's own {@link KEY} last
 */
export function statementsOf<Name extends string>(
  stored: (typeof parkingSessions | typeof subscriptions) & Readonly<Record<Name, SQLiteColumn>>,
  record: readonly Name[],
  key: readonly (readonly [column: SQLiteColumn, value: SQLWrapper])[],
) {
  const columns = record.map((name) => stored[name]);
  const values = record.map((_, index) => lineAt(FIRST_VALUE + index));
  const isChanged = differ(columns.map(excluded), columns);
  const isOfLine = and(...key.map(([column, value]) => eq(column, value)));
  // No key is empty, and the last column of each is a text.
  const keyColumn = key.at(-1)?.[0] as SQLiteColumn;
  return {
    /** A row in the parameter `lines`. Lists are in one order, so that equal ones have equal texts. */
    lineOf: (row: Row<Name>, isErased: boolean): readonly unknown[] => [
      ...[row.key, row.revision, isErased ? 1 : 0, row.plates ?? null],
      ...record.map((name) => row[name]),
    ],
    /** The stored row of a line, to be joined. */
    ofLine: sql`${stored} on ${isOfLine}`,
    /** Whether the line counts: asked before the upsert or behind it, it is the same. */
    counts: counts(REVISION, stored.revision),
    differs: differ(values, columns),
    find: query(() =>
      db
        .select({ key: keyColumn })
        .from(stored)
        .where(
          and(...key.slice(0, -1).map(([column, value]) => eq(column, value)), namedIn(keyColumn, 'keys')),
        ),
    ) as LineStatements['find'],
    /** @param isUpdate whether a line changes the row that it meets */
    judge: (isUpdate: SQL): LineStatements['judge'] =>
      query(() =>
        db.all<Judged>(sql`
          select coalesce(sum(is_new and not erased), 0) as created, coalesce(sum(not is_new and not erased), 0) as updated,
            count(*) as stored
          from (
            select ${stored.id} is null as is_new, ${ERASED} as erased
            from ${LINES} left join ${stored} on ${isOfLine}
            where ${stored.id} is null or (${isUpdate}))`),
      ),
    /**
     * A line with a lower revision, or an equal one, changes nothing. A higher revision alone makes no version.
     *
     * @param condition a further one for a row that is stored already
     */
    upsert: (condition = sql`true`): Query<unknown> =>
      query(() =>
        db
          .insert(stored)
          .select(
            sql`select null, ${list(key.map(([, value]) => value))}, ${list(values)}, ${REVISION}, ${NEWEST_CHANGE} from ${LINES} where true`,
          )
          .onConflictDoUpdate({
            target: key.map(([column]) => column),
            set: {
              ...Object.fromEntries(record.map((name) => [name, excluded(stored[name])])),
              revision: sql`coalesce(${excluded(stored.revision)}, ${stored.revision})`,
              recordedAt: sql`iif(${isChanged}, ${excluded(stored.recordedAt)}, ${stored.recordedAt})`,
            },
            setWhere: sql`${condition} and ${counts(excluded(stored.revision), stored.revision)}
              and (${isChanged} or ${excluded(stored.revision)} > coalesce(${stored.revision}, -1))`,
          }),
      ),
  };
}

/**
 * Deletes the transaction's change again where nothing bears its instant.
 *
 * @param instants the columns that may bear it
 */
export const forgetEmptyChange = (...instants: readonly SQLiteColumn[]): Query<unknown> =>
  query(() =>
    db.delete(changes).where(
      and(
        eq(changes.municipalityId, MUNICIPALITY),
        eq(changes.recordedAt, NEWEST_CHANGE),
        ...instants.map(
          (instant) => sql`not exists (
            select 1 from ${instant.table}
            where ${instant.table}.${bare(changes.municipalityId)} = ${MUNICIPALITY} and ${instant} = ${NEWEST_CHANGE})`,
        ),
      ),
    ),
  );
