import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { nullableInstant } from '../../domain/instant.ts';
import { DELAY_DAYS, type ReportingSource } from '../../domain/patrol/source-delay.ts';
import { sourceDelays, sourceImports, sources } from '../../storage/db/schema/index.ts';
import {
  type Json,
  jsonArray,
  jsonRows,
  literal,
  orNull,
  parsed,
  primaryKeyOf,
  type RowOf,
  type TupleOf,
  tableAs,
} from '../../storage/db/sql.ts';

const source = alias(sources, 'source');
const lastImport = alias(sourceImports, 'last_import');
const delay = alias(sourceDelays, 'delay');

const DELAY = [delay.day, delay.step, delay.count] as const;

/** A source of a municipality, with what decides how far it can be trusted. */
export interface FoundSource extends ReportingSource {
  readonly code: string;
  readonly name: string;
  readonly active: boolean;
}

/** What is read of a source; the day is today. */
export const reportingSource = (today: SQL) =>
  ({
    code: source.code,
    name: source.name,
    active: source.active,
    is_system: source.isSystem,
    stale_after_minutes: source.staleAfterMinutes,
    last_outcome: orNull(lastImport.lastOutcome),
    last_successful_at: orNull(lastImport.lastSuccessfulAt),
    delays: sql<Json<TupleOf<typeof DELAY>[]>>`${jsonRows(
      jsonArray(DELAY),
      sql`
      from ${tableAs(sourceDelays, delay, primaryKeyOf(sourceDelays))}
      where ${delay.sourceId} = ${source.id}
        and ${delay.day} > ${today} - ${literal(DELAY_DAYS)}
        and ${delay.day} <= ${today}`,
    )}`,
  }) as const;

export type SourceRow = RowOf<ReturnType<typeof reportingSource>>;

/** The sources of a municipality, by code: for use after `from`. */
export const sourcesOf = (municipality: SQL): SQL => sql`
  ${tableAs(sources, source)}
  left join ${tableAs(sourceImports, lastImport)} on ${lastImport.sourceId} = ${source.id}
  where ${source.municipalityId} = ${municipality}
  order by ${source.code}`;

/** The source of a row. */
export const sourceOf = (row: SourceRow): FoundSource => ({
  code: row.code,
  name: row.name,
  active: row.active === 1,
  isSystem: row.is_system === 1,
  staleAfterMinutes: row.stale_after_minutes,
  lastOutcome: row.last_outcome,
  lastSuccessfulAt: nullableInstant(row.last_successful_at),
  delays: parsed(row.delays).map(([day, step, count]) => ({ day, step, count })),
});
