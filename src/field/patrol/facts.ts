import { type Area, areaOf } from '../../core/entitlement/facts.ts';
import { MAX_SPANS, subscriptionOf } from '../../core/entitlement/plate-subscriptions-table.ts';
import { type Instant, instant, nullableInstant } from '../../domain/instant.ts';
import { SESSION_WINDOW_MS, type SessionTimes } from '../../domain/parking-session.ts';
import type { AwaitedSource } from '../../domain/patrol/finding.ts';
import type { PaidSpan } from '../../domain/patrol/paid-hours.ts';
import { doubtsEveryPlate } from '../../domain/patrol/rejected-lines.ts';
import { platesOneSlipAway } from '../../domain/patrol/similar-plates.ts';
import type { Tolerance } from '../../domain/patrol/standing.ts';
import { type Plate, storedPlate } from '../../domain/plate.ts';
import { MAX_PLATE_SESSIONS, MAX_READ_SUBSCRIPTIONS, type Unread } from '../../domain/plate-bounds.ts';
import type { Subscription } from '../../domain/subscription.ts';
import type { Grant } from '../../serving/access/grant.ts';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import { foundIn } from '../../serving/lookups/municipality-table.ts';
import { retry, TRIES_WHILE_WAITING } from '../../storage/db/retry.ts';
import { json, parsed } from '../../storage/db/sql.ts';
import { batch } from '../../storage/db/statement.ts';
import {
  type AreaRow,
  type HeldRow,
  type HeldTuple,
  type OwnSessionsRow,
  type OwnSessionsTuple,
  type SeenTuple,
  type SessionTuple,
  type SimilarRow,
  type SimilarSessionsTuple,
  type SourceRow,
  STATEMENTS,
} from './facts-statements.ts';
import { rejectedFrom, unattributedIn } from './rejected-table.ts';

/** The sessions or the subscriptions of a look-alike plate, in the areas where the original was seen. */
export interface SimilarFacts {
  readonly sessions: readonly (SessionTimes & { readonly areaCode: string })[];
  readonly subscriptions: readonly Subscription[];
  readonly isWhole: boolean;
}

/** The session of a row. */
const sessionOf = ([, startsAt, endsAt, cancelledAt, maxHours]: SessionTuple): SessionTimes => ({
  startsAt: instant(startsAt),
  endsAt: nullableInstant(endsAt),
  cancelledAt: nullableInstant(cancelledAt),
  // Read only for open-ended sessions: nothing else depends on it.
  openSessionMaxHours: maxHours ?? 0,
});

/** A sighting, as it is looked up. */
export interface Asked {
  /** Null if its plate is refused: then nothing is read for it. */
  readonly plate: Plate | null;
  readonly areaCode: string;
  readonly seenAt: Instant;
}

export interface PatrolQuery {
  readonly sightings: readonly Asked[];
  readonly now: Instant;
}

/** An area of the municipality, with its paid hours. */
export interface PatrolArea extends Area {
  /** Null: always. */
  readonly paidHours: readonly PaidSpan[] | null;
}

/** An active source. */
export interface PatrolSource extends AwaitedSource {
  readonly name: string;
}

/** A session, with its area. */
interface PlacedSession extends SessionTimes {
  readonly sourceCode: string;
  readonly area: Area;
}

/** The facts of a sighting's plate. */
export interface OwnFacts {
  /** In all areas, around all instants at which the plate was seen. */
  readonly sessions: readonly PlacedSession[];
  readonly subscriptions: readonly Subscription[];
  /** When its last unsettled payment before each sighting was collected. */
  readonly unsettledPayments: readonly number[];
  /** The first active areas of each limited subscription about which the caller may ask: names by code. */
  readonly limitedTo: ReadonlyMap<string, string>;
  /** The kinds of rows of which there are more than are read. */
  readonly unread: readonly Unread[];
  /** Of the plates that are one slip away: only of those that have any rows. */
  readonly similar: readonly SimilarFacts[];
}

export interface PatrolMunicipality extends FoundMunicipality {
  readonly name: string;
  readonly timeZone: string;
  readonly plateCheckEnabled: boolean;
  readonly subscriptionsEnabled: boolean;
  readonly holidays: readonly string[];
  readonly tolerance: Tolerance;
  /** The areas that sightings name, by code. */
  readonly areas: ReadonlyMap<string, PatrolArea>;
  /** The active ones, in the order of their codes. */
  readonly sources: readonly PatrolSource[];
  /** In the order of the sightings. */
  readonly own: readonly OwnFacts[];
  /** Whether a rejected line of the last day named a plate that is remembered. */
  readonly hasRejected: boolean;
  /** Whether a rejected line of the last day may have named any plate. */
  readonly doubtsEveryPlate: boolean;
}

/** Everything that findings depend on, in one round trip, with one statement per kind of row, however many sightings there are. */
export const readPatrol = (
  db: D1Database,
  code: string,
  query: PatrolQuery,
  grant: Pick<Grant, 'areas'>,
): Promise<PatrolMunicipality | null> => retry(() => readOnce(db, code, query, grant), TRIES_WHILE_WAITING);

