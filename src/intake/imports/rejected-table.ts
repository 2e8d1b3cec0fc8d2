import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { DAY_MS, HOUR_MS, type Instant } from '../../domain/instant.ts';
import { MAX_REMEMBERED_LINES, MAX_REMEMBERED_PLATES } from '../../domain/patrol/rejected-lines.ts';
import { rejectedLines, rejectedPlates, rejectedSubscriptionPlates } from '../../storage/db/schema/index.ts';
import { bare, type Json, json, list, literal, primaryKeyOf, tableByIndex } from '../../storage/db/sql.ts';
import { statement, value } from '../../storage/db/statement.ts';

/** The sender of rejected lines: a source, or a municipality's office for its subscriptions. */
export interface Sender {
  readonly municipalityId: number;
  /** Null for subscriptions. */
  readonly source: { readonly id: number; readonly code: string } | null;
}

/** A part of a sender's rejected lines, to be remembered. */
export interface RejectedPart {
  /** Digests of plates, each with the number of its line, and whether it is the first of its line. */
  readonly digests: readonly (readonly [digest: string, line: number, opensLine: 0 | 1])[];
  /** The lines that this part counts. */
  readonly unremembered: number;
  readonly unreadable: number;
}

/** The table of a sender's digests. */
interface Digests {
  readonly table: SQLiteTable;
  readonly owner: SQLiteColumn;
  readonly digest: SQLiteColumn;
  readonly at: SQLiteColumn;
  readonly byAge: string;
  /** Null: each is a line of its own. */
  readonly opensLine: SQLiteColumn | null;
}

/** The most old digests that a part deletes. Retention takes the rest. */
const MAX_FORGOTTEN = 2_000;

/** The source, or the municipality. */
const OWNER = { ownerId: value<number>(), at: value<Instant>() };
const ITEMS = { ...OWNER, items: value<Json<RejectedPart['digests']>>() };

const DIGEST = sql.raw('item.value ->> 0');
const LINE = sql.raw('item.value ->> 1');
const OPENS_LINE = sql.raw('item.value ->> 2');

const statementsOf = (digests: Digests) => {
  const { table, owner, digest, at: recordedAt, byAge, opensLine } = digests;
  const isKept = (ownerId: SQL): SQL => sql`exists (
      select 1
      from ${tableByIndex(table, primaryKeyOf(table))}
      where ${owner} = ${ownerId}
        and ${digest} = ${DIGEST}
    )`;
  const columns = [owner, digest, recordedAt, ...(opensLine === null ? [] : [opensLine])];
  return {
    forget: statement(
      OWNER,
      ({ ownerId, at }) => sql`
  delete from ${table}
  where rowid in (
    select rowid
    from ${tableByIndex(table, byAge)}
    where ${owner} = ${ownerId}
      and ${recordedAt} <= ${at} - ${literal(DAY_MS)}
    limit ${literal(MAX_FORGOTTEN)}
  )`,
    ),
    // A digest that is kept already is kept longer. A new one is kept if there is room.
    keep: statement(ITEMS, ({ ownerId, at, items }) => {
      const countOf = (what: SQL): SQL => sql`(
      select ${what}
      from ${tableByIndex(table, byAge)}
      where ${owner} = ${ownerId}
        and ${recordedAt} > ${at} - ${literal(DAY_MS)}
    )`;
      const lines = countOf(opensLine === null ? sql`count(*)` : sql`coalesce(sum(${opensLine}), 0)`);
      return sql`
  insert into ${table} (${list(columns.map(bare))})
  select ${list([ownerId, DIGEST, at, ...(opensLine === null ? [] : [OPENS_LINE])])}
  from json_each(${items}) as item
  where (
      ${LINE} < ${literal(MAX_REMEMBERED_LINES)} - ${lines}
      and item.key < ${literal(MAX_REMEMBERED_PLATES)} - ${countOf(sql`count(*)`)}
    )
    or ${isKept(ownerId)}
  on conflict (${list([owner, digest].map(bare))}) do update
  set ${list(columns.slice(2).map((column) => sql`${bare(column)} = max(${column}, excluded.${bare(column)})`))}`;
    }),
    count: statement(
      {
        ...ITEMS,
        municipalityId: value<number>(),
        /** Empty for subscriptions. */
        sourceCode: value<string>(),
        /** Lines without a digest, and lines without a plate. */
        unremembered: value<number>(),
        unreadable: value<number>(),
        hour: value<number>(),
      },
      ({ ownerId, at, items, municipalityId, sourceCode, unremembered, unreadable, hour }) => sql`
  insert into ${rejectedLines} (${list(COUNTED.map(bare))})
  select ${municipalityId}, ${hour}, ${sourceCode}, unattributed.lines, ${unreadable}, ${at}
  from (
    select ${unremembered} + (
      select count(*)
      from json_each(${items}) as item
      where not ${isKept(ownerId)}
    ) as lines
  ) as unattributed
  where unattributed.lines > 0 or ${unreadable} > 0
  on conflict (${list(COUNTED.slice(0, 3).map(bare))}) do update
  set ${list(
    [rejectedLines.unremembered, rejectedLines.unreadable].map(
      (column) => sql`${bare(column)} = ${column} + excluded.${bare(column)}`,
    ),
  )},
    ${bare(rejectedLines.lastAt)} = max(${rejectedLines.lastAt}, excluded.${bare(rejectedLines.lastAt)})`,
    ),
  };
};

const COUNTED = [
  rejectedLines.municipalityId,
  rejectedLines.hour,
  rejectedLines.sourceCode,
  rejectedLines.unremembered,
  rejectedLines.unreadable,
  rejectedLines.lastAt,
];

const OF_SOURCE = statementsOf({
  table: rejectedPlates,
  owner: rejectedPlates.sourceId,
  digest: rejectedPlates.digest,
  at: rejectedPlates.at,
  byAge: 'rejected_plates_by_source',
  opensLine: null,
});
const OF_SUBSCRIPTIONS = statementsOf({
  table: rejectedSubscriptionPlates,
  owner: rejectedSubscriptionPlates.municipalityId,
  digest: rejectedSubscriptionPlates.digest,
  at: rejectedSubscriptionPlates.at,
  byAge: 'rejected_subscription_plates_by_city',
  opensLine: rejectedSubscriptionPlates.opensLine,
});

/**
 * Remembers a part of the rejected lines while the day has room, and counts the others. Not idempotent: lines counted twice
 * only cause an unnecessary doubt.
 */
export async function rememberPart(
  db: D1Database,
  { municipalityId, source }: Sender,
  { digests, unremembered, unreadable }: RejectedPart,
  at: Instant,
): Promise<void> {
  const { forget, keep, count } = source === null ? OF_SUBSCRIPTIONS : OF_SOURCE;
  const firstLine = digests[0]?.[1] ?? 0;
  const tuples = digests.map(([digest, line, opens]) => [digest, line - firstLine, opens] as const);
  const owner = { ownerId: source?.id ?? municipalityId, at };
  const kept = { ...owner, items: json(tuples) };
  await db.batch([
    forget.prepare(db, owner),
    keep.prepare(db, kept),
    count.prepare(db, {
      ...kept,
      ...{ municipalityId, sourceCode: source?.code ?? '', unremembered, unreadable },
      hour: Math.floor(at / HOUR_MS),
    }),
  ]);
}
