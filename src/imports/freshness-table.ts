import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { appendToJournal, recordedAt } from '../db/journal-sql.ts';
import { type IMPORT_OUTCOMES, sourceDelays, sourceImports, sources } from '../db/schema/sessions.ts';
import {
  bare,
  jsonObject,
  literal,
  parameter,
  primaryKeyOf,
  statement,
  tableAs,
  tableByIndex,
} from '../db/sql.ts';
import { ifKnownSchema, ifWritable, rethrowOutgrown } from '../db/writable.ts';
import type { Instant } from '../domain/instant.ts';
import { DELAY_DAYS, delayDay } from '../domain/patrol/source-delay.ts';
import type { StoredBy } from './stored-by.ts';

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
/** Of the statement that appends to the journal. */
const NOW = parameter(5);

const newValue = (column: SQLiteColumn): SQL => sql`excluded.${bare(column)}`;
const ofLater = (column: SQLiteColumn): SQL =>
  sql`${bare(column)} = iif(${newValue(sourceImports.lastFinishedAt)} >= ${sourceImports.lastFinishedAt}, ${newValue(column)}, ${column})`;

/**
 * The import that was called last counts as the last one, in whatever order imports end. The last success is kept across
 * failures and never moves back. On the right of `set`, a column is its old value.
 */
const RECORD = statement(
  () => sql`
insert into ${sourceImports} (${sql.join([sourceImports.sourceId, sourceImports.lastFinishedAt, sourceImports.lastOutcome, sourceImports.lastSuccessfulAt, sourceImports.lastRequestId].map(bare), sql`, `)})
values (${SOURCE}, ${ifKnownSchema(AT)}, ${ifWritable(SOURCE, OUTCOME)}, iif(${OUTCOME} = 'succeeded', ${AT}, null), ${REQUEST})
on conflict (${bare(sourceImports.sourceId)}) do update set
  ${bare(sourceImports.lastFinishedAt)} = max(${sourceImports.lastFinishedAt}, ${newValue(sourceImports.lastFinishedAt)}),
  ${ofLater(sourceImports.lastOutcome)},
  ${ofLater(sourceImports.lastRequestId)},
  ${bare(sourceImports.lastSuccessfulAt)} = coalesce(
    max(${sourceImports.lastSuccessfulAt}, ${newValue(sourceImports.lastSuccessfulAt)}), ${sourceImports.lastSuccessfulAt}, ${newValue(sourceImports.lastSuccessfulAt)})`,
);

const source = alias(sources, 'source');
const lastImport = alias(sourceImports, 'last_import');

/**
 * The import, and its source's freshness after it: the newest row of a source alone says how fresh it was.
 * A request's import is appended once, however often it is sent.
 */
const APPEND = statement(
  () => sql`${appendToJournal(
    {
      municipalityId: sql`${source.municipalityId}`,
      kind: sql.raw(`'import'`),
      recordedAt: recordedAt(NOW),
      requestId: REQUEST,
      sourceCode: sql`${source.code}`,
      record: jsonObject({
        outcome: OUTCOME,
        finished_at: AT,
        request_id: REQUEST,
        last_outcome: lastImport.lastOutcome,
        last_finished_at: lastImport.lastFinishedAt,
        last_successful_at: lastImport.lastSuccessfulAt,
        last_request_id: lastImport.lastRequestId,
      }),
    },
    sql`from ${tableAs(sources, source)}
cross join ${tableAs(sourceImports, lastImport)} on ${lastImport.sourceId} = ${source.id}
where ${source.id} = ${SOURCE}`,
  )}
on conflict do nothing`,
);

/** 1: the source; 2: today. Deletes the days that no usual delay counts any more. */
const FORGET_DELAYS = statement(
  () => sql`delete from ${tableByIndex(sourceDelays, primaryKeyOf(sourceDelays))} where ${sourceDelays.sourceId} = ${SOURCE}
    and ${sourceDelays.day} <= ${parameter(2)} - ${literal(DELAY_DAYS)}`,
);

/**
 * Stores how an import of a source has ended, which decides the source's freshness, and appends it to the journal. Storing it
 * twice does no harm.
 */
export async function recordImport(db: D1Database, finished: FinishedImport, by: StoredBy): Promise<void> {
  const { sourceId, outcome, at } = finished;
  const parameters = [sourceId, at, outcome, by.requestId];
  await rethrowOutgrown(
    db.batch([
      db.prepare(RECORD()).bind(...parameters),
      db.prepare(APPEND()).bind(...parameters, by.clock()),
      db.prepare(FORGET_DELAYS()).bind(sourceId, delayDay(at)),
    ]),
  );
}
