import { sql } from 'drizzle-orm';
import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { municipality } from '../../serving/lookups/municipality-table.ts';
import {
  type FoundSource,
  reportingSource,
  type SourceRow,
  sourceOf,
  sourcesOf,
  todayOf,
} from '../../serving/lookups/reporting-sources-table.ts';
import { readWhereItLives } from '../../serving/lookups/where-it-lives-table.ts';
import { municipalities } from '../../storage/db/schema/index.ts';
import { columns, parameter, statement, tableAs } from '../../storage/db/sql.ts';

/** 1: the municipality's code; 2: today. */
const READ_SOURCES = statement(
  () => sql`select ${columns(reportingSource(parameter(2)))}
from ${sourcesOf(sql`(select ${municipality.id} from ${tableAs(municipalities, municipality)} where ${municipality.code} = ${parameter(1)})`)}`,
);

/** The sources of a municipality, read where it lives. Null for an unknown one. */
export async function readSources(
  env: Env,
  code: string,
  now: Instant,
): Promise<readonly FoundSource[] | null> {
  const found = await readWhereItLives<SourceRow>(env, code, (db) =>
    db.prepare(READ_SOURCES()).bind(code, todayOf(now)),
  );
  return found === null ? null : found.rows.map(sourceOf);
}
