import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { appendToJournal, recordedAt } from '../db/journal-sql.ts';
import { type IMPORT_OUTCOMES, sourceImports, sources } from '../db/schema/sessions.ts';
import { aliased, bare, jsonObject, parameter, statement } from '../db/sql.ts';
import { ifWritable } from '../db/writable.ts';
import type { Instant } from '../domain/instant.ts';
import type { StoredBy } from './stored-by.ts';

/** An import of a source's sessions that has come to its end. */
export interface FinishedImport {
  readonly sourceId: number;
  readonly outcome: (typeof IMPORT_OUTCOMES)[number];
  /** The call's instant: what the file says was true then at the latest. */
  readonly at: Instant;
}

const SOURCE = parameter(1);
const AT = parameter(2);
const OUTCOME = parameter(3);
const REQUEST = parameter(4);
/** Of the statement that appends to the journal. */
const NOW = parameter(5);

const i = sourceImports;
const new_ = (column: SQLiteColumn): SQL => sql`excluded.${bare(column)}`;
const ofLater = (column: SQLiteColumn): SQL =>
  sql`${bare(column)} = iif(${new_(i.lastFinishedAt)} >= ${i.lastFinishedAt}, ${new_(column)}, ${column})`;

/**
 * The later call is the last import, in whatever order they end, and its outcome stands; the last success is kept
 * across failures and never moves back. On the right of `set`, a column is the value that was there.
 */
const RECORD = statement(
  () => sql`
insert into ${i} (${sql.join([i.sourceId, i.lastFinishedAt, i.lastOutcome, i.lastSuccessfulAt, i.lastRequestId].map(bare), sql`, `)})
values (${SOURCE}, ${AT}, ${ifWritable(SOURCE, OUTCOME)}, iif(${OUTCOME} = 'succeeded', ${AT}, null), ${REQUEST})
on conflict (${bare(i.sourceId)}) do update set
  ${bare(i.lastFinishedAt)} = max(${i.lastFinishedAt}, ${new_(i.lastFinishedAt)}),
  ${ofLater(i.lastOutcome)},
  ${ofLater(i.lastRequestId)},
  ${bare(i.lastSuccessfulAt)} = coalesce(
    max(${i.lastSuccessfulAt}, ${new_(i.lastSuccessfulAt)}), ${i.lastSuccessfulAt}, ${new_(i.lastSuccessfulAt)})`,
);

const source = alias(sources, 's');
const stands = alias(sourceImports, 'i');

/**
 * The import, and how its source's freshness stands after it: the newest row of a source alone tells how fresh it was.
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
        last_outcome: stands.lastOutcome,
        last_finished_at: stands.lastFinishedAt,
        last_successful_at: stands.lastSuccessfulAt,
        last_request_id: stands.lastRequestId,
      }),
    },
    sql`from ${aliased(sources, source)}
cross join ${aliased(sourceImports, stands)} on ${stands.sourceId} = ${source.id}
where ${source.id} = ${SOURCE}`,
  )}
on conflict do nothing`,
);

/**
 * Keeps how an import of a source has ended, what the source's freshness is judged by, and appends it to the journal.
 * May be done twice.
 */
export async function recordImport(db: D1Database, finished: FinishedImport, by: StoredBy): Promise<void> {
  const { sourceId, outcome, at } = finished;
  const parameters = [sourceId, at, outcome, by.requestId];
  await db.batch([
    db.prepare(RECORD()).bind(...parameters),
    db.prepare(APPEND()).bind(...parameters, by.clock()),
  ]);
}
