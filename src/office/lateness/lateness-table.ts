import { sql } from 'drizzle-orm';
import { type Instant, utcDay } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { municipality } from '../../serving/lookups/municipality-table.ts';
import {
  type FoundSource,
  reportingSource,
  sourceOf,
  sourcesOf,
} from '../../serving/lookups/reporting-sources-table.ts';
import { readWhereItLives } from '../../serving/lookups/where-it-lives-table.ts';
import { municipalities } from '../../storage/db/schema/index.ts';
import { tableAs } from '../../storage/db/sql.ts';
import { select, statement, value } from '../../storage/db/statement.ts';

const READ_SOURCES = statement({ code: value<string>(), today: value<number>() }, ({ code, today }) =>
  select(
    reportingSource(today),
    sql`
    from ${sourcesOf(sql`(
      select ${municipality.id}
      from ${tableAs(municipalities, municipality)}
      where ${municipality.code} = ${code}
    )`)}`,
  ),
);

/** The sources of a municipality, read where it lives. Null for an unknown one. */
export async function readSources(
  env: Env,
  code: string,
  now: Instant,
): Promise<readonly FoundSource[] | null> {
  const found = await readWhereItLives(env, code, (db) =>
    READ_SOURCES.prepare(db, { code, today: utcDay(now) }),
  );
  return found === null ? null : found.rows.map(sourceOf);
}
