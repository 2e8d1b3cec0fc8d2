import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { type Instant, MINUTE_MS, nullableInstant } from '../../domain/instant.ts';
import type { ImportOutcome } from '../../domain/source-freshness.ts';
import { municipalities, sourceImports, sources } from '../../storage/db/schema/index.ts';
import { literal, tableAs } from '../../storage/db/sql.ts';
import { all, statement, value } from '../../storage/db/statement.ts';

/** More than an operator reads. */
export const MAX_LATE_SOURCES = 200;

/** A source that may be late. */
export interface DoubtfulSource {
  readonly municipality: string;
  readonly source: string;
  readonly staleAfterMinutes: number;
  readonly lastOutcome: ImportOutcome | null;
  readonly lastSuccessfulAt: Instant | null;
}

const municipality = alias(municipalities, 'municipality');
const source = alias(sources, 'source');
const lastImport = alias(sourceImports, 'last_import');

/** All sources that may be late; the rule decides. A municipality has only a few sources. */
const DOUBTFUL = statement(
  { at: value<Instant>(), max: value<number>() },
  ({ at, max }) => sql<
    Omit<DoubtfulSource, 'lastSuccessfulAt'> & { readonly lastSuccessfulAt: number | null }
  >`
  select ${municipality.code} as municipality,
    ${source.code} as source,
    ${source.staleAfterMinutes} as staleAfterMinutes,
    ${lastImport.lastOutcome} as lastOutcome,
    ${lastImport.lastSuccessfulAt} as lastSuccessfulAt
  from ${tableAs(municipalities, municipality)}
  cross join ${tableAs(sources, source)} on ${source.municipalityId} = ${municipality.id}
  cross join ${tableAs(sourceImports, lastImport)} on ${lastImport.sourceId} = ${source.id}
  where ${municipality.active} = 1
    and not ${municipality.restoring}
    and ${source.active} = 1
    and ${source.isSystem} = 0
    and (
      ${lastImport.lastOutcome} = 'failed'
      or ${lastImport.lastSuccessfulAt} < ${at} - ${source.staleAfterMinutes} * ${literal(MINUTE_MS)}
    )
  order by ${municipality.code}, ${source.code}
  limit ${max}`,
);

/** @throws Error when the database cannot be read */
export async function readDoubtfulSources(db: D1Database, at: Instant): Promise<DoubtfulSource[]> {
  const { results } = await all(DOUBTFUL.prepare(db, { at, max: MAX_LATE_SOURCES }));
  return results.map((row) => ({ ...row, lastSuccessfulAt: nullableInstant(row.lastSuccessfulAt) }));
}

/** How large the database is. */
export async function sizeOf(db: D1Database): Promise<number> {
  const { meta } = await db.prepare('select 1').run();
  return meta.size_after;
}
