import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Facility } from '../../domain/facility-access.ts';
import { type Instant, instant, nullableInstant } from '../../domain/instant.ts';
import type { ParkingSession } from '../../domain/parking-session.ts';
import type { Plate } from '../../domain/plate.ts';
import { MAX_READ_SESSIONS, MAX_READ_SUBSCRIPTIONS, type Unread } from '../../domain/plate-bounds.ts';
import type { Subscription } from '../../domain/subscription.ts';
import type {
  FoundMunicipality,
  MunicipalityFinding,
  MunicipalitySearch,
} from '../../serving/lookups/municipality.ts';
import {
  findingOf,
  fromMunicipalities,
  municipality,
  municipalityColumns,
  SEARCH,
  searchValues,
} from '../../serving/lookups/municipality-table.ts';
import { areas, subscriptionAreas } from '../../storage/db/schema/index.ts';
import {
  type Json,
  jsonArray,
  type Prepared,
  parsed,
  primaryKeyOf,
  type RowOf,
  type TupleOf,
  tableAs,
} from '../../storage/db/sql.ts';
import { all, type Parameters, select, statement, type ValuesOf, value } from '../../storage/db/statement.ts';
import {
  allowedThen,
  MAX_SPANS,
  type SubscriptionTuple,
  subscription,
  subscriptionJson,
  subscriptionJsonThen,
  subscriptionOf,
  subscriptionsHeld,
  subscriptionsHeldThen,
} from './plate-subscriptions-table.ts';
import {
  askedArea,
  type CheckParameters,
  type SessionTuple,
  type sessionArea,
  sessionsJson,
} from './session-parts.ts';

const allowedArea = alias(subscriptionAreas, 'allowed_area');

/** What is read of an area. */
export const areaValues = (of: typeof askedArea | typeof sessionArea) =>
  [
    of.code,
    of.name,
    of.areaType,
    of.active,
    of.serviceEnabled,
    of.plateControlEnabled,
    of.subscriptionAccess,
    of.entryGraceMinutes,
    of.exitGraceMinutes,
  ] as const;
export type AreaTuple = TupleOf<ReturnType<typeof areaValues>>;

type ListedSubscriptionTuple = [subscription: SubscriptionTuple, validHere: number];

/** How many spans of the plate and subscriptions were looked at, and those that are read. */
type SubscriptionsTuple = [spans: number, found: number, subscriptions: ListedSubscriptionTuple[]];

const CHECK = {
  ...SEARCH,
  areaCode: value<string | null>(),
  plate: value<Plate>(),
  at: value<Instant>(),
};
const CHECK_THEN = { ...CHECK, knownAt: value<Instant>() };

type CheckOf = Parameters<ValuesOf<typeof CHECK>> & Pick<CheckParameters, 'knownAt'>;

const isAllowed = sql`exists (
  select 1
  from ${tableAs(subscriptionAreas, allowedArea, primaryKeyOf(subscriptionAreas))}
  where ${allowedArea.subscriptionId} = ${subscription.id}
    and ${allowedArea.areaId} = ${askedArea.id}
)`;

/**
 * Reads only the requested area of a limited subscription. What was known at an instant is judged by the configuration of then,
 * which may have had subscriptions.
 */
const subscriptionsJson = ({ plate, at, areaCode, knownAt }: CheckOf): SQL =>
  knownAt === null
    ? sql`
      case when ${municipality.subscriptionsEnabled}
        then ${subscriptionsHeld(plate, jsonArray([subscriptionJson(at), isAllowed]))}
      end`
    : subscriptionsHeldThen(
        plate,
        knownAt,
        jsonArray([subscriptionJsonThen(at), sql`coalesce(${allowedThen(areaCode)}, ${isAllowed})`]),
      );

const selection = (check: CheckOf, inArea: boolean, withSubscriptions: boolean) =>
  ({
    ...municipalityColumns(check),
    name: sql<string | null>`${municipality.name}`,
    time_zone: sql<string | null>`${municipality.timeZone}`,
    plate_check_enabled: sql<number | null>`${municipality.plateCheckEnabled}`,
    subscriptions_enabled: sql<number | null>`${municipality.subscriptionsEnabled}`,
    area: sql<Json<AreaTuple> | null>`
      case when ${askedArea.id} is not null
        then ${jsonArray(areaValues(askedArea))}
      end`,
    sessions: sessionsJson(check, inArea),
    subscriptions: sql<Json<SubscriptionsTuple> | null>`${withSubscriptions ? subscriptionsJson(check) : sql`null`}`,
  }) as const;

/** A row a municipality. */
type FactsRow = RowOf<ReturnType<typeof selection>>;

const facts = (
  by: MunicipalitySearch['by'],
  check: CheckOf,
  inArea: boolean,
  withSubscriptions: boolean,
): SQL<FactsRow> =>
  select(
    selection(check, inArea, withSubscriptions),
    fromMunicipalities(
      by,
      check,
      sql`
        left join ${tableAs(areas, askedArea)}
          on ${askedArea.municipalityId} = ${municipality.id}
          and ${askedArea.code} = ${check.areaCode}`,
    ),
  );

const reading = (by: MunicipalitySearch['by'], inArea: boolean) => ({
  now: statement(CHECK, (check) => facts(by, { ...check, knownAt: null }, inArea, true)),
  known: statement(CHECK_THEN, (check) => facts(by, check, inArea, true)),
  sessionsAlone: statement(CHECK, (check) => facts(by, { ...check, knownAt: null }, inArea, false)),
});

