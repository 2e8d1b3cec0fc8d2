import type { Instant } from '../domain/instant.ts';
import type { SessionTimes } from '../domain/parking-session.ts';
import { SESSION_WINDOW_MS } from '../domain/parking-session.ts';
import type { PaidSpan } from '../domain/patrol/paid-hours.ts';
import { doubtsEveryPlate } from '../domain/patrol/rejected-lines.ts';
import type { Tolerance } from '../domain/patrol/standing.ts';
import { type Plate, storedPlate } from '../domain/plate.ts';
import { MAX_PLATE_SESSIONS, MAX_READ_SUBSCRIPTIONS } from '../domain/plate-bounds.ts';
import type { Subscription } from '../domain/subscription.ts';
import { type Area, areaOf } from '../entitlement/facts.ts';
import type { AreaTuple } from '../entitlement/facts-statements.ts';
import type {
  FoundMunicipality,
  MunicipalityFinding,
  MunicipalitySearch,
} from '../lookups/municipality-choice.ts';
import { findingOf, municipalityParameters } from '../lookups/municipality-table.ts';
import { MAX_SPANS, subscriptionOf } from '../lookups/plate-subscriptions-table.ts';
import { type FoundSource, sourceOf, todayOf } from '../lookups/reporting-sources-table.ts';
import {
  type AreaRow,
  type FoundSourceRow,
  type HeldTuple,
  type OwnSessionsRow,
  type OwnSessionsTuple,
  type PlaceRow,
  type SeenTuple,
  type SimilarRow,
  STATEMENTS,
  sessionOf,
} from './facts-statements.ts';
import { rejectedFrom, untoldIn } from './rejected-table.ts';
import { readAgain, type SimilarFacts, similarOf, similarStatements } from './similar-statements.ts';

/** A sighting, as it is looked up. */
export interface Asked {
  /** Null for one that is refused for its plate: nothing is read. */
  readonly plate: Plate | null;
  readonly areaCode: string;
  readonly seenAt: Instant;
  /** A camera's other readings, each once. */
  readonly alternatives: readonly Plate[];
  /** Plates that it may have been taken for: the other readings, and what one slip makes of it. */
  readonly similar: readonly Plate[];
}

export interface PatrolQuery {
  readonly sightings: readonly Asked[];
  readonly now: Instant;
}

/** An area of the municipality, with when it must be paid for. */
export interface PatrolArea extends Area {
  /** Null: always. */
  readonly paidHours: readonly PaidSpan[] | null;
}

/** A session, and the area where it is. */
interface PlacedSession extends SessionTimes {
  readonly sourceCode: string;
  readonly area: Area;
}

/** What is known of a sighting's plate. */
export interface OwnFacts {
  /** In all areas, around all instants at which the plate was seen. */
  readonly sessions: readonly PlacedSession[];
  readonly subscriptions: readonly Subscription[];
  /** When its unsettled payments were collected, the last ones. */
  readonly unsettledPayments: readonly number[];
  /** The active areas that limited subscriptions name, the first of each: names by code. */
  readonly limitedTo: ReadonlyMap<string, string>;
  readonly sessionsAreWhole: boolean;
  readonly subscriptionsAreWhole: boolean;
}

export interface PatrolMunicipality extends FoundMunicipality {
  readonly name: string;
  readonly timeZone: string;
  readonly plateCheckEnabled: boolean;
  readonly subscriptionsEnabled: boolean;
  readonly holidays: readonly string[];
  readonly tolerance: Tolerance;
  /** Those that sightings name, by code. */
  readonly areas: ReadonlyMap<string, PatrolArea>;
  /** All, by code. */
  readonly sources: readonly FoundSource[];
  /** In the order of the sightings. */
  readonly own: readonly OwnFacts[];
  readonly similar: readonly (readonly SimilarFacts[])[];
  /** Whether a rejected line of the last day named a plate that is remembered. */
  readonly hasRejected: boolean;
  /** Whether a rejected line of the last day may have named any plate. */
  readonly doubtsEveryPlate: boolean;
}

/**
 * Everything that findings depend on, in one round trip, with one statement per kind of row, however many sightings there are.
 * A second one is for the rare similar plate that has more rows than the first one reads.
 */
