import type { Facility } from '../domain/facility-access.ts';
import { type Instant, instant, nullableInstant } from '../domain/instant.ts';
import { type ParkingSession, SESSION_WINDOW_MS } from '../domain/parking-session.ts';
import type { Plate } from '../domain/plate.ts';
import type { Subscription } from '../domain/subscription.ts';
import type {
  FoundMunicipality,
  MunicipalityFinding,
  MunicipalitySearch,
} from '../lookups/municipality-choice.ts';
import { findingOf, municipalityParameters } from '../lookups/municipality-table.ts';
import { subscriptionOf } from '../lookups/plate-subscriptions-table.ts';
import {
  type AreaTuple,
  type FactsRow,
  type ListedSubscriptionTuple,
  type SessionTuple,
  statementFor,
} from './facts-statements.ts';

/** What a check wants to know of a plate. */
export interface FactsQuery {
  readonly plate: Plate;
  readonly areaCode: string | null;
  readonly at: Instant;
  /** V1 answers sessions alone. */
  readonly withSubscriptions: boolean;
}

/** What the database holds of a plate, and of the place that it was asked for. */
export interface PlateFacts extends MunicipalityFinding<CheckedMunicipality> {
  /** Whether the primary database said it, so that a negative needs no second question. */
  readonly fromPrimary: boolean;
}

/** A municipality, with what it holds of the plate. */
export interface CheckedMunicipality extends FoundMunicipality {
  readonly name: string;
  readonly timeZone: string;
  readonly plateCheckEnabled: boolean;
  readonly subscriptionsEnabled: boolean;
  /** The area asked for, if there is such a one. */
  readonly area: Area | null;
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
 * Everything that a plate check rests on, in one statement and one round trip. The rows it reads are the plate's own,
 * and the municipality's and the area's.
 *
 * @param db a session of the database: where it may read decides whether `fromPrimary` can be relied on
 */
export async function readPlateFacts(
  db: D1DatabaseSession,
  search: MunicipalitySearch,
  query: FactsQuery,
): Promise<PlateFacts> {
  return plateFactsOf(await plateFactsStatement(db, search, query).all<FactsRow>(), query);
}

/** The statement of {@link readPlateFacts}, for a batch of several. */
export function plateFactsStatement(
  db: D1DatabaseSession,
  search: MunicipalitySearch,
  query: FactsQuery,
): D1PreparedStatement {
  const { areaCode, plate, at } = query;
  return db
    .prepare(statementFor(search.by, query))
    .bind(...municipalityParameters(search), areaCode, plate, at - SESSION_WINDOW_MS, at + SESSION_WINDOW_MS);
}

/** What that statement has found. */
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
      area: areaOf(row),
      sessions: sessionsOf(row, query),
      subscriptions: subscriptionsOf(row, query),
    })),
    fromPrimary: meta.served_by_primary === true,
  };
}

/** The shapes are those of the statement, and of the columns' CHECKs. */
const parsed = <Tuple>(json: string | null): Tuple[] => JSON.parse(json ?? '[]') as Tuple[];

function areaOf({ area }: FactsRow): Area | null {
  if (area === null) {
    return null;
  }
  const [code, name, areaType, active, service, control, subscriptions, entry, exit] = JSON.parse(
    area,
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
      // Read for open-ended sessions alone: nothing else depends on it.
      openSessionMaxHours: maxHours ?? 0,
    }),
  );
}

function subscriptionsOf(row: FactsRow, { plate, areaCode }: FactsQuery): Subscription[] {
  return parsed<ListedSubscriptionTuple>(row.subscriptions).map(([tuple, validHere]) =>
    subscriptionOf(tuple, plate, validHere === 1 && areaCode !== null ? [areaCode] : []),
  );
}
