import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import { isStoredAlready, lastRecordedAt, recordChange } from '../../storage/db/changes-sql.ts';
import { LAST_BATCH } from '../../storage/db/schema/past.ts';
import { type IMPORT_OUTCOMES, sourceImports, sources } from '../../storage/db/schema/sessions.ts';
import { bare, list, literal } from '../../storage/db/sql.ts';
import { statement, value } from '../../storage/db/statement.ts';
import { keepImport } from '../../storage/history/source-imports-parts.ts';
import type { StoredBy } from './stored-by-table.ts';

/** A finished import of a source's sessions. */
export interface FinishedImport {
  readonly sourceId: number;
  readonly outcome: (typeof IMPORT_OUTCOMES)[number];
  /** The call's instant: the file describes no later state. */
  readonly at: Instant;
}

const SOURCE = { sourceId: value<number>() };
const FINISHED = {
  ...SOURCE,
  at: value<Instant>(),
  outcome: value<FinishedImport['outcome']>(),
  requestId: value<string>(),
};

const newValue = (column: SQLiteColumn): SQL => sql`excluded.${bare(column)}`;
const ofLater = (column: SQLiteColumn): SQL => sql`
    ${bare(column)} = iif(
      ${newValue(sourceImports.lastFinishedAt)} >= ${sourceImports.lastFinishedAt},
      ${newValue(column)},
      ${column})`;

const municipalityOf = (sourceId: SQL): SQL => sql`(
    select ${sources.municipalityId}
    from ${sources}
    where ${sources.id} = ${sourceId}
  )`;

const RECORD_CHANGE = statement(
  {
    ...FINISHED,
    /** Our clock. */
    now: value<Instant>(),
  },
  ({ sourceId, requestId, now }) =>
    recordChange(municipalityOf(sourceId), { now, requestId, batch: literal(LAST_BATCH) }),
);

const KEEP = statement(SOURCE, ({ sourceId }) => keepImport(municipalityOf(sourceId), sourceId));

/**
 * The import that was called last counts as the last one, in whatever order imports end. The last success is kept across
 * failures and never moves back. On the right of `set`, a column is its old value.
 */
const RECORD = statement(
  FINISHED,
  ({ sourceId, at, outcome, requestId }) => sql`
  insert into ${sourceImports} (${list([sourceImports.sourceId, sourceImports.lastFinishedAt, sourceImports.lastOutcome, sourceImports.lastSuccessfulAt, sourceImports.lastRequestId, sourceImports.recordedAt].map(bare))})
  values (${sourceId}, ${at}, ${outcome}, iif(${outcome} = 'succeeded', ${at}, null), ${requestId}, ${lastRecordedAt(municipalityOf(sourceId))})
  on conflict (${bare(sourceImports.sourceId)}) do update
  set ${bare(sourceImports.lastFinishedAt)} = max(
      ${sourceImports.lastFinishedAt},
      ${newValue(sourceImports.lastFinishedAt)}),
    ${ofLater(sourceImports.lastOutcome)},
    ${ofLater(sourceImports.lastRequestId)},
    ${bare(sourceImports.lastSuccessfulAt)} = coalesce(
      max(${sourceImports.lastSuccessfulAt}, ${newValue(sourceImports.lastSuccessfulAt)}),
      ${sourceImports.lastSuccessfulAt},
      ${newValue(sourceImports.lastSuccessfulAt)}),
    ${bare(sourceImports.recordedAt)} = ${newValue(sourceImports.recordedAt)}`,
);

/**
 * Stores how an import of a source has ended, which decides the source's freshness. Storing it twice does no harm.
 */
export async function recordImport(db: D1Database, finished: FinishedImport, by: StoredBy): Promise<void> {
  const { sourceId, outcome, at } = finished;
  const values = { sourceId, at, outcome, requestId: by.requestId };
  const now = by.clock();
  const storing = db.batch([
    RECORD_CHANGE.prepare(db, { ...values, now }),
    KEEP.prepare(db, { sourceId }),
    RECORD.prepare(db, values),
  ]);
  await storing.catch((error) => {
    if (!isStoredAlready(error)) {
      throw error;
    }
  });
}
