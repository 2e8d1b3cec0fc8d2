import { sql } from 'drizzle-orm';
import { databasesOf, getDatabase, HOME } from '../databases/bindings.ts';
import { type CameFrom, livesAt, noRow } from '../databases/lives-at.ts';
import { municipalities } from '../db/schema/index.ts';
import { columns, parameter, type RowOf, statement, tableAs } from '../db/sql.ts';
import type { Instant } from '../domain/instant.ts';
import type { Env } from '../env.ts';
import { municipality } from '../lookups/municipality-table.ts';
import {
  type FoundSource,
  reportingSource,
  type SourceRow,
  sourceOf,
  sourcesOf,
  todayOf,
} from '../lookups/reporting-sources-table.ts';

const PLACE = {
  moved_to: municipality.movedTo,
  arriving: municipality.arriving,
  stay: municipality.stay,
} as const;

/** 1: the municipality's code. */
const READ_PLACE = statement(
  () =>
    sql`select ${columns(PLACE)} from ${tableAs(municipalities, municipality)} where ${municipality.code} = ${parameter(1)}`,
);

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
  let name = HOME;
  let cameFrom: CameFrom | null = null;
  for (let hops = 0; hops < databasesOf(env).length + 2; hops += 1) {
    const db = getDatabase(env, name);
    const [places, rows] = (await db.batch([
      db.prepare(READ_PLACE()).bind(code),
      db.prepare(READ_SOURCES()).bind(code, todayOf(now)),
    ])) as [D1Result<RowOf<typeof PLACE>>, D1Result<SourceRow>];
    const [place] = places.results;
    if (place === undefined && cameFrom === null) {
      return null;
    }
    if (place === undefined) {
      throw noRow(code, name);
    }
    const { moved_to: movedTo, stay } = place;
    if (movedTo === null || livesAt({ movedTo, arriving: place.arriving === 1, stay }, cameFrom)) {
      return rows.results.map(sourceOf);
    }
    cameFrom = { name, stay };
    name = movedTo;
  }
  throw new Error(`the rows of the municipality ${code} point in a circle`);
}
