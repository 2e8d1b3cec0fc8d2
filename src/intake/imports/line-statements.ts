import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { db, type Query, query } from '../../storage/db/batch.ts';
import { NEXT_CHANGE } from '../../storage/db/changes.ts';
import {
  changes,
  type parkingSessions,
  type pastParkingSessions,
  type pastSubscriptions,
  type subscriptions,
} from '../../storage/db/schema/index.ts';
import { bare, list, namedIn } from '../../storage/db/sql.ts';

/** A row of an import: its key, its record by the names of columns, and the plates of a title. */
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

/** The ids of the municipality's rows that bear an instant. */
export const touched = (id: SQLiteColumn, instant: SQLiteColumn, at: SQLWrapper): SQL =>
  sql`select ${id} from ${id.table} where ${id.table}.${bare(changes.municipalityId)} = ${MUNICIPALITY} and ${instant} = ${at}`;

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
  const differs = (from: readonly SQL[]): SQL => sql`(${list(from)}) is not (${list(columns)})`;
  const isChanged = differs(columns.map(excluded));
  /** The stored row of a line, to be joined. */
  const ofLine = sql`${stored} on ${and(...key.map(([column, value]) => eq(column, value)))}`;
  /** Whether the line counts: asked before the upsert or behind it, it is the same. */
  const lineCounts = counts(REVISION, stored.revision);
  // No key is empty, and the last column of each is a text.
  const keyColumn = key.at(-1)?.[0] as SQLiteColumn;
  return {
    /** A row in the parameter `lines`. Lists are in one order, so that equal ones have equal texts. */
    lineOf: (row: Keyed & { readonly [Value in Name]: unknown }): readonly unknown[] => [
      ...[row.key, row.revision, row.plates],
      ...record.map((name) => row[name]),
    ],
    ofLine,
    counts: lineCounts,
    /** Which of some keys are stored. */
    findKeys: query(() =>
      db
        .select({ key: sql<string>`${keyColumn}`.as('key') })
        .from(stored)
        .where(
          and(...key.slice(0, -1).map(([column, value]) => eq(column, value)), namedIn(keyColumn, 'keys')),
        ),
    ),
    /**
     * Counts what storing the lines would do, as the upsert decides it.
     *
     * @param hasOtherPlates whether a line has other plates than its stored row
     */
    judge: (hasOtherPlates = sql`false`): Query<Counted[]> =>
      query(() =>
        db.all(sql`
          select count(*) filter (where ${stored.id} is null) as created,
            count(*) filter (where ${stored.id} is not null and ${lineCounts}
              and (${differs(values)} or ${hasOtherPlates})) as updated
          from ${LINES} left join ${ofLine}`),
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
            sql`select null, ${list(key.map(([, value]) => value))}, ${list(values)}, ${REVISION}, ${NEXT_CHANGE} from ${LINES} where true`,
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
     * The last statement of the transaction: records its change, and counts the rows that it has created and updated. Where no row
     * bears its instant, it records nothing and returns no counts. A row that bears it is new, unless a version was replaced then.
     *
     * @param withOtherPlates the ids of the titles whose plates have changed at an instant, which makes no version of the title
     */
    recordChanged: (
      withOtherPlates = (_at: SQLWrapper): SQL => sql`select null where false`,
    ): Query<Counted[]> =>
      query(() => {
        const recorded = (at: SQLWrapper) => touched(stored.id, stored.recordedAt, at);
        const at = changes.recordedAt;
        const replaced = countOf(touched(past.id, past.replacedAt, at));
        return db.all(sql`
          insert into ${changes} select ${MUNICIPALITY}, ${NEXT_CHANGE}, ${sql.placeholder('requestId')}
          where exists (${recorded(NEXT_CHANGE)}) or exists (${withOtherPlates(NEXT_CHANGE)})
          returning ${countOf(recorded(at))} - ${replaced} as created,
            ${replaced} + ${countOf(sql`${withOtherPlates(at)} except ${recorded(at)}`)} as updated`);
      }),
  };
}

const countOf = (rows: SQL): SQL => sql`(select count(*) from (${rows}))`;
