import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import { DELAY_DAYS, delayDay } from '../../domain/patrol/source-delay.ts';
import { isStoredAlready, lastRecordedAt, recordChange } from '../../storage/db/changes-sql.ts';
import { LAST_BATCH, pastSourceImports } from '../../storage/db/schema/past.ts';
import {
  type IMPORT_OUTCOMES,
  sourceDelays,
  sourceImports,
  sources,
} from '../../storage/db/schema/sessions.ts';
import {
  bare,
  list,
  literal,
  parameter,
  primaryKeyOf,
  statement,
  tableByIndex,
} from '../../storage/db/sql.ts';
import { ifKnownSchema, ifWritable, rethrowOutgrown } from '../../storage/db/writable.ts';
import type { StoredBy } from './stored-by-table.ts';

/** A finished import of a source's sessions. */
export interface FinishedImport {
  readonly sourceId: number;
  readonly outcome: (typeof IMPORT_OUTCOMES)[number];
  /** The call's instant: the file describes no later state. */
  readonly at: Instant;
}

const SOURCE = parameter(1);
const AT = parameter(2);
const OUTCOME = parameter(3);
const REQUEST = parameter(4);
/** Our clock. */
const NOW = parameter(5);

const newValue = (column: SQLiteColumn): SQL => sql`excluded.${bare(column)}`;
const ofLater = (column: SQLiteColumn): SQL =>
  sql`${bare(column)} = iif(${newValue(sourceImports.lastFinishedAt)} >= ${sourceImports.lastFinishedAt}, ${newValue(column)}, ${column})`;

const OF_SOURCE = sql`(select ${sources.municipalityId} from ${sources} where ${sources.id} = ${SOURCE})`;
const RECORDED = lastRecordedAt(OF_SOURCE);

const RECORD_CHANGE = statement(() =>
  recordChange(
    OF_SOURCE,
    { now: NOW, requestId: REQUEST, batch: literal(LAST_BATCH) },
    { guarded: ifKnownSchema(ifWritable(SOURCE, OF_SOURCE)) },
  ),
);

/** How the source's imports stood until now. */
const KEEP = statement(() => {
  const kept = ['sourceId', 'lastFinishedAt', 'lastOutcome', 'lastSuccessfulAt', 'recordedAt'] as const;
  return sql`
insert into ${pastSourceImports} (${list([...kept.map((name) => pastSourceImports[name]), pastSourceImports.replacedAt, pastSourceImports.municipalityId].map(bare))})
select ${list(kept.map((name) => sourceImports[name]))}, ${RECORDED}, ${OF_SOURCE} from ${sourceImports} where ${sourceImports.sourceId} = ${SOURCE}`;
});

/**
 * The import that was called last counts as the last one, in whatever order imports end. The last success is kept across
 * failures and never moves back. On the right of `set`, a column is its old value.
 */
const RECORD = statement(
  () => sql`
insert into ${sourceImports} (${list([sourceImports.sourceId, sourceImports.lastFinishedAt, sourceImports.lastOutcome, sourceImports.lastSuccessfulAt, sourceImports.lastRequestId, sourceImports.recordedAt].map(bare))})
values (${SOURCE}, ${AT}, ${OUTCOME}, iif(${OUTCOME} = 'succeeded', ${AT}, null), ${REQUEST}, ${RECORDED})
on conflict (${bare(sourceImports.sourceId)}) do update set
  ${bare(sourceImports.lastFinishedAt)} = max(${sourceImports.lastFinishedAt}, ${newValue(sourceImports.lastFinishedAt)}),
  ${ofLater(sourceImports.lastOutcome)},
  ${ofLater(sourceImports.lastRequestId)},
  ${bare(sourceImports.lastSuccessfulAt)} = coalesce(
    max(${sourceImports.lastSuccessfulAt}, ${newValue(sourceImports.lastSuccessfulAt)}), ${sourceImports.lastSuccessfulAt}, ${newValue(sourceImports.lastSuccessfulAt)}),
  ${bare(sourceImports.recordedAt)} = ${newValue(sourceImports.recordedAt)}`,
);

/** 1: the source; 2: today. Deletes the days that no usual delay counts any more. */
const FORGET_DELAYS = statement(
  () => sql`delete from ${tableByIndex(sourceDelays, primaryKeyOf(sourceDelays))} where ${sourceDelays.sourceId} = ${SOURCE}
    and ${sourceDelays.day} <= ${parameter(2)} - ${literal(DELAY_DAYS)}`,
);

/**
 * Stores how an import of a source has ended, which decides the source's freshness. Storing it twice does no harm.
 */
export async function recordImport(db: D1Database, finished: FinishedImport, by: StoredBy): Promise<void> {
  const { sourceId, outcome, at } = finished;
  const parameters = [sourceId, at, outcome, by.requestId];
  const now = by.clock();
  const storing = rethrowOutgrown(
    db.batch([
      db.prepare(RECORD_CHANGE()).bind(...parameters, now),
      db.prepare(KEEP()).bind(sourceId),
      db.prepare(RECORD()).bind(...parameters),
      db.prepare(FORGET_DELAYS()).bind(sourceId, delayDay(at)),
    ]),
  );
  await storing.catch((error) => {
    if (!isStoredAlready(error)) {
      throw error;
    }
  });
}
