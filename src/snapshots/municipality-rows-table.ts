import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  areas,
  municipalities,
  parkingSessions,
  sourceImports,
  sources,
  tenants,
} from '../db/schema/index.ts';
import { OPEN_END } from '../db/schema/sessions.ts';
import { aliased, columns, literal, orNull, parameter, type RowOf, statement } from '../db/sql.ts';
import { HOUR_MS, type Instant } from '../domain/instant.ts';
import { LOOK_AHEAD_MS } from '../domain/occupancy.ts';

const m = alias(municipalities, 'm');
const a = alias(areas, 'a');
const o = alias(sources, 'o');
const i = alias(sourceImports, 'i');
const s = alias(parkingSessions, 's');
const t = alias(tenants, 't');

const MUNICIPALITY = {
  municipalityId: m.id,
  code: m.code,
  name: m.name,
  timeZone: m.timeZone,
  country: m.country,
  tenantId: m.tenantId,
  tenantActive: m.tenantActive,
  reportEnabled: m.reportEnabled,
} as const;
export type MunicipalityRow = RowOf<typeof MUNICIPALITY>;

const SOURCE = {
  municipalityId: o.municipalityId,
  id: o.id,
  code: o.code,
  name: o.name,
  category: o.category,
  active: o.active,
  isSystem: o.isSystem,
  staleAfterMinutes: o.staleAfterMinutes,
  openSessionMaxHours: o.openSessionMaxHours,
  // Null for a source that has had no import yet.
  lastOutcome: orNull(i.lastOutcome),
  lastSuccessfulAt: i.lastSuccessfulAt,
} as const;
export type SourceRow = RowOf<typeof SOURCE>;

const AREA = {
  municipalityId: a.municipalityId,
  id: a.id,
  code: a.code,
  name: a.name,
  areaType: a.areaType,
  capacity: a.capacity,
  latitude: a.latitude,
  longitude: a.longitude,
} as const;
export type AreaRow = RowOf<typeof AREA>;

const SESSION = {
  municipalityId: s.municipalityId,
  areaId: s.areaId,
  sourceCode: s.sourceCode,
  plate: s.plate,
  startsAt: s.startsAt,
  endsAt: s.endsAt,
  cancelledAt: s.cancelledAt,
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
    cross join ${aliased(municipalities, m)} on ${m.id} = ${WANTED_ID} and ${m.active} and ${m.movedTo} is null`,
);

const readSources = statement(
  () => sql`select ${columns(SOURCE)} from ${WANTED}
    cross join ${aliased(sources, o)} on ${o.municipalityId} = ${WANTED_ID}
    left join ${aliased(sourceImports, i)} on ${i.sourceId} = ${o.id}
    order by ${o.municipalityId}, ${o.code}`,
);

const readAreas = statement(
  () => sql`select ${columns(AREA)} from ${WANTED}
    cross join ${aliased(areas, a)} on ${a.municipalityId} = ${WANTED_ID} and ${a.active}
    order by ${a.municipalityId}, ${a.code}`,
);

/** Of sessions: the instant, and the end of the look-ahead. */
const AT = parameter(2);
const LOOK_AHEAD_END = parameter(3);

const sessionsThat = (condition: SQL): SQL => sql`select ${columns(SESSION)} from ${WANTED}
  cross join ${aliased(parkingSessions, s)} on ${s.municipalityId} = ${WANTED_ID} and ${condition}
  where ${s.startsAt} <= ${LOOK_AHEAD_END} and (${s.cancelledAt} is null or ${s.cancelledAt} > ${AT})`;

/** The longest that any source of the municipality lets an open-ended session count, in hours. */
const openSessionMaxHours = (): SQL =>
  sql`select max(${o.openSessionMaxHours}) from ${aliased(sources, o)} where ${o.municipalityId} = ${WANTED_ID}`;

/**
 * The index `parking_sessions_by_end` is read from the instant on. The open-ended sessions stand at its end; only those
 * that started recently enough to count are read, since sessions that were never stopped stay in the database for long.
 */
const readSessions = statement(
  () => sql`${sessionsThat(sql`${s.runsUntil} > ${AT} and ${s.runsUntil} < ${literal(OPEN_END)}`)}
    union all
    ${sessionsThat(sql`${s.runsUntil} = ${literal(OPEN_END)}
      and ${s.startsAt} > ${AT} - ${literal(HOUR_MS)} * (${openSessionMaxHours()})`)}`,
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
  id: m.id,
  code: m.code,
  areasCount: sql<number>`(select count(*) from ${aliased(areas, a)} where ${a.municipalityId} = ${m.id})`,
} as const;

/** An active municipality, and how much there is to read of it. */
export type ListedMunicipality = RowOf<typeof LISTED>;

const listActive = statement(
  () => sql`select ${columns(LISTED)} from ${aliased(municipalities, m)} where ${m.active} and ${m.movedTo} is null
    order by ${m.id}`,
);

/** The active municipalities that live in a database. */
export async function listActiveMunicipalities(db: D1Database): Promise<readonly ListedMunicipality[]> {
  const { results } = await db.prepare(listActive()).all<ListedMunicipality>();
  return results;
}

const PUBLIC = { code: m.code, name: m.name, timeZone: m.timeZone } as const;

const listPublic = statement(
  () => sql`select ${columns(PUBLIC)} from ${aliased(municipalities, m)}
    where ${m.active} and ${m.tenantActive} and ${m.publicOccupancyEnabled} order by ${m.code}`,
);

/** The active municipalities with public occupancy by the home's directory, ordered by code. */
export async function listPublicMunicipalities(db: D1Database): Promise<readonly RowOf<typeof PUBLIC>[]> {
  const { results } = await db.prepare(listPublic()).all<RowOf<typeof PUBLIC>>();
  return results;
}

const CODE = { code: m.code } as const;

const listOfTenants = statement(
  () => sql`select ${columns(CODE)} from ${aliased(municipalities, m)}
    join ${aliased(tenants, t)} on ${t.id} = ${m.tenantId}
    where ${t.code} in (select value from json_each(${parameter(1)}))`,
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
