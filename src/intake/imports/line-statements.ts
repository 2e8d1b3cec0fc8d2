import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { db, type Query, query } from '../../storage/db/batch.ts';
import { NEWEST_CHANGE } from '../../storage/db/changes.ts';
import { changes, type parkingSessions, type subscriptions } from '../../storage/db/schema/index.ts';

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
/** The lines of a batch, each a JSON list: see {@link recordIn}. */
export const LINES = sql`json_each(${sql.placeholder('lines')}) as line`;
/** The keys to find. */
export const KEYS = sql`(select value from json_each(${sql.placeholder('keys')}))`;

const lineAt = (index: number): SQL => sql.raw(`line.value ->> ${index}`);
export const [KEY, REVISION, ERASED] = [0, 1, 2].map(lineAt) as [SQL, SQL, SQL];
/** Where a line has its list of plates, and the first value of its record. */
export const PLATES = 3;
const FIRST_VALUE = 4;

const tuple = (values: readonly SQLWrapper[]): SQL => sql`(${sql.join([...values], sql`, `)})`;
const differ = (ones: readonly SQLWrapper[], others: readonly SQLWrapper[]): SQL =>
  sql`${tuple(ones)} is not ${tuple(others)}`;
/** Whether a line counts: not one with a lower revision, which is old. */
const counts = (revision: SQLWrapper, stored: SQLWrapper): SQL =>
  sql`(${revision} is null or ${stored} is null or ${revision} >= ${stored})`;

/** What an upsert would have inserted. */
export const excluded = (column: SQLiteColumn): SQL => sql`excluded.${sql.identifier(column.name)}`;

type Keyed = { readonly key: string; readonly revision: number | null };

/**
 * A table's record as lines have it: the columns whose change makes a version.
 *
 * @param names of the columns, and of the values of a row
 */
export function recordIn<Table extends typeof parkingSessions | typeof subscriptions>(
  stored: Table,
  names: readonly (keyof Table['$inferInsert'] & keyof Table)[],
) {
  // Each is the name of a column.
  const columns = names.map((name) => stored[name] as SQLiteColumn);
  const values = names.map((_, index) => lineAt(FIRST_VALUE + index));
  const isChanged = differ(columns.map(excluded), columns);
  const set = names.map((name, index) => [name, excluded(columns[index] as SQLiteColumn)] as const);
  return {
    /** A row in the parameter `lines`. Lists are in one order, so that equal ones have equal texts. */
    lineOf: (
      row: Keyed & { readonly [Name in (typeof names)[number]]?: unknown },
      isErased: boolean,
      plates: unknown = null,
    ) => [
      row.key,
      row.revision,
      isErased ? 1 : 0,
      plates,
      ...names.map((name) => (Array.isArray(row[name]) ? JSON.stringify(row[name]) : row[name])),
    ],
    /** The values of a line, in the order of the table. */
    values: sql.join(values, sql`, `),
    /** Whether the line counts: asked before the upsert or behind it, it is the same. */
    counts: counts(REVISION, stored.revision),
    differs: differ(values, columns),
    /** A line with a lower revision, or an equal one, changes nothing. A higher revision alone makes no version. */
    update: {
      set: {
        ...Object.fromEntries(set),
        revision: sql`coalesce(${excluded(stored.revision)}, ${stored.revision})`,
        recordedAt: sql`iif(${isChanged}, ${excluded(stored.recordedAt)}, ${stored.recordedAt})`,
      },
      setWhere: sql`${counts(excluded(stored.revision), stored.revision)}
        and (${isChanged} or ${excluded(stored.revision)} > coalesce(${stored.revision}, -1))`,
    },
  };
}

/** Counts rows of `is_new` and `erased`. */
export const judging = (changing: SQL): Query<Judged[]> =>
  query(() =>
    db.all<Judged>(sql`
      select coalesce(sum(is_new and not erased), 0) as created, coalesce(sum(not is_new and not erased), 0) as updated,
        count(*) as stored
      from (${changing})`),
  );

/** Deletes the transaction's change again where nothing bears its instant. */
export const forgetEmptyChange = (
  ...borne: readonly (readonly [municipalityId: SQLiteColumn, instant: SQLiteColumn])[]
): Query<unknown> =>
  query(() =>
    db.run(sql`
      delete from ${changes}
      where ${changes.municipalityId} = ${MUNICIPALITY} and ${changes.recordedAt} = ${NEWEST_CHANGE}
      ${sql.join(
        borne.map(
          ([municipalityId, instant]) => sql` and not exists (
            select 1 from ${instant.table} where ${municipalityId} = ${MUNICIPALITY} and ${instant} = ${NEWEST_CHANGE})`,
        ),
      )}`),
  );
