import { and, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { areas, sources, subscriptionTypes } from '../db/schema/index.ts';
import { columns, type RowOf, statement } from '../db/sql.ts';
import { DATABASE_CLOCK } from '../db/writable.ts';
import type {
  FoundMunicipality,
  MunicipalityFinding,
  MunicipalitySearch,
} from '../lookups/municipality-choice.ts';
import {
  findingOf,
  fromMunicipalities,
  MUNICIPALITY_COLUMNS,
  m,
  municipalityParameters,
} from '../lookups/municipality-table.ts';
import { type ErasedPlate, erasedPlatesOf } from './erased-table.ts';
import type { SubscriptionCodes } from './subscription-line.ts';

/** The municipality that an import is for. */
export interface Municipality extends FoundMunicipality {
  readonly id: number;
  /** Whether its writes are stopped, since its move is at its end. */
  readonly isStopped: boolean;
}

const SELECTION = {
  ...MUNICIPALITY_COLUMNS,
  id: sql<number | null>`${m.id}`,
  stopped: sql<number | null>`coalesce(${m.writesStoppedUntil}, 0) > ${DATABASE_CLOCK}`,
} as const;

const statementOf = (by: MunicipalitySearch['by']) =>
  statement(() => sql`select ${columns(SELECTION)} ${fromMunicipalities(by)}`);

const STATEMENTS = {
  code: statementOf('code'),
  credential: statementOf('credential'),
  grant: statementOf('grant'),
} as const;

/** The active ones among the municipalities of a grant, two at most, and whether the tenant is active. */
export async function readMunicipalities(
  db: D1Database,
  search: MunicipalitySearch,
): Promise<MunicipalityFinding<Municipality>> {
  const { results } = await db
    .prepare(STATEMENTS[search.by]())
    .bind(...municipalityParameters(search))
    .all<RowOf<typeof SELECTION>>();
  const { tenantActive, rows } = findingOf(results);
  // The id is not null where the row has a municipality.
  return {
    tenantActive,
    municipalities: rows.map(({ row, place }) => ({
      ...place,
      id: row.id ?? 0,
      isStopped: row.stopped === 1,
    })),
  };
}

/** The id of an active source (null for none of this code), the ids of all areas by code, and what was erased of its plates. */
export async function readSourceAndAreas(
  db: D1Database,
  municipality: Municipality,
  sourceCode: string,
): Promise<{ sourceId: number | null; areas: ReadonlyMap<string, number>; erased: ErasedPlate[] }> {
  const orm = drizzle(db);
  const [found, areaRows, erased] = await orm.batch([
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
    erasedPlatesOf(db, { municipalityId: municipality.id, kind: 'parking_session', sourceCode }),
  ]);
  return { sourceId: found[0]?.id ?? null, areas: byCode(areaRows), erased };
}

/** What the codes of a subscription import's lines mean in the municipality, and which plates were erased there. */
export async function readSubscriptionCodes(
  db: D1Database,
  municipality: Municipality,
): Promise<{ codes: SubscriptionCodes; erased: ErasedPlate[] }> {
  const orm = drizzle(db);
  const [typeRows, areaRows, erased] = await orm.batch([
    orm
      .select({ id: subscriptionTypes.id, code: subscriptionTypes.code })
      .from(subscriptionTypes)
      .where(eq(subscriptionTypes.municipalityId, municipality.id)),
    areasOf(db, municipality),
    erasedPlatesOf(db, { municipalityId: municipality.id, kind: 'subscription', sourceCode: '' }),
  ]);
  return { codes: { types: byCode(typeRows), areas: byCode(areaRows) }, erased };
}

function areasOf(db: D1Database, municipality: Municipality) {
  return drizzle(db)
    .select({ id: areas.id, code: areas.code })
    .from(areas)
    .where(eq(areas.municipalityId, municipality.id));
}

function byCode(rows: readonly { readonly id: number; readonly code: string }[]): Map<string, number> {
  return new Map(rows.map(({ id, code }) => [code, id]));
}