export async function readPatrol(
  db: D1DatabaseSession,
  search: MunicipalitySearch,
  { sightings, now }: PatrolQuery,
): Promise<MunicipalityFinding<PatrolMunicipality>> {
  const { by } = search;
  const parameters = municipalityParameters(search);
  const seen = seenOnce(sightings);
  const tuples = [...seen.values()];
  const list = JSON.stringify(tuples);
  const ofSeen = (name: 'areas' | 'sessions' | 'subscriptions') =>
    db.prepare(STATEMENTS[name][by]()).bind(...parameters, list);
  const results = await db.batch([
    db.prepare(STATEMENTS.places[by]()).bind(...parameters, rejectedFrom(now)),
    ofSeen('areas'),
    ofSeen('sessions'),
    ofSeen('subscriptions'),
    ...similarStatements(db, search, tuples),
    db.prepare(STATEMENTS.sources[by]()).bind(...parameters, list, todayOf(now)),
  ]);
  // In the order of the statements, whose rows they are.
  const [places, ...kinds] = results as [
    D1Result<PlaceRow>,
    D1Result<AreaRow>,
    D1Result<OwnSessionsRow>,
    D1Result<HeldRow>,
    D1Result<SimilarRow>,
    D1Result<SimilarRow>,
    D1Result<FoundSourceRow>,
  ];
  const { tenantActive, rows } = findingOf(places.results);
  return {
    tenantActive,
    municipalities: await Promise.all(
      rows.map(async ({ row, place }) => {
        const [areas, sessions, subscriptions, similarSessions, similarSubscriptions, sources] = kinds.map(
          ({ results: all }) => all.filter(({ municipality }) => municipality === place.code),
        ) as [AreaRow[], OwnSessionsRow[], HeldRow[], SimilarRow[], SimilarRow[], FoundSourceRow[]];
        const similar = similarOf(similarSessions, similarSubscriptions);
        const similarByNumber = Map.groupBy(
          await readAgain(db, search, place.code, tuples, similar),
          ({ number }) => number,
        );
        const owns = tuples.map(([plate], number) => ownOf(plate, sessions[number], subscriptions[number]));
        const numbers = new Map([...seen.keys()].map((plate, number) => [plate, number]));
        const numberOf = ({ plate }: Asked) => (plate === null ? undefined : numbers.get(plate));
        return {
          ...place,
          // Not null where the row has a municipality.
          name: row.name ?? '',
          timeZone: row.time_zone ?? '',
          plateCheckEnabled: row.plate_check_enabled === 1,
          subscriptionsEnabled: row.subscriptions_enabled === 1,
          holidays: JSON.parse(row.holidays ?? '[]') as string[],
          tolerance: {
            observationMinutes: row.observation_minutes ?? 0,
            overstayMinutes: row.overstay_minutes ?? 0,
          },
          areas: new Map(areas.map(patrolAreaOf).map((area) => [area.code, area])),
          sources: sources.map(sourceOf),
          hasRejected: row.has_rejected === 1,
          doubtsEveryPlate: doubtsEveryPlate(untoldIn(row.untold)),
          own: sightings.map((asked) => owns[numberOf(asked) ?? -1] ?? NOTHING_READ),
          similar: sightings.map((asked) =>
            (similarByNumber.get(numberOf(asked) ?? -1) ?? []).filter(({ plate }) =>
              asked.similar.includes(plate),
            ),
          ),
        };
      }),
    ),
    fromPrimary: true,
  };
}

interface HeldRow {
  readonly municipality: string;
  readonly number: number;
  /** JSON of a {@link HeldTuple}; null where the municipality has no subscriptions. */
  readonly held: string | null;
}

/**
 * What to read for each plate, once however often it was seen: its areas, and the time from the first sighting to the last,
 * widened by the plate check's window, which is further than any tolerance.
 */
function seenOnce(sightings: readonly Asked[]): ReadonlyMap<Plate, SeenTuple> {
  const byPlate = Map.groupBy(sightings, ({ plate }) => plate);
  return new Map(
    [...byPlate].flatMap(([plate, some]): [Plate, SeenTuple][] => {
      if (plate === null) {
        return [];
      }
      const instants = some.map(({ seenAt }) => seenAt);
      return [
        [
          plate,
          [
            plate,
            [...new Set(some.map(({ areaCode }) => areaCode))],
            Math.min(...instants) - SESSION_WINDOW_MS,
            Math.max(...instants) + SESSION_WINDOW_MS,
            [...new Set(some.flatMap(({ similar }) => similar))],
          ],
        ],
      ];
    }),
  );
}

function patrolAreaOf({ area, paid_hours }: AreaRow): PatrolArea {
  return {
    ...areaOf(JSON.parse(area) as AreaTuple),
    paidHours: paid_hours === null ? null : (JSON.parse(paid_hours) as PaidSpan[]),
  };
}

function ownOf(
  plate: string,
  sessionsRow: OwnSessionsRow | undefined,
  heldRow: HeldRow | undefined,
): OwnFacts {
  const [lookedAt, sessions] = JSON.parse(sessionsRow?.sessions ?? '[0, []]') as OwnSessionsTuple;
  const [spans, found, held] = JSON.parse(heldRow?.held ?? '[0, 0, []]') as HeldTuple;
  return {
    sessions: sessions.map(([session, area]) => ({
      ...sessionOf(session),
      sourceCode: session[0],
      area: areaOf(area),
    })),
    subscriptions: held.map(([tuple, validIn, others]) =>
      subscriptionOf(tuple, storedPlate(plate), [...validIn, ...(others ?? []).map(([code]) => code)]),
    ),
    unsettledPayments: JSON.parse(sessionsRow?.unsettled ?? '[]') as number[],
    limitedTo: new Map(held.flatMap(([, , others]) => others ?? [])),
    sessionsAreWhole: lookedAt <= MAX_PLATE_SESSIONS,
    subscriptionsAreWhole: areWhole(spans, found),
  };
}

const areWhole = (spans: number, found: number): boolean =>
  spans <= MAX_SPANS && found <= MAX_READ_SUBSCRIPTIONS;

/** For a sighting without a valid plate. */
export const NOTHING_READ: OwnFacts = ownOf('', undefined, undefined);
