import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { type Instant, MINUTE_MS, nullableInstant } from '../../domain/instant.ts';
import type { ImportOutcome } from '../../domain/source-freshness.ts';
import { moves, municipalities, sourceImports, sources } from '../../storage/db/schema/index.ts';
import { literal, tableAs } from '../../storage/db/sql.ts';
import { all, statement, value } from '../../storage/db/statement.ts';

/** More than an operator reads. */
export const MAX_LATE_SOURCES = 200;
export const MAX_MOVES = 200;

/** A source that may be late. */
export interface DoubtfulSource {
  readonly municipality: string;
  readonly source: string;
  readonly staleAfterMinutes: number;
  readonly lastOutcome: ImportOutcome | null;
  readonly lastSuccessfulAt: Instant | null;
}

/** A move under way, as one of its two databases has it. */
export interface FoundMove {
  readonly municipalityId: number;
  readonly municipality: string | null;
  readonly to: string;
  readonly state: string;
  readonly step: string;
}

const municipality = alias(municipalities, 'municipality');
const source = alias(sources, 'source');
const lastImport = alias(sourceImports, 'last_import');
const move = alias(moves, 'move');

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
    and ${municipality.movedTo} is null
    and ${source.active} = 1
    and ${source.isSystem} = 0
    and (
      ${lastImport.lastOutcome} = 'failed'
      or ${lastImport.lastSuccessfulAt} < ${at} - ${source.staleAfterMinutes} * ${literal(MINUTE_MS)}
    )
  order by ${municipality.code}, ${source.code}
  limit ${max}`,
);

const MOVES = statement(
  { max: value<number>() },
  ({ max }) => sql<FoundMove>`
  select ${move.municipalityId} as municipalityId,
    ${municipality.code} as municipality,
    ${move.toDatabase} as "to",
    ${move.state} as state,
    json_extract(${move.progress}, '$.step') as step
  from ${tableAs(moves, move)}
  left join ${tableAs(municipalities, municipality)} on ${municipality.id} = ${move.municipalityId}
  where ${move.endedAt} is null
  order by ${move.municipalityId}
  limit ${max}`,
);

/** @throws Error when the database cannot be read */
export async function readDoubtfulSources(db: D1Database, at: Instant): Promise<DoubtfulSource[]> {
  const { results } = await all(DOUBTFUL.prepare(db, { at, max: MAX_LATE_SOURCES }));
  return results.map((row) => ({ ...row, lastSuccessfulAt: nullableInstant(row.lastSuccessfulAt) }));
}

/** @throws Error when the database cannot be read */
export async function readMoves(db: D1Database): Promise<readonly FoundMove[]> {
  const { results } = await all(MOVES.prepare(db, { max: MAX_MOVES }));
  return results;
}

/** How large a database is. */
export async function sizeOf(db: D1Database): Promise<number> {
  const { meta } = await db.prepare('select 1').run();
  return meta.size_after;
}
