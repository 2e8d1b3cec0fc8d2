import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Facility } from '../../domain/facility-access.ts';
import { type Instant, instant, nullableInstant } from '../../domain/instant.ts';
import type { ParkingSession } from '../../domain/parking-session.ts';
import type { Plate } from '../../domain/plate.ts';
import { MAX_READ_SESSIONS, MAX_READ_SUBSCRIPTIONS, type Unread } from '../../domain/plate-bounds.ts';
import type { Subscription } from '../../domain/subscription.ts';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import {
  BY_CODE,
  foundIn,
  fromMunicipality,
  MUNICIPALITY,
  municipality,
} from '../../serving/lookups/municipality-table.ts';
import { retry, TRIES_WHILE_WAITING } from '../../storage/db/retry.ts';
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
  ...BY_CODE,
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
    ...MUNICIPALITY,
    name: municipality.name,
    time_zone: municipality.timeZone,
    plate_check_enabled: municipality.plateCheckEnabled,
    subscriptions_enabled: municipality.subscriptionsEnabled,
    area: sql<Json<AreaTuple> | null>`
      case when ${askedArea.id} is not null
        then ${jsonArray(areaValues(askedArea))}
      end`,
    sessions: sessionsJson(check, inArea),
    subscriptions: sql<Json<SubscriptionsTuple> | null>`${withSubscriptions ? subscriptionsJson(check) : sql`null`}`,
  }) as const;

/** The municipality's row. */
type FactsRow = RowOf<ReturnType<typeof selection>>;

const facts = (check: CheckOf, inArea: boolean, withSubscriptions: boolean): SQL<FactsRow> =>
  select(
    selection(check, inArea, withSubscriptions),
    fromMunicipality(
      check,
      sql`
        left join ${tableAs(areas, askedArea)}
          on ${askedArea.municipalityId} = ${municipality.id}
          and ${askedArea.code} = ${check.areaCode}`,
    ),
  );

/** The statements that read the facts for a check: `now`, `known` at an instant, or `sessionsAlone`. */
const reading = (inArea: boolean) => ({
  now: statement(CHECK, (check) => facts({ ...check, knownAt: null }, inArea, true)),
  known: statement(CHECK_THEN, (check) => facts(check, inArea, true)),
  sessionsAlone: statement(CHECK, (check) => facts({ ...check, knownAt: null }, inArea, false)),
});

const STATEMENTS = { inArea: reading(true), everywhere: reading(false) } as const;

/** The text that the first plate check of an isolate needs. */
export const FIRST_STATEMENT = STATEMENTS.inArea.now;

/** What a check asks about a plate. */
export interface FactsQuery {
  readonly plate: Plate;
  readonly areaCode: string | null;
  readonly at: Instant;
  /** V1 answers only sessions. */
  readonly withSubscriptions: boolean;
}

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
 * municipality and the area. Null for an unknown municipality.
 */
export const readPlateFacts = (
  db: D1Database,
  code: string,
  query: FactsQuery,
): Promise<CheckedMunicipality | null> =>
  retry(
    async () => plateFactsOf(await all(plateFactsStatement(db, code, query)), query),
    TRIES_WHILE_WAITING,
  );

/**
 * The statement of {@link readPlateFacts}, for a batch of several.
 *
 * @param knownAt for what was known then of the plate, by today's configuration. Null: today's
 */
export function plateFactsStatement(
  db: D1Database,
  code: string,
  query: FactsQuery,
  knownAt: Instant | null = null,
): Prepared<FactsRow> {
  const { areaCode, plate, at, withSubscriptions } = query;
  const { now, known, sessionsAlone } = areaCode === null ? STATEMENTS.everywhere : STATEMENTS.inArea;
  const values = { code, areaCode, plate, at };
  if (knownAt !== null) {
    return known.prepare(db, { ...values, knownAt });
  }
  return (withSubscriptions ? now : sessionsAlone).prepare(db, values);
}

/** The facts that this statement has read. */
export function plateFactsOf(
  { results: [row] }: D1Result<FactsRow>,
  query: FactsQuery,
): CheckedMunicipality | null {
  if (row === undefined) return null;
  return {
    ...foundIn(row),
    name: row.name,
    timeZone: row.time_zone,
    plateCheckEnabled: row.plate_check_enabled === 1,
    subscriptionsEnabled: row.subscriptions_enabled === 1,
    area: areaIn(row),
    ...plateOf(row, query),
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
