import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { db, type Query, query } from '../../storage/db/batch.ts';
import { NEWEST_CHANGE } from '../../storage/db/changes.ts';
import {
  changes,
  type parkingSessions,
  type pastParkingSessions,
  type pastSubscriptions,
  type subscriptions,
} from '../../storage/db/schema/index.ts';
import { bare, list, namedIn } from '../../storage/db/sql.ts';

/** A row of an import, or one that is stored: its key, its record by the names of columns, and the plates of a title. */
export interface Keyed {
  readonly key: string;
  readonly revision: number | null;
  readonly plates?: unknown;
}

/** What a batch has done. */
export interface Counted {
  readonly created: number;
  readonly updated: number;
}

export const MUNICIPALITY = sql.placeholder('municipalityId');
/** The lines of a batch, each a JSON list: see `lineOf` below. */
export const LINES = sql`json_each(${sql.placeholder('lines')}) as line`;

const lineAt = (index: number): SQL => sql.raw(`line.value ->> ${index}`);
export const KEY = lineAt(0);
const REVISION = lineAt(1);
/** Where a line has its list of plates, and the first value of its record. */
export const PLATES = 2;
const FIRST_VALUE = 3;

/** Whether a line counts: not one with a lower revision, which is old. */
const counts = (revision: SQLWrapper, stored: SQLWrapper): SQL =>
  sql`(${revision} is null or ${stored} is null or ${revision} >= ${stored})`;

/** What an upsert would have inserted. */
export const excluded = (column: SQLiteColumn): SQL => sql`excluded.${bare(column)}`;

/** The ids of rows of the municipality that bear the transaction's instant. */
export const touched = (id: SQLiteColumn, instant: SQLiteColumn): SQL =>
  sql`select ${id} from ${id.table} where ${id.table}.${bare(changes.municipalityId)} = ${MUNICIPALITY} and ${instant} = ${NEWEST_CHANGE}`;

/**
 * The statements that both kinds of rows have.
 *
 * @param record the names of the columns whose change makes a version, and of the values of a row
 * @param key the columns that tell rows apart with their values, the line's own {@link KEY} last
 */
export function statementsOf<Name extends string>(
  stored: (typeof parkingSessions | typeof subscriptions) & Readonly<Record<Name, SQLiteColumn>>,
  past: typeof pastParkingSessions | typeof pastSubscriptions,
  record: readonly Name[],
  key: readonly (readonly [column: SQLiteColumn, value: SQLWrapper])[],
) {
  const columns = record.map((name) => stored[name]);
  const values = record.map((_, index) => lineAt(FIRST_VALUE + index));
  const isChanged = sql`(${list(columns.map(excluded))}) is not (${list(columns)})`;
  // No key is empty, and the last column of each is a text.
  const keyColumn = key.at(-1)?.[0] as SQLiteColumn;
  const isNamed = and(
    ...key.slice(0, -1).map(([column, value]) => eq(column, value)),
    namedIn(keyColumn, 'keys'),
  );
  return {
    /** A row in the parameter `lines`. Lists are in one order, so that equal ones have equal texts. */
    lineOf: (row: Keyed & { readonly [Value in Name]: unknown }): readonly unknown[] => [
      ...[row.key, row.revision, row.plates],
      ...record.map((name) => row[name]),
    ],
    /** The stored row of a line, to be joined. */
    ofLine: sql`${stored} on ${and(...key.map(([column, value]) => eq(column, value)))}`,
    /** Whether the line counts: asked before the upsert or behind it, it is the same. */
    counts: counts(REVISION, stored.revision),
    /** Which of some keys are stored. */
    findKeys: query(() =>
      db
        .select({ key: sql<string>`${keyColumn}`.as('key') })
        .from(stored)
        .where(isNamed),
    ),
    /** As what some keys are stored. */
    find: (plates: SQL<unknown> = sql`null`) =>
      query(() =>
        db
          .select({
            ...Object.fromEntries(record.map((name) => [name, stored[name]])),
            key: sql<string>`${keyColumn}`.as('key'),
            revision: stored.revision,
            plates: plates.as('plates'),
          })
          .from(stored)
          .where(isNamed),
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
    /**
     * Counts what the transaction has created and updated, and deletes its change again where that is nothing. A row that bears its
     * instant is new, unless a version was replaced then.
     *
     * @param ids of the rows that it has touched
     */
    count: (ids: SQL) =>
      [
        query(() =>
          db.all<Counted>(sql`
            select present - replaced as created, touched - present + replaced as updated
            from (select count(*) as present from (${touched(stored.id, stored.recordedAt)})),
              (select count(*) as replaced from (${touched(past.id, past.replacedAt)})),
              (select count(*) as touched from (${ids}))`),
        ),
        query(() =>
          db
            .delete(changes)
            .where(
              and(
                eq(changes.municipalityId, MUNICIPALITY),
                eq(changes.recordedAt, NEWEST_CHANGE),
                sql`not exists (${ids})`,
              ),
            ),
        ),
      ] as const,
  };
}