const ofSearch = (by: MunicipalitySearch['by']) => ({
  inArea: reading(by, true),
  everywhere: reading(by, false),
});

const STATEMENTS = {
  code: ofSearch('code'),
  grant: ofSearch('grant'),
} as const;

/** The statements that read the facts for a check: `now`, `known` at an instant, or `sessionsAlone`. */
export function statementsFor(by: MunicipalitySearch['by'], areaCode: string | null) {
  const { inArea, everywhere } = STATEMENTS[by];
  return areaCode === null ? everywhere : inArea;
}

/** What a check asks about a plate. */
export interface FactsQuery {
  readonly plate: Plate;
  readonly areaCode: string | null;
  readonly at: Instant;
  /** V1 answers only sessions. */
  readonly withSubscriptions: boolean;
}

/** What the database holds of a plate, and of the municipality and area of the check. */
export type PlateFacts = MunicipalityFinding<CheckedMunicipality>;

/** A municipality, with what it holds of the plate. */
export interface CheckedMunicipality extends FoundMunicipality {
  readonly name: string;
  readonly timeZone: string;
  readonly plateCheckEnabled: boolean;
  readonly subscriptionsEnabled: boolean;
  /** The area asked for, if it exists. */
  readonly area: Area | null;
  /** What the plate has more of than may be stored of one: such a call fails. */
  readonly unread: readonly Unread[];
  /** Of the area when one was asked for. */
  readonly sessions: readonly ParkingSession[];
  readonly subscriptions: readonly Subscription[];
}

export interface Area {
  readonly code: string;
  readonly name: string;
  readonly active: boolean;
  /** Null for a street. */
  readonly facility: Facility | null;
}

/**
 * Everything that a plate check depends on, in one statement and one round trip. It reads only rows of the plate, the
 * municipality and the area.
 */
export const readPlateFacts = async (
  db: D1Database,
  search: MunicipalitySearch,
  query: FactsQuery,
): Promise<PlateFacts> => plateFactsOf(await all(plateFactsStatement(db, search, query)), query);

/**
 * The statement of {@link readPlateFacts}, for a batch of several.
 *
 * @param knownAt for what was known then of the plate, by today's configuration. Null: today's
 */
export function plateFactsStatement(
  db: D1Database,
  search: MunicipalitySearch,
  query: FactsQuery,
  knownAt: Instant | null = null,
): Prepared<FactsRow> {
  const { areaCode, plate, at, withSubscriptions } = query;
  const { now, known, sessionsAlone } = statementsFor(search.by, areaCode);
  const values = { ...searchValues(search), areaCode, plate, at };
  if (knownAt !== null) {
    return known.prepare(db, { ...values, knownAt });
  }
  return (withSubscriptions ? now : sessionsAlone).prepare(db, values);
}

/** The facts that this statement has read. */
export function plateFactsOf({ results }: D1Result<FactsRow>, query: FactsQuery): PlateFacts {
  const { tenantActive, rows } = findingOf(results);
  return {
    tenantActive,
    municipalities: rows.map(({ row, place }) => ({
      ...place,
      // Not null where the row has a municipality.
      name: row.name ?? '',
      timeZone: row.time_zone ?? '',
      plateCheckEnabled: row.plate_check_enabled === 1,
      subscriptionsEnabled: row.subscriptions_enabled === 1,
      area: areaIn(row),
      ...plateOf(row, query),
    })),
  };
}

const NO_SUBSCRIPTIONS: SubscriptionsTuple = [0, 0, []];

/** The plate's part of a row. */
function plateOf(
  row: FactsRow,
  query: FactsQuery,
): Pick<CheckedMunicipality, 'unread' | 'sessions' | 'subscriptions'> {
  const [lookedAt, sessions] = parsed(row.sessions);
  const [spans, found, subscriptions] =
    row.subscriptions === null ? NO_SUBSCRIPTIONS : parsed(row.subscriptions);
  return {
    unread: [
      ...(lookedAt > MAX_READ_SESSIONS ? (['sessions'] as const) : []),
      ...(spans > MAX_SPANS || found > MAX_READ_SUBSCRIPTIONS ? (['subscriptions'] as const) : []),
    ],
    sessions: sessions.map((tuple) => sessionOf(tuple, query)),
    subscriptions: subscriptions.map((tuple) => listedSubscriptionOf(tuple, query)),
  };
}

const areaIn = ({ area }: FactsRow): Area | null => (area === null ? null : areaOf(parsed(area)));

/** The area of a tuple. */
export function areaOf(tuple: AreaTuple): Area {
  const [code, name, areaType, active, service, control, subscriptions, entry, exit] = tuple;
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

const sessionOf = (
  [sessionId, sourceCode, startsAt, endsAt, cancelledAt, maxHours, areaCode, areaName]: SessionTuple,
  { plate }: FactsQuery,
): ParkingSession => ({
  sessionId,
  plate,
  area: { code: areaCode, name: areaName },
  sourceCode,
  startsAt: instant(startsAt),
  endsAt: nullableInstant(endsAt),
  cancelledAt: nullableInstant(cancelledAt),
  // Read only for open-ended sessions: nothing else depends on it.
  openSessionMaxHours: maxHours ?? 0,
});

const listedSubscriptionOf = (
  [tuple, validHere]: ListedSubscriptionTuple,
  { plate, areaCode }: FactsQuery,
): Subscription => subscriptionOf(tuple, plate, validHere === 1 && areaCode !== null ? [areaCode] : []);
