import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { DAY_MS, HOUR_MS, type Instant } from '../../domain/instant.ts';
import { MAX_REMEMBERED_LINES, MAX_REMEMBERED_PLATES } from '../../domain/patrol/rejected-lines.ts';
import {
  municipalities,
  rejectedLines,
  rejectedPlates,
  rejectedSubscriptionPlates,
} from '../../storage/db/schema/index.ts';
import {
  bare,
  list,
  literal,
  parameter,
  prepareQuery,
  primaryKeyOf,
  statement,
  tableByIndex,
} from '../../storage/db/sql.ts';
import { isWritable, undoWhere, writeBatch } from '../../storage/db/writable.ts';

/** Who sent rejected lines: a source, or a municipality's office its subscriptions. */
export interface Sender {
  readonly municipalityId: number;
  /** Null for subscriptions. */
  readonly source: { readonly id: number; readonly code: string } | null;
}

/** A part of what is to be remembered of a sender's rejected lines. */
export interface RejectedPart {
  /** Of plates, each with the number of its line, and whether it is the first of its line. */
  readonly digests: readonly (readonly [digest: string, line: number, opensLine: 0 | 1])[];
  /** Lines that this part counts. */
  readonly unremembered: number;
  readonly unreadable: number;
}

/** Where a sender's digests are. */
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

/** 1: the source, or the municipality; 2: the instant; 3: the digests, as a JSON list. */
const OWNER = parameter(1);
const AT = parameter(2);
const LIST = parameter(3);
const DIGEST = sql.raw('item.value ->> 0');
const LINE = sql.raw('item.value ->> 1');
const OPENS_LINE = sql.raw('item.value ->> 2');
const ITEMS = sql`json_each(${LIST}) as item`;

const statementsOf = (digests: Digests) => {
  const { table, owner, digest, at, byAge, opensLine } = digests;
  const isKept = sql`exists (select 1 from ${tableByIndex(table, primaryKeyOf(table))} where ${owner} = ${OWNER} and ${digest} = ${DIGEST})`;
  const ofToday = sql`${tableByIndex(table, byAge)} where ${owner} = ${OWNER} and ${at} > ${AT} - ${literal(DAY_MS)}`;
  const countOf = (what: SQL): SQL => sql`(select ${what} from ${ofToday})`;
  const lines = countOf(opensLine === null ? sql`count(*)` : sql`coalesce(sum(${opensLine}), 0)`);
  const columns = [owner, digest, at, ...(opensLine === null ? [] : [opensLine])];
  const values = [OWNER, DIGEST, AT, ...(opensLine === null ? [] : [OPENS_LINE])];
  return {
    forget: statement(
      () => sql`delete from ${table} where rowid in (
        select rowid from ${tableByIndex(table, byAge)} where ${owner} = ${OWNER} and ${at} <= ${AT} - ${literal(DAY_MS)} limit ${literal(MAX_FORGOTTEN)})`,
    ),
    // What is kept already is kept longer; what is new is kept as long as there is room.
    keep: statement(
      () => sql`insert into ${table} (${list(columns.map(bare))})
select ${list(values)} from ${ITEMS}
where (${LINE} < ${literal(MAX_REMEMBERED_LINES)} - ${lines} and item.key < ${literal(MAX_REMEMBERED_PLATES)} - ${countOf(sql`count(*)`)}) or ${isKept}
on conflict (${list([owner, digest].map(bare))}) do update set ${list(
        columns.slice(2).map((column) => sql`${bare(column)} = max(${column}, excluded.${bare(column)})`),
      )}`,
    ),
    // 4: the municipality; 5: the source's code; 6: lines without a digest; 7: lines without a plate; 8: the hour.
    count: statement(
      () => sql`insert into ${rejectedLines} (${list(COUNTED.map(bare))})
select ${parameter(4)}, ${parameter(8)}, ${parameter(5)}, untold.lines, ${parameter(7)}, ${AT}
from (select ${parameter(6)} + (select count(*) from ${ITEMS} where not ${isKept}) as lines) as untold
where untold.lines > 0 or ${parameter(7)} > 0
on conflict (${list(COUNTED.slice(0, 3).map(bare))}) do update set
  ${list(
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
 * Remembers a part of what was rejected, as far as the day has room, and counts what it has no room for. Done twice, it counts
 * twice: rather a doubt too many.
 */
export async function rememberPart(
  db: D1Database,
  { municipalityId, source }: Sender,
  { digests, unremembered, unreadable }: RejectedPart,
  at: Instant,
): Promise<void> {
  const { forget, keep, count } = source === null ? OF_SUBSCRIPTIONS : OF_SOURCE;
  const owner = source?.id ?? municipalityId;
  const firstLine = digests[0]?.[1] ?? 0;
  const items = JSON.stringify(digests.map(([digest, line, opens]) => [digest, line - firstLine, opens]));
  await writeBatch(db, [
    prepareQuery(
      db,
      undoWhere(sql`${municipalities.id} = ${municipalityId} and not ${isWritable(municipalities)}`),
    ),
    db.prepare(forget()).bind(owner, at),
    db.prepare(keep()).bind(owner, at, items),
    db
      .prepare(count())
      .bind(
        ...[owner, at, items, municipalityId, source?.code ?? '', unremembered, unreadable],
        Math.floor(at / HOUR_MS),
      ),
  ]);
}
