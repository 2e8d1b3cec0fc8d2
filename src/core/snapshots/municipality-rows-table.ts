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
import { columns, literal, orNull, parameter, type RowOf, statement, tableAs } from '../../storage/db/sql.ts';

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

/** The municipalities to read: parameter 1 is a JSON list of their ids. */
const WANTED = sql`json_each(${parameter(1)}) as wanted`;
const WANTED_ID = sql`wanted.value`;

const readMunicipalityRows = statement(
  () => sql`select ${columns(MUNICIPALITY)} from ${WANTED}
    cross join ${tableAs(municipalities, municipality)} on ${municipality.id} = ${WANTED_ID} and ${municipality.active} and ${municipality.movedTo} is null`,
);

const readSources = statement(
  () => sql`select ${columns(SOURCE)} from ${WANTED}
    cross join ${tableAs(sources, source)} on ${source.municipalityId} = ${WANTED_ID}
    left join ${tableAs(sourceImports, lastImport)} on ${lastImport.sourceId} = ${source.id}
    order by ${source.municipalityId}, ${source.code}`,
);

const readAreas = statement(
  () => sql`select ${columns(AREA)} from ${WANTED}
    cross join ${tableAs(areas, area)} on ${area.municipalityId} = ${WANTED_ID} and ${area.active}
    order by ${area.municipalityId}, ${area.code}`,
);

/** Of sessions: the instant, and the end of the look-ahead. */
const AT = parameter(2);
const LOOK_AHEAD_END = parameter(3);

const sessionsThat = (condition: SQL): SQL => sql`select ${columns(SESSION)} from ${WANTED}
  cross join ${tableAs(parkingSessions, session, 'parking_sessions_by_end')} on ${session.municipalityId} = ${WANTED_ID} and ${condition}
  where ${session.startsAt} <= ${LOOK_AHEAD_END} and (${session.cancelledAt} is null or ${session.cancelledAt} > ${AT})`;

/** The longest that any source of the municipality lets an open-ended session count, in hours. */
const openSessionMaxHours = (): SQL =>
  sql`select max(${source.openSessionMaxHours}) from ${tableAs(sources, source)} where ${source.municipalityId} = ${WANTED_ID}`;

/**
 * The index `parking_sessions_by_end` is read from the instant on. The open-ended sessions are at its end; only those
 * that started recently enough to count are read, since sessions that were never stopped stay in the database for long.
 */
const readSessions = statement(
  () => sql`${sessionsThat(sql`${session.runsUntil} > ${AT} and ${session.runsUntil} < ${literal(OPEN_END)}`)}
    union all
    ${sessionsThat(sql`${session.runsUntil} = ${literal(OPEN_END)}
      and ${session.startsAt} > ${AT} - ${literal(HOUR_MS)} * (${openSessionMaxHours()})`)}`,
);

/**
 * Reads active municipalities, with the sessions that may count at the instant or within the hour after it, in one
 * transaction and one round trip, from the primary database. Each session costs one row read: counting in the database
 * would read each a second time, to sort it.
 *
 * @returns the rows by municipality's id, without municipalities that are not active or live elsewhere
 */
export async function readMunicipalities(
  db: D1Database,
  ids: readonly number[],
  at: Instant,
): Promise<ReadonlyMap<number, MunicipalityRows>> {
  const wanted = JSON.stringify(ids);
  const [municipalities, sources, areas, sessions] = await db.batch([
    db.prepare(readMunicipalityRows()).bind(wanted),
    db.prepare(readSources()).bind(wanted),
    db.prepare(readAreas()).bind(wanted),
    db.prepare(readSessions()).bind(wanted, at, at + LOOK_AHEAD_MS),
  ]);
  const sourcesOf = byMunicipality<SourceRow>(sources);
  const areasOf = byMunicipality<AreaRow>(areas);
  const sessionsOf = byMunicipality<SessionRow>(sessions);
  return new Map(
    rowsOf<MunicipalityRow>(municipalities).map((municipality) => {
      const { municipalityId: id } = municipality;
      return [id, { municipality, sources: sourcesOf(id), areas: areasOf(id), sessions: sessionsOf(id) }];
    }),
  );
}

const LISTED = {
  id: municipality.id,
  code: municipality.code,
  areasCount: sql<number>`(select count(*) from ${tableAs(areas, area)} where ${area.municipalityId} = ${municipality.id})`,
} as const;

/** An active municipality, and how much there is to read of it. */
export type ListedMunicipality = RowOf<typeof LISTED>;

const listActive = statement(
  () => sql`select ${columns(LISTED)} from ${tableAs(municipalities, municipality)} where ${municipality.active} and ${municipality.movedTo} is null
    order by ${municipality.id}`,
);

/** The active municipalities that live in a database. */
export async function listActiveMunicipalities(db: D1Database): Promise<readonly ListedMunicipality[]> {
  const { results } = await db.prepare(listActive()).all<ListedMunicipality>();
  return results;
}

const CODE = { code: municipality.code } as const;

const listOfTenants = statement(
  () => sql`select ${columns(CODE)} from ${tableAs(municipalities, municipality)}
    join ${tableAs(tenants, tenant)} on ${tenant.id} = ${municipality.tenantId}
    where ${tenant.code} in (select value from json_each(${parameter(1)}))`,
);

/** The codes of all municipalities of these tenants, which are codes too. */
export async function listMunicipalityCodes(
  db: D1Database,
  tenantCodes: readonly string[],
): Promise<string[]> {
  const { results } = await db
    .prepare(listOfTenants())
    .bind(JSON.stringify(tenantCodes))
    .all<RowOf<typeof CODE>>();
  return results.map(({ code }) => code);
}

/** D1 returns rows without a type: theirs is that of the statement's columns. */
const rowsOf = <Row>(result: D1Result | undefined): Row[] => (result?.results ?? []) as Row[];

function byMunicipality<Row extends { readonly municipalityId: number }>(result: D1Result | undefined) {
  const groups = Map.groupBy(rowsOf<Row>(result), (row) => row.municipalityId);
  return (id: number): readonly Row[] => groups.get(id) ?? [];
}
