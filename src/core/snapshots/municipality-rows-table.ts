import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { pick } from '../../base/platform/pick.ts';
import { HOUR_MS, type Instant } from '../../domain/instant.ts';
import { LOOK_AHEAD_MS } from '../../domain/occupancy.ts';
import { OF_TENANT } from '../../serving/lookups/municipality-table.ts';
import { SHOWN_COLUMNS } from '../../storage/configuration/shown.ts';
import { batch, db, named, query } from '../../storage/db/batch.ts';
import {
  areas,
  imports,
  municipalities,
  parkingSessions,
  sources,
  tenants,
} from '../../storage/db/schema/index.ts';
import { OPEN_END } from '../../storage/db/schema/sessions.ts';
import { literal, namedIn } from '../../storage/db/sql.ts';

/** Neither switched off, nor being restored. */
const IS_ACTIVE = and(eq(municipalities.active, true), isNull(municipalities.restoring));

const MUNICIPALITIES = query(() =>
  db
    .select({
      ...pick(municipalities, 'id', 'code', 'name', 'timeZone', 'country', 'reportEnabled', 'holidays'),
      ...pick(municipalities, 'publicMaxAgeMinutes', 'dataProtectionUrl', 'accessibilityUrl'),
      tenantCode: named(tenants.code, 'tenant_code'),
      tenantActive: named(tenants.active, 'tenant_active'),
    })
    .from(municipalities)
    .innerJoin(tenants, OF_TENANT)
    .where(and(namedIn(municipalities.id, 'ids'), IS_ACTIVE)),
);

const earlier = alias(imports, 'earlier');
/** When a source's last import ended. A subquery, so that it is found by the key. */
export const LAST_IMPORT = sql`(select max(${earlier.recordedAt}) from ${imports} as ${earlier} where ${earlier.sourceId} = ${sources.id})`;

const SOURCES = query(() =>
  db
    .select({
      ...pick(sources, 'municipalityId', 'id', 'code', 'name', 'category', 'active', 'isSystem'),
      ...pick(sources, 'staleAfterMinutes', 'openSessionMaxHours'),
      lastOutcome: imports.outcome,
      lastSuccessfulAt: imports.succeededAt,
    })
    .from(sources)
    .leftJoin(imports, and(eq(imports.sourceId, sources.id), eq(imports.recordedAt, LAST_IMPORT)))
    .where(namedIn(sources.municipalityId, 'ids'))
    .orderBy(asc(sources.code)),
);

const AREAS = query(() =>
  db
    .select({
      ...pick(areas, 'municipalityId', 'id', 'code', 'name', 'areaType', 'capacity'),
      ...pick(areas, 'latitude', 'longitude', 'paidHours', ...SHOWN_COLUMNS),
    })
    .from(areas)
    .where(and(namedIn(areas.municipalityId, 'ids'), eq(areas.active, true)))
    .orderBy(asc(areas.code)),
);

const WANTED = sql.raw('wanted.value');

/** A cross join, so that the index `parking_sessions_by_end` is sought for each municipality. */
const sessionsThat = (condition: SQL) =>
  query(() =>
    db
      .select({
        ...pick(parkingSessions, 'municipalityId', 'areaId', 'sourceCode', 'plate'),
        ...pick(parkingSessions, 'startsAt', 'endsAt', 'cancelledAt'),
      })
      .from(sql`json_each(${sql.placeholder('ids')}) as wanted`)
      .crossJoin(parkingSessions)
      .where(
        and(
          sql`${parkingSessions.municipalityId} = ${WANTED}`,
          condition,
          sql`${parkingSessions.startsAt} <= ${sql.placeholder('lookAheadEnd')}`,
          sql`(${parkingSessions.cancelledAt} is null or ${parkingSessions.cancelledAt} > ${sql.placeholder('at')})`,
        ),
      ),
  );

/** From the instant on. */
const ENDING_SESSIONS = sessionsThat(
  sql`${parkingSessions.runsUntil} > ${sql.placeholder('at')} and ${parkingSessions.runsUntil} < ${literal(OPEN_END)}`,
);

/** They stay in the index for long: only those that started recently enough to count are read. */
const OPEN_SESSIONS = sessionsThat(
  sql`${parkingSessions.runsUntil} = ${literal(OPEN_END)}
    and ${parkingSessions.startsAt} > ${sql.placeholder('at')} - ${literal(HOUR_MS)} * (
      select max(${sources.openSessionMaxHours}) from ${sources} where ${sources.municipalityId} = ${WANTED})`,
);

/**
 * Reads active municipalities, with the sessions that may count at the instant or within the hour after it, in one
 * transaction and one round trip. Each session costs one row read: counting in the database
 * would read each a second time, to sort it.
 *
 * @returns the rows by municipality's id, without municipalities that are not active
 */
export async function readMunicipalities(d1: D1Database, ids: readonly number[], at: Instant) {
  const [municipalityRows, sourceRows, areaRows, ending, open] = await batch(
    d1,
    [MUNICIPALITIES, SOURCES, AREAS, ENDING_SESSIONS, OPEN_SESSIONS],
    { ids: JSON.stringify(ids), at, lookAheadEnd: at + LOOK_AHEAD_MS },
  );
  const sourcesOf = byMunicipality(sourceRows);
  const areasOf = byMunicipality(areaRows);
  const sessionsOf = byMunicipality([...ending, ...open]);
  return new Map(
    municipalityRows.map((municipality) => {
      const { id } = municipality;
      return [id, { municipality, sources: sourcesOf(id), areas: areasOf(id), sessions: sessionsOf(id) }];
    }),
  );
}

/** The rows of an active municipality that its snapshot is made of. */
export type MunicipalityRows =
  Awaited<ReturnType<typeof readMunicipalities>> extends Map<number, infer Rows> ? Rows : never;

function byMunicipality<Row extends { readonly municipalityId: number }>(rows: readonly Row[]) {
  const groups = Map.groupBy(rows, (row) => row.municipalityId);
  return (id: number): readonly Row[] => groups.get(id) ?? [];
}

const ACTIVE = query(() =>
  db
    .select({
      ...pick(municipalities, 'id', 'code'),
      areasCount: sql<number>`(
        select count(*) from ${areas} where ${areas.municipalityId} = ${municipalities.id})`.as(
        'areas_count',
      ),
    })
    .from(municipalities)
    .where(IS_ACTIVE)
    .orderBy(asc(municipalities.id)),
);

/** The active municipalities, each with how many areas there are to read of it. */
export async function listActiveMunicipalities(d1: D1Database) {
  const [rows] = await batch(d1, [ACTIVE], {});
  return rows;
}

const PUBLIC = query(() =>
  db
    .select(pick(municipalities, 'code', 'name', 'timeZone'))
    .from(municipalities)
    .innerJoin(tenants, OF_TENANT)
    .where(and(IS_ACTIVE, eq(tenants.active, true), eq(municipalities.publicOccupancyEnabled, true)))
    .orderBy(asc(municipalities.code)),
);

/** The active municipalities of active tenants that have switched their occupancy on, ordered by code. */
export async function listPublicMunicipalities(d1: D1Database) {
  const [rows] = await batch(d1, [PUBLIC], {});
  return rows;
}
