import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { pick } from '../../base/platform/pick.ts';
import { HOUR_MS, type Instant } from '../../domain/instant.ts';
import { LOOK_AHEAD_MS } from '../../domain/occupancy.ts';
import { SHOWN_COLUMNS } from '../../storage/configuration/area-fields.ts';
import {
  areas,
  municipalities,
  parkingSessions,
  sourceImports,
  sources,
  tenants,
} from '../../storage/db/schema/index.ts';
import { OPEN_END } from '../../storage/db/schema/sessions.ts';
import { type Json, json, literal, orNull, type RowOf, tableAs } from '../../storage/db/sql.ts';
import { all, batch, select, statement, value } from '../../storage/db/statement.ts';

const municipality = alias(municipalities, 'municipality');
const area = alias(areas, 'area');
const source = alias(sources, 'source');
const lastImport = alias(sourceImports, 'last_import');
const session = alias(parkingSessions, 'session');
const tenant = alias(tenants, 'tenant');

const MUNICIPALITY = {
  municipalityId: municipality.id,
  ...pick(municipality, 'code', 'name', 'timeZone', 'country', 'tenantId', 'tenantActive', 'reportEnabled'),
  ...pick(municipality, 'publicMaxAgeMinutes', 'dataProtectionUrl', 'accessibilityUrl', 'holidays'),
} as const;
export type MunicipalityRow = RowOf<typeof MUNICIPALITY>;

const SOURCE = {
  ...pick(source, 'municipalityId', 'id', 'code', 'name', 'category', 'active', 'isSystem'),
  ...pick(source, 'staleAfterMinutes', 'openSessionMaxHours'),
  // Null for a source that has had no import yet.
  lastOutcome: orNull(lastImport.lastOutcome),
  lastSuccessfulAt: lastImport.lastSuccessfulAt,
} as const;
export type SourceRow = RowOf<typeof SOURCE>;

const AREA = {
  ...pick(area, 'municipalityId', 'id', 'code', 'name', 'areaType', 'capacity', 'latitude', 'longitude'),
  ...pick(area, 'paidHours', ...SHOWN_COLUMNS),
} as const;
export type AreaRow = RowOf<typeof AREA>;

const SESSION = {
  ...pick(session, 'municipalityId', 'areaId', 'sourceCode', 'plate'),
  ...pick(session, 'startsAt', 'endsAt', 'cancelledAt'),
} as const;
export type SessionRow = RowOf<typeof SESSION>;

/** The rows of an active municipality that its snapshot is made of. */
export interface MunicipalityRows {
  readonly municipality: MunicipalityRow;
  readonly sources: readonly SourceRow[];
  readonly areas: readonly AreaRow[];
  readonly sessions: readonly SessionRow[];
}

/** The ids of the municipalities to read. */
const WANTED = { ids: value<Json<readonly number[]>>() };
const wanted = (ids: SQL): SQL => sql`json_each(${ids}) as wanted`;
const WANTED_ID = sql`wanted.value`;

const READ_MUNICIPALITIES = statement(WANTED, ({ ids }) =>
  select(
    MUNICIPALITY,
    sql`
    from ${wanted(ids)}
    cross join ${tableAs(municipalities, municipality)}
      on ${municipality.id} = ${WANTED_ID}
      and ${municipality.active}
      and not ${municipality.restoring}`,
  ),
);

const READ_SOURCES = statement(WANTED, ({ ids }) =>
  select(
    SOURCE,
    sql`
    from ${wanted(ids)}
    cross join ${tableAs(sources, source)} on ${source.municipalityId} = ${WANTED_ID}
    left join ${tableAs(sourceImports, lastImport)} on ${lastImport.sourceId} = ${source.id}
    order by ${source.municipalityId}, ${source.code}`,
  ),
);

const READ_AREAS = statement(WANTED, ({ ids }) =>
  select(
    AREA,
    sql`
    from ${wanted(ids)}
    cross join ${tableAs(areas, area)}
      on ${area.municipalityId} = ${WANTED_ID}
      and ${area.active}
    order by ${area.municipalityId}, ${area.code}`,
  ),
);

/** The longest that any source of the municipality lets an open-ended session count, in hours. */
const OPEN_SESSION_MAX_HOURS = sql`
          select max(${source.openSessionMaxHours})
          from ${tableAs(sources, source)}
          where ${source.municipalityId} = ${WANTED_ID}`;

