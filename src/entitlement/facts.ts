import type { Facility } from '../domain/facility-access.ts';
import { type Instant, instant, nullableInstant } from '../domain/instant.ts';
import type { ParkingSession } from '../domain/parking-session.ts';
import type { Plate } from '../domain/plate.ts';
import { MAX_READ_SESSIONS, MAX_READ_SUBSCRIPTIONS, type PlateReading } from '../domain/plate-reading.ts';
import type { Subscription } from '../domain/subscription.ts';
import type {
  FoundMunicipality,
  MunicipalityFinding,
  MunicipalitySearch,
} from '../lookups/municipality-choice.ts';
import { findingOf, municipalityParameters } from '../lookups/municipality-table.ts';
import { MAX_SPANS, subscriptionOf } from '../lookups/plate-subscriptions-table.ts';
import {
  type AreaTuple,
  type FactsRow,
  type ListedSubscriptionTuple,
  type SubscriptionsTuple,
  statementFor,
} from './facts-statements.ts';
import type { ReadFirst, SessionsTuple, SessionTuple } from './session-parts.ts';

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
  /** Whether the lists below are complete, as for nearly every plate. */
  readonly reading: PlateReading;
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
 * municipality and the area. A plate with more rows than the limit costs a second statement, which reads first what may
 * matter.
 *
 * @param db a session of the database; `fromPrimary` can be relied on only if it starts at the primary
 */
export async function readPlateFacts(
  db: D1DatabaseSession,
  search: MunicipalitySearch,
  query: FactsQuery,
): Promise<PlateFacts> {
  return readWithinLimits(async (read) =>
    plateFactsOf(await plateFactsStatement(db, search, query, read).all<FactsRow>(), query),
  );
}

/**
 * Reads everything around the instant. Where that is too much, it reads again, first what may matter.
 *
 * @param isPointless whether the call cannot be answered anyway
 */
export async function readWithinLimits<Facts extends PlateFacts | { readonly now: PlateFacts }>(
  readFacts: (read: ReadFirst) => Promise<Facts>,
  isPointless: (facts: Facts) => boolean = () => false,
): Promise<Facts> {
  const facts = await readFacts('all');
  if (isPointless(facts)) {
    return facts;
  }
  const { municipalities } = 'now' in facts ? facts.now : facts;
  return municipalities.every(({ reading }) => reading.gateSessions && reading.subscriptions)
    ? facts
    : readFacts('what_matters');
}

/** The statement of {@link readPlateFacts}, for a batch of several. */
export function plateFactsStatement(
  db: D1DatabaseSession,
  search: MunicipalitySearch,
  query: FactsQuery,
  read: ReadFirst,
): D1PreparedStatement {
  const { areaCode, plate, at } = query;
  return db
    .prepare(statementFor(search.by, read, query))
    .bind(...municipalityParameters(search), areaCode, plate, at);
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

/** The plate's part of a row. The shapes are those of the statement and of the columns' CHECKs. */
function plateOf(
  row: FactsRow,
  query: FactsQuery,
): Pick<CheckedMunicipality, 'reading' | 'sessions' | 'subscriptions'> {
  const sessions = JSON.parse(row.sessions) as SessionsTuple;
  const [spans, found, subscriptions] = JSON.parse(row.subscriptions ?? '[0, 0, []]') as SubscriptionsTuple;
  return {
    reading: {
      ...sessionsReading(sessions),
      subscriptions: spans <= MAX_SPANS && found <= MAX_READ_SUBSCRIPTIONS,
    },
    sessions: (sessions.at(-1) as SessionTuple[]).map((tuple) => sessionOf(tuple, query)),
    subscriptions: subscriptions.map((tuple) => listedSubscriptionOf(tuple, query)),
  };
}

function sessionsReading(tuple: SessionsTuple): Pick<PlateReading, 'validSessions' | 'gateSessions'> {
  if (tuple.length === 2) {
    const isWhole = tuple[0] <= MAX_READ_SESSIONS;
    return { validSessions: isWhole, gateSessions: isWhole };
  }
  const [isWhole, valid, near] = tuple;
  return {
    validSessions: isWhole === 1 && valid <= MAX_READ_SESSIONS,
    gateSessions: isWhole === 1 && near <= MAX_READ_SESSIONS,
  };
}

const areaIn = ({ area }: FactsRow): Area | null =>
  area === null ? null : areaOf(JSON.parse(area) as AreaTuple);

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
