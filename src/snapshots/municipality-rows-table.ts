import type { AreaType } from '../db/schema/configuration.ts';
import { NEVER } from '../db/schema/sessions.ts';
import { HOUR_MS, type Instant } from '../domain/instant.ts';
import { LOOK_AHEAD_MS } from '../domain/occupancy.ts';
import type { ImportOutcome } from '../domain/source-freshness.ts';

/** What the database holds of an active municipality that its snapshot is made of. */
export interface MunicipalityRows {
  readonly municipality: MunicipalityRow;
  readonly sources: readonly SourceRow[];
  readonly areas: readonly AreaRow[];
  readonly sessions: readonly SessionRow[];
}

interface OfMunicipality {
  readonly municipality_id: number;
}

export interface MunicipalityRow extends OfMunicipality {
  readonly code: string;
  readonly name: string;
  readonly time_zone: string;
  readonly tenant_id: number;
  readonly tenant_active: number;
  readonly report_enabled: number;
}

export interface SourceRow extends OfMunicipality {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly category: string;
  readonly active: number;
  readonly is_system: number;
  readonly stale_after_minutes: number;
  readonly open_session_max_hours: number;
  readonly last_outcome: ImportOutcome | null;
  readonly last_successful_at: number | null;
}

export interface AreaRow extends OfMunicipality {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly area_type: AreaType;
  readonly capacity: number | null;
}

export interface SessionRow extends OfMunicipality {
  readonly area_id: number;
  readonly source_code: string;
  readonly plate: string;
  readonly starts_at: number;
  readonly ends_at: number | null;
  readonly cancelled_at: number | null;
}

/** Parameter 1 is a JSON list of municipalities' ids. */
const MUNICIPALITIES = `
select m.id as municipality_id, m.code, m.name, m.time_zone, m.tenant_id, m.tenant_active, m.report_enabled
from json_each(?1) as asked
cross join municipalities m on m.id = asked.value and m.active`;

const SOURCES = `
select o.municipality_id, o.id, o.code, o.name, o.category, o.active, o.is_system, o.stale_after_minutes,
  o.open_session_max_hours, i.last_outcome, i.last_successful_at
from json_each(?1) as asked
cross join sources o on o.municipality_id = asked.value
left join source_imports i on i.source_id = o.id
order by o.municipality_id, o.code`;

const AREAS = `
select a.municipality_id, a.id, a.code, a.name, a.area_type, a.capacity
from json_each(?1) as asked
cross join areas a on a.municipality_id = asked.value and a.active
order by a.municipality_id, a.code`;

/**
 * Parameter 2 is the instant, parameter 3 the furthest that is looked ahead to. The index `parking_sessions_by_end` is
 * read from the instant on. Of open-ended sessions, which it has at its end, only those are read that started within
 * the patience of the municipality's most patient source: forgotten stops stay in the database for long.
 */
const SESSIONS = `
select s.municipality_id, s.area_id, s.source_code, s.plate, s.starts_at, s.ends_at, s.cancelled_at
from json_each(?1) as asked
cross join parking_sessions s
  on s.municipality_id = asked.value and s.runs_until > ?2 and s.runs_until < ${NEVER}
where s.starts_at <= ?3 and (s.cancelled_at is null or s.cancelled_at > ?2)
union all
select s.municipality_id, s.area_id, s.source_code, s.plate, s.starts_at, s.ends_at, s.cancelled_at
from json_each(?1) as asked
cross join parking_sessions s
  on s.municipality_id = asked.value and s.runs_until = ${NEVER}
  and s.starts_at > ?2 - ${HOUR_MS} * (
    select max(o.open_session_max_hours) from sources o where o.municipality_id = asked.value
  )
  and s.starts_at <= ?3
where s.cancelled_at is null or s.cancelled_at > ?2`;

/**
 * Reads active municipalities, and of their sessions those that may count at the instant or within the hour after it,
 * in one transaction and one round trip, from the primary database. Each session is one row read: counting them in
 * the database would read every one again for its sorting.
 *
 * @returns the rows by municipality; nothing of one that is not active
 */
export async function readMunicipalities(
  db: D1Database,
  ids: readonly number[],
  at: Instant,
): Promise<ReadonlyMap<number, MunicipalityRows>> {
  const asked = JSON.stringify(ids);
  const [municipalities, sources, areas, sessions] = await db.batch([
    db.prepare(MUNICIPALITIES).bind(asked),
    db.prepare(SOURCES).bind(asked),
    db.prepare(AREAS).bind(asked),
    db.prepare(SESSIONS).bind(asked, at, at + LOOK_AHEAD_MS),
  ]);
  const sourcesOf = byMunicipality<SourceRow>(sources);
  const areasOf = byMunicipality<AreaRow>(areas);
  const sessionsOf = byMunicipality<SessionRow>(sessions);
  return new Map(
    rowsOf<MunicipalityRow>(municipalities).map((municipality) => {
      const { municipality_id: id } = municipality;
      return [id, { municipality, sources: sourcesOf(id), areas: areasOf(id), sessions: sessionsOf(id) }];
    }),
  );
}

/** An active municipality, and how much there is to read of it. */
export interface ListedMunicipality {
  readonly id: number;
  readonly code: string;
  readonly areasCount: number;
}

const ACTIVE = `
select m.id, m.code, (select count(*) from areas a where a.municipality_id = m.id) as areasCount
from municipalities m
where m.active
order by m.id`;

export async function listActiveMunicipalities(db: D1Database): Promise<readonly ListedMunicipality[]> {
  const { results } = await db.prepare(ACTIVE).all<ListedMunicipality>();
  return results;
}

const OF_TENANTS = `
select m.code from municipalities m join tenants t on t.id = m.tenant_id
where t.code in (select value from json_each(?1))`;

/** The codes of all municipalities of these tenants. */
export async function listMunicipalitiesOf(db: D1Database, tenants: readonly string[]): Promise<string[]> {
  const { results } = await db.prepare(OF_TENANTS).bind(JSON.stringify(tenants)).all<{ code: string }>();
  return results.map(({ code }) => code);
}

/** The shape is that of the statement. */
const rowsOf = <Row>(result: D1Result | undefined): Row[] => (result?.results ?? []) as Row[];

function byMunicipality<Row extends OfMunicipality>(result: D1Result | undefined) {
  const groups = Map.groupBy(rowsOf<Row>(result), (row) => row.municipality_id);
  return (id: number): readonly Row[] => groups.get(id) ?? [];
}
