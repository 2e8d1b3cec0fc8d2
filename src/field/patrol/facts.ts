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
import { MAX_PLATE_SESSIONS, MAX_READ_SUBSCRIPTIONS } from '../../domain/plate-bounds.ts';
import type { Subscription } from '../../domain/subscription.ts';
import type { Grant } from '../../serving/access/grant.ts';
import type {
  FoundMunicipality,
  MunicipalityFinding,
  MunicipalitySearch,
} from '../../serving/lookups/located-municipality.ts';
import { findingOf, searchValues } from '../../serving/lookups/municipality-table.ts';
import { type Json, json, parsed } from '../../storage/db/sql.ts';
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

/** The facts of a look-alike plate, in the areas where the original was seen. */
export interface SimilarFacts {
  readonly plate: Plate;
  readonly sessions: readonly (SessionTimes & { readonly areaCode: string })[];
  readonly subscriptions: readonly Subscription[];
  readonly isWhole: boolean;
}

/** The sessions or subscriptions of a look-alike plate; `number` says which of the seen plates it resembles. */
interface Similar extends SimilarFacts {
  readonly kind: 'sessions' | 'subscriptions';
  readonly number: number;
}

/** The most rows read of each similar plate. */
interface Most {
  readonly sessions: number;
  readonly spans: number;
  readonly subscriptions: number;
}

/** A hundred sightings have some thousands of similar plates. Nearly all are unused, but an importer may have crowded some. */
const AT_FIRST: Most = { sessions: 4, spans: 8, subscriptions: 4 };
/** Similar plates with more rows are read again, up to the limits of an ordinary plate; at most {@link MAX_READ_AGAIN} of them. */
const AGAIN: Most = {
  sessions: MAX_PLATE_SESSIONS,
  spans: MAX_SPANS,
  subscriptions: MAX_READ_SUBSCRIPTIONS,
};
const MAX_READ_AGAIN = 20;

/** The statements that read the sessions and subscriptions of similar plates. */
function similarStatements(
  db: D1Database,
  search: MunicipalitySearch,
  seen: Json<readonly SeenTuple[]>,
  max = AT_FIRST,
) {
  const values = { ...searchValues(search), seen };
  return [
    STATEMENTS.similarSessions[search.by].prepare(db, { ...values, maxSessions: max.sessions }),
    STATEMENTS.similarSubscriptions[search.by].prepare(db, {
      ...values,
      maxSpans: max.spans,
      maxSubscriptions: max.subscriptions,
    }),
  ] as const;
}

/** The rows that these statements have read. */
const similarOf = (
  sessions: readonly SimilarRow<SimilarSessionsTuple>[],
  subscriptions: readonly SimilarRow<HeldTuple>[],
  max = AT_FIRST,
): readonly Similar[] => [
  ...sessions.map(({ number, plate, held }): Similar => {
    const [lookedAt, tuples] = parsed(held);
    const sessions = tuples.map(([session, areaCode]) => ({ ...sessionOf(session), areaCode }));
    const isWhole = lookedAt <= max.sessions;
    return { kind: 'sessions', number, plate: storedPlate(plate), isWhole, sessions, subscriptions: [] };
  }),
  ...subscriptions.map(({ number, plate: stored, held }): Similar => {
    const plate = storedPlate(stored);
    const [spans, found, tuples] = parsed(held);
    const isWhole = spans <= max.spans && found <= max.subscriptions;
    const subscriptions = tuples.map(([tuple, validIn]) => subscriptionOf(tuple, plate, validIn));
    return { kind: 'subscriptions', number, plate, isWhole, sessions: [], subscriptions };
  }),
];

/** A municipality's rows among those that a statement has read. */
const rowsIn = <Row extends { readonly municipality: string }>(
  code: string,
  { results }: D1Result<Row>,
): Row[] => results.filter(({ municipality }) => municipality === code);

/** The session of a row. */
const sessionOf = ([, startsAt, endsAt, cancelledAt, maxHours]: SessionTuple): SessionTimes => ({
  startsAt: instant(startsAt),
  endsAt: nullableInstant(endsAt),
  cancelledAt: nullableInstant(cancelledAt),
  // Read only for open-ended sessions: nothing else depends on it.
  openSessionMaxHours: maxHours ?? 0,
});

const keyOf = ({ kind, number, plate }: Similar): string => JSON.stringify([kind, number, plate]);

/**
 * Reads some similar plates again whose rows were not all read. Those with still more rows, or beyond the bound, stay
 * incomplete.
 */
async function readAgain(
  db: D1Database,
  search: MunicipalitySearch,
  code: string,
  seen: readonly SeenTuple[],
  similar: readonly Similar[],
): Promise<readonly Similar[]> {
  const cut = similar.filter(({ isWhole }) => !isWhole).slice(0, MAX_READ_AGAIN);
  if (cut.length === 0) {
    return similar;
  }
  const tuples = cut.map(({ number, plate }): SeenTuple => {
    const [own = '', areaCodes = [], from = 0, until = 0] = seen[number] ?? [];
    return [own, areaCodes, from, until, [plate], []];
  });
  const [sessions, subscriptions] = await batch(db, similarStatements(db, search, json(tuples), AGAIN));
  const read = new Map(
    similarOf(rowsIn(code, sessions), rowsIn(code, subscriptions), AGAIN).map((item) => {
      const again = { ...item, number: cut[item.number]?.number ?? item.number };
      return [keyOf(again), again];
    }),
  );
  return similar.map((item) => (item.isWhole ? item : (read.get(keyOf(item)) ?? item)));
}

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
  /** The areas that sightings name, by code. */
  readonly areas: ReadonlyMap<string, PatrolArea>;
  /** The active ones, in the order of their codes. */
  readonly sources: readonly PatrolSource[];
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
  db: D1Database,
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
      STATEMENTS.sources[by].prepare(db, values),
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
          // Not null if the row has a municipality.
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
          doubtsEveryPlate: doubtsEveryPlate(unattributedIn(row.unattributed)),
          own: sightings.map((asked) => owns[numberOf(asked) ?? -1] ?? NOTHING_READ),
          similar: sightings.map((asked) => similarByNumber.get(numberOf(asked) ?? -1) ?? []),
        };
      }),
    ),
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
