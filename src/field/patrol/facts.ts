import { type Area, areaOf } from '../../core/entitlement/facts.ts';
import { subscriptionOf } from '../../core/entitlement/held-subscription.ts';
import { MAX_SPANS } from '../../core/entitlement/plate-subscriptions-table.ts';
import type { Instant } from '../../domain/instant.ts';
import type { SessionTimes } from '../../domain/parking-session.ts';
import { SESSION_WINDOW_MS } from '../../domain/parking-session.ts';
import type { PaidSpan } from '../../domain/patrol/paid-hours.ts';
import { doubtsEveryPlate } from '../../domain/patrol/rejected-lines.ts';
import type { Tolerance } from '../../domain/patrol/standing.ts';
import { type Plate, storedPlate } from '../../domain/plate.ts';
import { MAX_PLATE_SESSIONS, MAX_READ_SUBSCRIPTIONS } from '../../domain/plate-bounds.ts';
import type { Subscription } from '../../domain/subscription.ts';
import type { Grant } from '../../serving/access/grant.ts';
import type {
  FoundMunicipality,
  MunicipalityFinding,
  MunicipalitySearch,
} from '../../serving/lookups/municipality-choice.ts';
import { findingOf, searchValues } from '../../serving/lookups/municipality-table.ts';
import { type FoundSource, sourceOf, todayOf } from '../../serving/lookups/reporting-sources-table.ts';
import { json, parsed } from '../../storage/db/json.ts';
import { batch } from '../../storage/db/statement.ts';
import {
  type AreaRow,
  type HeldRow,
  type HeldTuple,
  type OwnSessionsRow,
  type OwnSessionsTuple,
  type SeenTuple,
  STATEMENTS,
} from './facts-statements.ts';
import { rejectedFrom, untoldIn } from './rejected-table.ts';
import {
  readAgain,
  rowsIn,
  type SimilarFacts,
  sessionOf,
  similarOf,
  similarStatements,
} from './similar-statements.ts';

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
  /** When its last unsettled payment before each sighting was collected. */
  readonly unsettledPayments: readonly number[];
  /** The active areas that limited subscriptions name and the caller may ask about, the first of each: names by code. */
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
  grant: Pick<Grant, 'areas'> | null,
): Promise<MunicipalityFinding<PatrolMunicipality>> {
  const { by } = search;
  const values = searchValues(search);
  const seenOnes = seenOnce(sightings, now);
  const tuples = [...seenOnes.values()];
  const seen = json(tuples);
  const [places, areas, sessions, subscriptions, similarSessions, similarSubscriptions, sources] =
    await batch(db, [
      STATEMENTS.places[by].prepare(db, { ...values, rejectedFrom: rejectedFrom(now) }),
      STATEMENTS.areas[by].prepare(db, { ...values, seen }),
      STATEMENTS.sessions[by].prepare(db, { ...values, seen }),
      STATEMENTS.subscriptions[by].prepare(db, { ...values, seen, allowed: allowedBy(grant) }),
      ...similarStatements(db, search, seen),
      STATEMENTS.sources[by].prepare(db, { ...values, seen, today: todayOf(now) }),
    ]);
  const { tenantActive, rows } = findingOf(places.results);
  return {
    tenantActive,
    municipalities: await Promise.all(
      rows.map(async ({ row, place }) => {
        const of = <Row extends { readonly municipality: string }>(read: D1Result<Row>) =>
          rowsIn(place.code, read);
        const [ownSessions, ownSubscriptions] = [of(sessions), of(subscriptions)];
        const similar = similarOf(of(similarSessions), of(similarSubscriptions));
        const similarByNumber = Map.groupBy(
          await readAgain(db, search, place.code, tuples, similar),
          ({ number }) => number,
        );
        const owns = tuples.map(([plate], number) =>
          ownOf(plate, ownSessions[number], ownSubscriptions[number]),
        );
        const numbers = new Map([...seenOnes.keys()].map((plate, number) => [plate, number]));
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
          areas: new Map(
            of(areas)
              .map(patrolAreaOf)
              .map((area) => [area.code, area]),
          ),
          sources: of(sources).map(sourceOf),
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

/**
 * What to read for each plate, once however often it was seen: its areas, its instants, and the time from the first sighting to the last,
 * widened by the plate check's window, which is further than any tolerance.
 */
function seenOnce(sightings: readonly Asked[], now: Instant): ReadonlyMap<Plate, SeenTuple> {
  const byPlate = Map.groupBy(sightings, ({ plate }) => plate);
  return new Map(
    [...byPlate].flatMap(([plate, some]): [Plate, SeenTuple][] => {
      if (plate === null) {
        return [];
      }
      // One ahead is judged as now, or refused.
      const instants = some.map(({ seenAt }) => (seenAt < now ? seenAt : now));
      return [
        [
          plate,
          [
            plate,
            [...new Set(some.map(({ areaCode }) => areaCode))],
            Math.min(...instants) - SESSION_WINDOW_MS,
            Math.max(...instants) + SESSION_WINDOW_MS,
            [...new Set(some.flatMap(({ similar }) => similar))],
            [...new Set(instants)],
          ],
        ],
      ];
    }),
  );
}

function patrolAreaOf({ area, paid_hours }: AreaRow): PatrolArea {
  return {
    ...areaOf(parsed(area)),
    paidHours: paid_hours === null ? null : (JSON.parse(paid_hours) as PaidSpan[]),
  };
}

const allowedBy = (grant: Pick<Grant, 'areas'> | null) => (grant?.areas ? json(grant.areas) : null);

const NO_SESSIONS: OwnSessionsTuple = [0, []];
const NONE_HELD: HeldTuple = [0, 0, []];

function ownOf(
  plate: string,
  sessionsRow: OwnSessionsRow | undefined,
  heldRow: HeldRow | undefined,
): OwnFacts {
  const [lookedAt, sessions] = sessionsRow ? parsed(sessionsRow.sessions) : NO_SESSIONS;
  const [spans, found, held] = heldRow?.held ? parsed(heldRow.held) : NONE_HELD;
  return {
    sessions: sessions.map(([session, area]) => ({
      ...sessionOf(session),
      sourceCode: session[0],
      area: areaOf(area),
    })),
    subscriptions: held.map(([tuple, validIn, others]) =>
      subscriptionOf(tuple, storedPlate(plate), [...validIn, ...(others ?? []).map(([code]) => code)]),
    ),
    unsettledPayments: sessionsRow === undefined ? [] : parsed(sessionsRow.unsettled),
    limitedTo: new Map(held.flatMap(([, , others]) => others ?? [])),
    sessionsAreWhole: lookedAt <= MAX_PLATE_SESSIONS,
    subscriptionsAreWhole: areWhole(spans, found),
  };
}

const areWhole = (spans: number, found: number): boolean =>
  spans <= MAX_SPANS && found <= MAX_READ_SUBSCRIPTIONS;

/** For a sighting without a valid plate. */
export const NOTHING_READ: OwnFacts = ownOf('', undefined, undefined);