/**
 * The index `parking_sessions_by_end` is read from the instant on. The open-ended sessions are at its end; only those
 * that started recently enough to count are read, since sessions that were never stopped stay in the database for long.
 */
const READ_SESSIONS = statement(
  { ...WANTED, at: value<Instant>(), lookAheadEnd: value<number>() },
  ({ ids, at, lookAheadEnd }) => {
    const sessionsThat = (condition: SQL): SQL<SessionRow> =>
      select(
        SESSION,
        sql`
      from ${wanted(ids)}
      cross join ${tableAs(parkingSessions, session, 'parking_sessions_by_end')}
        on ${session.municipalityId} = ${WANTED_ID}
        and ${condition}
      where ${session.startsAt} <= ${lookAheadEnd}
        and (${session.cancelledAt} is null or ${session.cancelledAt} > ${at})`,
      );
    return sql<SessionRow>`
      ${sessionsThat(sql`
        ${session.runsUntil} > ${at}
        and ${session.runsUntil} < ${literal(OPEN_END)}`)}
      union all
      ${sessionsThat(sql`
        ${session.runsUntil} = ${literal(OPEN_END)}
        and ${session.startsAt} > ${at} - ${literal(HOUR_MS)} * (${OPEN_SESSION_MAX_HOURS})`)}`;
  },
);

/**
 * Reads active municipalities, with the sessions that may count at the instant or within the hour after it, in one
 * transaction and one round trip. Each session costs one row read: counting in the database
 * would read each a second time, to sort it.
 *
 * @returns the rows by municipality's id, without municipalities that are not active or live elsewhere
 */
export async function readMunicipalities(
  db: D1Database,
  ids: readonly number[],
  at: Instant,
): Promise<ReadonlyMap<number, MunicipalityRows>> {
  const wanted = { ids: json(ids) };
  const [municipalities, sources, areas, sessions] = await batch(db, [
    READ_MUNICIPALITIES.prepare(db, wanted),
    READ_SOURCES.prepare(db, wanted),
    READ_AREAS.prepare(db, wanted),
    READ_SESSIONS.prepare(db, { ...wanted, at, lookAheadEnd: at + LOOK_AHEAD_MS }),
  ]);
  const [sourcesOf, areasOf, sessionsOf] = [
    byMunicipality(sources),
    byMunicipality(areas),
    byMunicipality(sessions),
  ];
  return new Map(
    municipalities.results.map((municipality) => {
      const { municipalityId: id } = municipality;
      return [id, { municipality, sources: sourcesOf(id), areas: areasOf(id), sessions: sessionsOf(id) }];
    }),
  );
}

const LISTED = {
  id: municipality.id,
  code: municipality.code,
  areasCount: sql<number>`(
    select count(*)
    from ${tableAs(areas, area)}
    where ${area.municipalityId} = ${municipality.id}
  )`,
} as const;

/** An active municipality, and how much there is to read of it. */
export type ListedMunicipality = RowOf<typeof LISTED>;

const LIST_ACTIVE = statement({}, () =>
  select(
    LISTED,
    sql`
    from ${tableAs(municipalities, municipality)}
    where ${municipality.active}
      and not ${municipality.restoring}
    order by ${municipality.id}`,
  ),
);

/** The active municipalities. */
export async function listActiveMunicipalities(db: D1Database): Promise<readonly ListedMunicipality[]> {
  const { results } = await all(LIST_ACTIVE.prepare(db, {}));
  return results;
}

const LIST_OF_TENANTS = statement({ tenantCodes: value<Json<readonly string[]>>() }, ({ tenantCodes }) =>
  select(
    { code: municipality.code },
    sql`
    from ${tableAs(municipalities, municipality)}
    join ${tableAs(tenants, tenant)} on ${tenant.id} = ${municipality.tenantId}
    where ${tenant.code} in (select value from json_each(${tenantCodes}))`,
  ),
);

/** The codes of all municipalities of these tenants, which are codes too. */
export async function listMunicipalityCodes(
  db: D1Database,
  tenantCodes: readonly string[],
): Promise<string[]> {
  const { results } = await all(LIST_OF_TENANTS.prepare(db, { tenantCodes: json(tenantCodes) }));
  return results.map(({ code }) => code);
}

function byMunicipality<Row extends { readonly municipalityId: number }>({ results }: D1Result<Row>) {
  const groups = Map.groupBy(results, (row) => row.municipalityId);
  return (id: number): readonly Row[] => groups.get(id) ?? [];
}