async function readOnce(
  db: D1Database,
  code: string,
  { sightings, now }: PatrolQuery,
  grant: Pick<Grant, 'areas'>,
): Promise<PatrolMunicipality | null> {
  const seenOnes = seenOnce(sightings, now);
  const tuples = [...seenOnes.values()];
  const seen = json(tuples);
  const [places, areas, sessions, subscriptions, similarSessions, similarSubscriptions, sources] =
    await batch(db, [
      STATEMENTS.place.prepare(db, { code, rejectedFrom: rejectedFrom(now) }),
      STATEMENTS.areas.prepare(db, { code, seen }),
      STATEMENTS.sessions.prepare(db, { code, seen }),
      STATEMENTS.subscriptions.prepare(db, { code, seen, allowed: allowedBy(grant) }),
      STATEMENTS.similarSessions.prepare(db, { code, seen }),
      STATEMENTS.similarSubscriptions.prepare(db, { code, seen }),
      STATEMENTS.sources.prepare(db, { code }),
    ]);
  const [row] = places.results;
  if (row === undefined) return null;
  const similar = Map.groupBy(
    [
      ...similarSessions.results.map(similarSessionsOf),
      ...similarSubscriptions.results.map(similarSubscriptionsOf),
    ],
    ({ number }) => number,
  );
  const owns = tuples.map(([plate], number) =>
    ownOf(plate, sessions.results[number], subscriptions.results[number], similar.get(number)),
  );
  const numbers = new Map([...seenOnes.keys()].map((plate, number) => [plate, number]));
  const numberOf = ({ plate }: Asked) => (plate === null ? undefined : numbers.get(plate));
  return {
    ...foundIn(row),
    name: row.name,
    timeZone: row.time_zone,
    plateCheckEnabled: row.plate_check_enabled === 1,
    subscriptionsEnabled: row.subscriptions_enabled === 1,
    holidays: JSON.parse(row.holidays) as string[],
    tolerance: { observationMinutes: row.observation_minutes, overstayMinutes: row.overstay_minutes },
    areas: new Map(areas.results.map(patrolAreaOf).map((area) => [area.code, area])),
    sources: sources.results.map(sourceOf),
    hasRejected: row.has_rejected === 1,
    doubtsEveryPlate: doubtsEveryPlate(unattributedIn(row.unattributed)),
    own: sightings.map((asked) => owns[numberOf(asked) ?? -1] ?? NOTHING_READ),
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
      // A sighting in the future is judged as now, or refused.
      const instants = some.map(({ seenAt }) => (seenAt < now ? seenAt : now));
      return [
        [
          plate,
          [
            plate,
            [...new Set(some.map(({ areaCode }) => areaCode))],
            Math.min(...instants) - SESSION_WINDOW_MS,
            Math.max(...instants) + SESSION_WINDOW_MS,
            platesOneSlipAway(plate),
            [...new Set(instants)],
          ],
        ],
      ];
    }),
  );
}

const sourceOf = (row: SourceRow): PatrolSource => ({
  code: row.code,
  name: row.name,
  isSystem: row.is_system === 1,
  staleAfterMinutes: row.stale_after_minutes,
  reportDelayMinutes: row.report_delay_minutes,
  lastOutcome: row.last_outcome,
  lastSuccessfulAt: nullableInstant(row.last_successful_at),
});

function patrolAreaOf({ area, paid_hours }: AreaRow): PatrolArea {
  return {
    ...areaOf(parsed(area)),
    paidHours: paid_hours === null ? null : (JSON.parse(paid_hours) as PaidSpan[]),
  };
}

const allowedBy = ({ areas }: Pick<Grant, 'areas'>) => (areas === null ? null : json(areas));

const NO_SESSIONS: OwnSessionsTuple = [0, []];
const NONE_HELD: HeldTuple = [0, 0, []];

function ownOf(
  plate: string,
  sessionsRow: OwnSessionsRow | undefined,
  heldRow: HeldRow | undefined,
  similar: readonly SimilarFacts[] = [],
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
    unread: [
      ...(lookedAt <= MAX_PLATE_SESSIONS ? [] : (['sessions'] as const)),
      ...(areWhole(spans, found) ? [] : (['subscriptions'] as const)),
    ],
    similar,
  };
}

const areWhole = (spans: number, found: number): boolean =>
  spans <= MAX_SPANS && found <= MAX_READ_SUBSCRIPTIONS;

/** @returns the facts, and the number of the plate that was seen */
function similarSessionsOf({ number, held }: SimilarRow<SimilarSessionsTuple>) {
  const [lookedAt, tuples] = parsed(held);
  return {
    number,
    sessions: tuples.map(([session, areaCode]) => ({ ...sessionOf(session), areaCode })),
    subscriptions: [],
    isWhole: lookedAt <= MAX_PLATE_SESSIONS,
  };
}

/** @returns the facts, and the number of the plate that was seen */
function similarSubscriptionsOf({ number, plate, held }: SimilarRow<HeldTuple>) {
  const [spans, found, tuples] = parsed(held);
  return {
    number,
    sessions: [],
    subscriptions: tuples.map(([tuple, validIn]) => subscriptionOf(tuple, storedPlate(plate), validIn)),
    isWhole: areWhole(spans, found),
  };
}

/** For a sighting without a valid plate. */
export const NOTHING_READ: OwnFacts = ownOf('', undefined, undefined);
