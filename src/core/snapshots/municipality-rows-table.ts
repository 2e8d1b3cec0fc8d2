import { and, asc, eq, gt, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { pick } from '../../base/platform/pick.ts';
import { HOUR_MS, type Instant } from '../../domain/instant.ts';
import { LOOK_AHEAD_MS } from '../../domain/occupancy.ts';
import { FOUND, OF_TENANT, selectMunicipality } from '../../serving/lookups/municipality-table.ts';
import { SHOWN_COLUMNS } from '../../storage/configuration/shown.ts';
import { db, query, read } from '../../storage/db/batch.ts';
import {
  areas,
  imports,
  municipalities,
  parkingSessions,
  sources,
  tenants,
} from '../../storage/db/schema/index.ts';
import { OPEN_FROM } from '../../storage/db/schema/sessions.ts';
import { atMost, literal, namedIn } from '../../storage/db/sql.ts';

const $ = sql.placeholder;

const MUNICIPALITY = {
  ...pick(municipalities, 'id', 'name', 'timeZone', 'country', 'holidays', 'reportEnabled'),
  ...pick(municipalities, 'publicOccupancyEnabled', 'publicMaxAgeMinutes'),
  ...pick(municipalities, 'dataProtectionUrl', 'accessibilityUrl'),
};

const NAMED = query(() => selectMunicipality(MUNICIPALITY));

/** The municipality with a code, active or not; null if it is unknown. */
export async function findMunicipality(d1: D1Database, code: string) {
  const [[municipality]] = await read(d1, [NAMED], { code });
  return municipality ?? null;
}

export type Municipality = NonNullable<Awaited<ReturnType<typeof findMunicipality>>>;

/** Neither switched off, nor being restored. */
const IS_ACTIVE = and(eq(municipalities.active, true), isNull(municipalities.restoring));

const TWO_ACTIVE = query(() =>
  db
    .select({ code: municipalities.code })
    .from(municipalities)
    .innerJoin(tenants, OF_TENANT)
    .where(and(namedIn(municipalities.code, 'among'), eq(tenants.code, $('tenant')), IS_ACTIVE))
    .limit(atMost(2)),
);

/** The codes of two at most of these municipalities, active ones of the tenant: whether there is a choice. */
export async function readTwoActive(d1: D1Database, tenant: string, among: readonly string[]) {
  const [rows] = await read(d1, [TWO_ACTIVE], { tenant, among: JSON.stringify(among) });
  return rows.map(({ code }) => code);
}

const ACTIVE = query(() =>
  db
    .select({
      ...FOUND,
      ...MUNICIPALITY,
      areasCount: sql<number>`(
        select count(*) from ${areas} where ${areas.municipalityId} = ${municipalities.id})`.as(
        'areas_count',
      ),
    })
    .from(municipalities)
    .innerJoin(tenants, OF_TENANT)
    .where(IS_ACTIVE)
    .orderBy(asc(municipalities.code)),
);

/** The active municipalities, ordered by code, each with how many areas there are to read of it. */
export async function listActiveMunicipalities(d1: D1Database) {
  const [rows] = await read(d1, [ACTIVE], {});
  return rows;
}

export type ActiveMunicipality = Awaited<ReturnType<typeof listActiveMunicipalities>>[number];

const earlier = alias(imports, 'earlier');
/** The join of a source with its last import. A subquery, so that it is found by the key. */
export const OF_LAST_IMPORT = and(
  eq(imports.sourceId, sources.id),
  sql`${imports.recordedAt} = (
    select max(${earlier.recordedAt}) from ${imports} as ${earlier} where ${earlier.sourceId} = ${sources.id})`,
);

const SOURCES = query(() =>
  db
    .select({
      ...pick(sources, 'municipalityId', 'id', 'code', 'name', 'category', 'active', 'isSystem'),
      ...pick(sources, 'staleAfterMinutes', 'openSessionMaxHours'),
      lastOutcome: imports.outcome,
      lastSuccessfulAt: imports.succeededAt,
    })
    .from(sources)
    .leftJoin(imports, OF_LAST_IMPORT)
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

/** A cross join, so that the index `parking_sessions_by_end` is sought for each municipality. */
const sessionsThat = (condition: SQL | undefined) =>
  query(() =>
    db
      .select({
        ...pick(parkingSessions, 'municipalityId', 'areaId', 'sourceCode', 'plate'),
        ...pick(parkingSessions, 'startsAt', 'endsAt', 'cancelledAt'),
      })
      .from(sql`json_each(${$('ids')}) as wanted`)
      .crossJoin(parkingSessions)
      .where(
        and(
          sql`${parkingSessions.municipalityId} = wanted.value`,
          condition,
          lte(parkingSessions.startsAt, $('lookAheadEnd')),
          or(isNull(parkingSessions.cancelledAt), gt(parkingSessions.cancelledAt, $('at'))),
        ),
      ),
  );

/** From the instant on. */
const ENDING_SESSIONS = sessionsThat(
  sql`${parkingSessions.runsUntil} > ${$('at')} and ${parkingSessions.runsUntil} < ${literal(OPEN_FROM)}`,
);

/** They stay in the index for long: only those that started recently enough to count are read. */
const OPEN_SESSIONS = sessionsThat(
  sql`${parkingSessions.runsUntil} > ${literal(OPEN_FROM)} + ${$('at')} - ${literal(HOUR_MS)} * (
      select max(${sources.openSessionMaxHours}) from ${sources} where ${sources.municipalityId} = wanted.value)`,
);

/**
 * What snapshots of municipalities are made of, in their order: sources, areas, and the sessions that may count at the instant or
 * within the hour after it. One transaction and one round trip. Each session costs one row read: counting in the database would read
 * each a second time, to sort it.
 */
export async function readRows(d1: D1Database, of: readonly Municipality[], at: Instant) {
  const [sourceRows, areaRows, ending, open] = await read(
    d1,
    [SOURCES, AREAS, ENDING_SESSIONS, OPEN_SESSIONS],
    { ids: JSON.stringify(of.map(({ id }) => id)), at, lookAheadEnd: at + LOOK_AHEAD_MS },
  );
  const sourcesOf = byMunicipality(sourceRows);
  const areasOf = byMunicipality(areaRows);
  const sessionsOf = byMunicipality([...ending, ...open]);
  return of.map((municipality) => {
    const { id } = municipality;
    return { municipality, sources: sourcesOf(id), areas: areasOf(id), sessions: sessionsOf(id) };
  });
}

/** A municipality, with the rows that its snapshot is made of. */
export type MunicipalityRows = Awaited<ReturnType<typeof readRows>>[number];

function byMunicipality<Row extends { readonly municipalityId: number }>(rows: readonly Row[]) {
  const groups = Map.groupBy(rows, (row) => row.municipalityId);
  return (id: number): readonly Row[] => groups.get(id) ?? [];
}
