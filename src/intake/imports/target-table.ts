import { and, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import { municipality, municipalityReader } from '../../serving/lookups/municipality-table.ts';
import { areas, sources, subscriptionTypes } from '../../storage/db/schema/index.ts';
import { HAS_STATISTICS } from '../../storage/db/sql.ts';
import type { SubscriptionCodes } from './subscription-line.ts';

/** The municipality of an import. */
export interface Municipality extends FoundMunicipality {
  readonly id: number;
  /** Of the database. */
  readonly hasStatistics: boolean;
}

/** The municipality of a call. */
export const readMunicipality = municipalityReader({
  selection: () => ({ id: municipality.id, statistics: HAS_STATISTICS }),
  factsOf: ({ id, statistics }) => ({ id, hasStatistics: statistics === 1 }),
});

/** Reads the id of an active source (null if there is none with this code), and the ids of all areas by code. */
export async function readSourceAndAreas(
  db: D1Database,
  municipality: Municipality,
  sourceCode: string,
): Promise<{ sourceId: number | null; areas: ReadonlyMap<string, number> }> {
  const orm = drizzle(db);
  const [found, areaRows] = await orm.batch([
    orm
      .select({ id: sources.id })
      .from(sources)
      .where(
        and(
          eq(sources.municipalityId, municipality.id),
          eq(sources.code, sourceCode),
          eq(sources.active, true),
        ),
      ),
    areasOf(db, municipality),
  ]);
  return { sourceId: found[0]?.id ?? null, areas: mapByCode(areaRows) };
}

/** Reads the ids of the codes in a subscription import's lines. */
export async function readSubscriptionCodes(
  db: D1Database,
  municipality: Municipality,
): Promise<SubscriptionCodes> {
  const orm = drizzle(db);
  const [typeRows, areaRows] = await orm.batch([
    orm
      .select({ id: subscriptionTypes.id, code: subscriptionTypes.code })
      .from(subscriptionTypes)
      .where(eq(subscriptionTypes.municipalityId, municipality.id)),
    areasOf(db, municipality),
  ]);
  return { types: mapByCode(typeRows), areas: mapByCode(areaRows) };
}

function areasOf(db: D1Database, municipality: Municipality) {
  return drizzle(db)
    .select({ id: areas.id, code: areas.code })
    .from(areas)
    .where(eq(areas.municipalityId, municipality.id));
}

function mapByCode(rows: readonly { readonly id: number; readonly code: string }[]): Map<string, number> {
  return new Map(rows.map(({ id, code }) => [code, id]));
}
