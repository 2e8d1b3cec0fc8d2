import { and, asc, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { OF_LAST_IMPORT } from '../../core/snapshots/municipality-rows-table.ts';
import { type Instant, MINUTE_MS } from '../../domain/instant.ts';
import { db, measured, named, query } from '../../storage/db/batch.ts';
import { retry } from '../../storage/db/retry.ts';
import { imports, municipalities, sources } from '../../storage/db/schema/index.ts';
import { SCHEMA } from '../../storage/db/schema-table.ts';
import { atMost } from '../../storage/db/sql.ts';

/** More than an operator reads. */
export const MAX_LATE_SOURCES = 200;

/** All sources that may be late at the instant `at`; the rule decides. A municipality has only a few sources. */
const DOUBTFUL = query(() =>
  db
    .select({
      municipality_code: municipalities.code,
      source_code: named(sources.code, 'source_code'),
      staleAfterMinutes: sources.staleAfterMinutes,
      lastOutcome: imports.outcome,
      lastSuccessfulAt: imports.succeededAt,
    })
    .from(municipalities)
    .innerJoin(sources, eq(sources.municipalityId, municipalities.id))
    .innerJoin(imports, OF_LAST_IMPORT)
    .where(
      and(
        eq(municipalities.active, true),
        isNull(municipalities.restoring),
        eq(sources.active, true),
        eq(sources.isSystem, false),
        or(
          eq(imports.outcome, 'failed'),
          lt(
            imports.succeededAt,
            sql`${sql.placeholder('at')} - ${sources.staleAfterMinutes} * ${sql.raw(String(MINUTE_MS))}`,
          ),
        ),
      ),
    )
    .orderBy(asc(municipalities.code), asc(sources.code))
    .limit(atMost(MAX_LATE_SOURCES)),
);

/** Reads the database's size and schema, and the sources that may be late: one round trip. */
export async function readDatabase(d1: D1Database, at: Instant) {
  const { rows, bytes } = await retry(() => measured(d1, [SCHEMA, DOUBTFUL], { at }), 2);
  const [[newest], sources] = rows;
  return { size_bytes: bytes, schema: newest?.number ?? null, sources };
}

/** A source that may be late. */
export type DoubtfulSource = Awaited<ReturnType<typeof readDatabase>>['sources'][number];
