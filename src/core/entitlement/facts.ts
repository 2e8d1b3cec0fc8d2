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
} from '../../serving/lookups/municipality-choice.ts';
import { findingOf, searchValues } from '../../serving/lookups/municipality-table.ts';
import { parsed } from '../../storage/db/json.ts';
import type { Prepared } from '../../storage/db/sql.ts';
import { all } from '../../storage/db/statement.ts';
import {
  type AreaTuple,
  type FactsRow,
  type ListedSubscriptionTuple,
  type SubscriptionsTuple,
  statementsFor,
} from './facts-statements.ts';
import { subscriptionOf } from './held-subscription.ts';
import { MAX_SPANS } from './plate-subscriptions-table.ts';
import type { SessionTuple } from './session-parts.ts';

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
 *
 * @param db a session of the database; `fromPrimary` can be relied on only if it starts at the primary
 */
export const readPlateFacts = async (
  db: D1DatabaseSession,
  search: MunicipalitySearch,
  query: FactsQuery,
): Promise<PlateFacts> => plateFactsOf(await all(plateFactsStatement(db, search, query)), query);

/**
 * The statement of {@link readPlateFacts}, for a batch of several.
 *
 * @param knownAt for what was known then of the plate, by today's configuration. Null: today's
 */
export function plateFactsStatement(
  db: D1DatabaseSession,
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
export function plateFactsOf({ results, meta }: D1Result<FactsRow>, query: FactsQuery): PlateFacts {
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
    fromPrimary: meta.served_by_primary === true,
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
