import { and, asc, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { LAST_IMPORT } from '../../core/snapshots/municipality-rows-table.ts';
import { type Instant, MINUTE_MS } from '../../domain/instant.ts';
import { db, named, query, read } from '../../storage/db/batch.ts';
import { imports, municipalities, sources } from '../../storage/db/schema/index.ts';
import { atMost } from '../../storage/db/sql.ts';

/** More than an operator reads. */
export const MAX_LATE_SOURCES = 200;

/** All sources that may be late; the rule decides. A municipality has only a few sources. */
const DOUBTFUL = query(() =>
  db
    .select({
      municipality: municipalities.code,
      source: named(sources.code, 'source'),
      staleAfterMinutes: sources.staleAfterMinutes,
      lastOutcome: imports.outcome,
      lastSuccessfulAt: imports.succeededAt,
    })
    .from(municipalities)
    .innerJoin(sources, eq(sources.municipalityId, municipalities.id))
    .innerJoin(imports, and(eq(imports.sourceId, sources.id), eq(imports.recordedAt, LAST_IMPORT)))
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

/** @throws Error when the database cannot be read */
export async function readDoubtfulSources(d1: D1Database, at: Instant) {
  const [rows] = await read(d1, [DOUBTFUL], { at });
  return rows;
}

/** A source that may be late. */
export type DoubtfulSource = Awaited<ReturnType<typeof readDoubtfulSources>>[number];

/** How large the database is. */
export async function sizeOf(d1: D1Database): Promise<number> {
  const { meta } = await d1.prepare('select 1').run();
  return meta.size_after;
}
