import type { Facility } from '../domain/facility-access.ts';
import { type Instant, instant, nullableInstant } from '../domain/instant.ts';
import { type ParkingSession, SESSION_WINDOW_MS } from '../domain/parking-session.ts';
import type { Plate } from '../domain/plate.ts';
import type { Subscription } from '../domain/subscription.ts';
import type { MunicipalityFinding } from '../municipality/choice.ts';
import {
  fromMunicipalities,
  municipalityParameter,
  TENANT_ACTIVE,
} from '../municipality/municipality-table.ts';
import {
  SUBSCRIPTION_JSON,
  type SubscriptionTuple,
  subscriptionOf,
  subscriptionsOfPlate,
} from '../subscriptions/plate-subscriptions-table.ts';

/** What a check wants to know. */
export interface FactsQuery {
  readonly tenantId: number;
  /** The code asked for, or all that the credential may name when none was. */
  readonly municipalities: readonly string[];
  readonly plate: Plate;
  readonly areaCode: string | null;
  readonly at: Instant;
  /** V1 answers sessions alone. */
  readonly withSubscriptions: boolean;
}

/** What the database holds of a plate, and of the place that it was asked for. */
export interface PlateFacts extends MunicipalityFinding<Municipality> {
  /** Of the only municipality: of its area when one was asked for. */
  readonly area: Area | null;
  readonly sessions: readonly ParkingSession[];
  readonly subscriptions: readonly Subscription[];
  /** Whether the primary database said it, so that a negative needs no second question. */
  readonly fromPrimary: boolean;
}

export interface Municipality {
  readonly code: string;
  readonly name: string;
  readonly timeZone: string;
  readonly plateCheckEnabled: boolean;
  readonly subscriptionsEnabled: boolean;
}

export interface Area {
  readonly code: string;
  readonly name: string;
  readonly active: boolean;
  /** Null for a street. */
  readonly facility: Facility | null;
}

/**
 * Everything that a plate check rests on, in one statement and one round trip. The rows it reads are the plate's own,
 * and the municipality's and the area's.
 *
 * @param db a session of the database: where it may read decides whether `fromPrimary` can be relied on
 */
export async function readPlateFacts(db: D1DatabaseSession, query: FactsQuery): Promise<PlateFacts> {
  const { results, meta } = await db
    .prepare(statement(query))
    .bind(...parameters(query))
    .all<FactsRow>();
  const [first] = results;
  const places = results.filter((row) => row.code !== null);
  const only = places.length === 1 ? places[0] : undefined;
  return {
    tenantActive: first?.tenant_active === 1,
    municipalities: places.map(municipalityOf),
    area: only ? areaOf(only) : null,
    sessions: only ? sessionsOf(only, query) : [],
    subscriptions: only ? subscriptionsOf(only, query) : [],
    fromPrimary: meta.served_by_primary === true,
  };
}

/** A row a municipality. The JSON columns hold arrays, since their names would be parsed again for every item. */
interface FactsRow {
  readonly tenant_active: number;
  readonly code: string | null;
  readonly name: string;
  readonly time_zone: string;
  readonly plate_check_enabled: number;
  readonly subscriptions_enabled: number;
  readonly area: string | null;
  readonly sessions: string;
  readonly subscriptions: string | null;
}

type AreaTuple = [
  code: string,
  name: string,
  areaType: string,
  active: number,
  serviceEnabled: number,
  plateControlEnabled: number,
  subscriptionAccess: number,
  entryGraceMinutes: number,
  exitGraceMinutes: number,
];

type SessionTuple = [
  sessionId: string,
  sourceCode: string,
  startsAt: number,
  endsAt: number | null,
  cancelledAt: number | null,
  openSessionMaxHours: number | null,
  areaCode: string,
  areaName: string,
];

/** Parameters: 1 tenant, 2 municipality (or a JSON list), 3 area, 4 plate, 5 and 6 the bounds of the session window. */
function parameters({ tenantId, municipalities, areaCode, plate, at }: FactsQuery): unknown[] {
  return [
    tenantId,
    municipalityParameter(municipalities),
    areaCode,
    plate,
    at - SESSION_WINDOW_MS,
    at + SESSION_WINDOW_MS,
  ];
}

function statement({ municipalities, areaCode, withSubscriptions }: FactsQuery): string {
  const inArea = areaCode !== null;
  return `
select
  ${TENANT_ACTIVE} as tenant_active,
  m.code, m.name, m.time_zone, m.plate_check_enabled, m.subscriptions_enabled,
  case when a.id is not null then json_array(
    a.code, a.name, a.area_type, a.active, a.service_enabled, a.plate_control_enabled, a.subscription_access,
    a.entry_grace_minutes, a.exit_grace_minutes
  ) end as area,
  ${inArea ? SESSIONS_IN_AREA : SESSIONS_EVERYWHERE} as sessions,
  ${withSubscriptions ? SUBSCRIPTIONS : 'null'} as subscriptions
${fromMunicipalities(municipalities, 'left join areas a on a.municipality_id = m.id and a.code = ?3')}`;
}

/** The source is asked only for a session that has no end of its own. */
const sessionColumns = (area: string): string => `
    s.session_id, s.source_code, s.starts_at, s.ends_at, s.cancelled_at,
    case when s.ends_at is null then (
      select o.open_session_max_hours from sources o
      where o.municipality_id = s.municipality_id and o.code = s.source_code
    ) end,
    ${area}`;

/** The upper bound is inclusive: the longest entry tolerance reaches a session that starts exactly 24 h later. */
const IN_WINDOW = 's.municipality_id = m.id and s.plate = ?4 and s.runs_until > ?5 and s.starts_at <= ?6';

const SESSIONS_IN_AREA = `(
  select json_group_array(json_array(${sessionColumns('a.code, a.name')}
  )) from parking_sessions s
  where ${IN_WINDOW} and s.area_id = a.id
)`;

const SESSIONS_EVERYWHERE = `(
  select json_group_array(json_array(${sessionColumns('w.code, w.name')}
  )) from parking_sessions s join areas w on w.id = s.area_id
  where ${IN_WINDOW}
)`;

/** Of a limited subscription's areas only the one asked for is read: no other can matter. */
const SUBSCRIPTIONS = `case when m.subscriptions_enabled then (
  select json_group_array(json_array(
    ${SUBSCRIPTION_JSON},
    exists (select 1 from subscription_areas x where x.subscription_id = b.id and x.area_id = a.id)
  )) from ${subscriptionsOfPlate('?4')}
) end`;

/** The shapes are those of the statement above, and of the columns' CHECKs. */
const parsed = <Tuple>(json: string): Tuple[] => JSON.parse(json) as Tuple[];

function municipalityOf(row: FactsRow): Municipality {
  return {
    code: row.code ?? '',
    name: row.name,
    timeZone: row.time_zone,
    plateCheckEnabled: row.plate_check_enabled === 1,
    subscriptionsEnabled: row.subscriptions_enabled === 1,
  };
}

function areaOf(row: FactsRow): Area | null {
  if (row.area === null) {
    return null;
  }
  const [code, name, areaType, active, service, control, subscriptions, entry, exit] = JSON.parse(
    row.area,
  ) as AreaTuple;
  return {
    code,
    name,
    active: active === 1,
    facility:
      areaType === 'facility'
        ? {
            serviceEnabled: service === 1,
            plateControlEnabled: control === 1,
            subscriptionAccess: subscriptions === 1,
            entryGraceMinutes: entry,
            exitGraceMinutes: exit,
          }
        : null,
  };
}

function sessionsOf(row: FactsRow, { plate }: FactsQuery): ParkingSession[] {
  return parsed<SessionTuple>(row.sessions).map(
    ([sessionId, sourceCode, startsAt, endsAt, cancelledAt, maxHours, areaCode, areaName]) => ({
      sessionId,
      plate,
      area: { code: areaCode, name: areaName },
      sourceCode,
      startsAt: instant(startsAt),
      endsAt: nullableInstant(endsAt),
      cancelledAt: nullableInstant(cancelledAt),
      // Read for open-ended sessions alone: nobody asks it of another.
      openSessionMaxHours: maxHours ?? 0,
    }),
  );
}

function subscriptionsOf(row: FactsRow, { plate, areaCode }: FactsQuery): Subscription[] {
  return parsed<[SubscriptionTuple, validHere: number]>(row.subscriptions ?? '[]').map(([tuple, validHere]) =>
    subscriptionOf(tuple, plate, validHere === 1 && areaCode !== null ? [areaCode] : []),
  );
}
