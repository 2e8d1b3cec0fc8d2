import {
  type Area,
  areaOf,
  OF_PLATES,
  type PlacedSession,
  type PlateFacts,
  type PlateRows,
  plateFactsIn,
  valuesOf,
} from '../../core/entitlement/facts.ts';
import { DAY_MS, type Instant, instant } from '../../domain/instant.ts';
import type { AwaitedSource } from '../../domain/patrol/finding.ts';
import type { PaidSpan } from '../../domain/patrol/paid-hours.ts';
import { platesOneSlipAway } from '../../domain/patrol/similar-plates.ts';
import { type Tolerance, UNSETTLED_FOR_MS } from '../../domain/patrol/standing.ts';
import type { Plate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import { read } from '../../storage/db/batch.ts';
import { digestKeys, plateDigests } from '../../storage/plate-digest/plate-digest.ts';
import { AREAS, AREAS_OF_TITLES, PLACE, SOURCES, UNSETTLED } from './facts-table.ts';
import { ANY_NAMED, NAMED, UNNAMED } from './rejected-table.ts';

/** A plate that was seen, at an instant that may be asked about. */
export interface Sighting {
  readonly plate: Plate;
  readonly areaCode: string;
  readonly seenAt: Instant;
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

type PlacedFacts = PlateFacts & { readonly sessions: readonly PlacedSession[] };

export interface PatrolMunicipality extends FoundMunicipality {
  readonly name: string;
  readonly timeZone: string;
  readonly plateCheckEnabled: boolean;
  readonly subscriptionsEnabled: boolean;
  readonly holidays: readonly string[];
  readonly tolerance: Tolerance;
  /** The areas that sightings name, by code. */
  readonly areas: ReadonlyMap<string, PatrolArea>;
  /** The active areas of limited titles: names by code. */
  readonly areasOfTitles: ReadonlyMap<string, string>;
  /** The active ones, in the order of their codes. */
  readonly sources: readonly PatrolSource[];
  /** Of a plate that was seen, or that is one slip away from one. */
  readonly factsOf: (plate: Plate) => PlacedFacts;
  /** When a plate's payments that the office has not settled yet were collected. */
  readonly unsettledOf: (plate: Plate) => readonly Instant[];
  /** Whether a line that was rejected within a day has named a plate, or may have. */
  readonly isRejected: (plate: Plate) => boolean;
}

/** Everything that findings depend on, in one round trip, with one query per kind of row, however many sightings there are. */
export async function readPatrol(
  env: Env,
  code: string,
  sightings: readonly Sighting[],
  now: Instant,
): Promise<PatrolMunicipality | null> {
  const seen = [...new Set(sightings.map(({ plate }) => plate))];
  const plates = [...new Set([...seen, ...seen.flatMap(platesOneSlipAway)])];
  const instants = sightings.map(({ seenAt }) => seenAt);
  const [first, last] = [instant(Math.min(now, ...instants)), instant(Math.max(...instants, 0))];
  const keys = digestKeys(env);
  const digests = new Map(
    await Promise.all(seen.map(async (plate) => [plate, await plateDigests(keys, code, plate)] as const)),
  );
  const values = {
    ...valuesOf(code, plates, first, last),
    seen: JSON.stringify(seen),
    areas: JSON.stringify([...new Set(sightings.map(({ areaCode }) => areaCode))]),
    ...{ unsettledFrom: first - UNSETTLED_FOR_MS, lastSeenAt: last },
    ...{ rejectedAfter: now - DAY_MS, digests: JSON.stringify([...digests.values()].flat()) },
  };
  const [[place], areas, areasOfTitles, unsettled, sources, unnamed, named, ...rows] = await read(
    env.DB,
    [
      ...([PLACE, AREAS, AREAS_OF_TITLES, UNSETTLED, SOURCES, UNNAMED] as const),
      keys.length > 0 ? NAMED : ANY_NAMED,
      ...OF_PLATES,
    ],
    values,
  );
  if (place === undefined) return null;
  const factsOf = await eachPlate(env.DB, values, plates, rows);
  const payments = Map.groupBy(unsettled, ({ plate }) => plate);
  const rejected = new Set(named.map(({ digest }) => digest));
  // Without a usable key it is not known which plates were named.
  const doubtsAll = unnamed.length > 0 || (keys.length === 0 && named.length > 0);
  return {
    ...place,
    tolerance: place,
    areas: new Map(areas.map(({ area, paidHours }) => [area.code, { ...areaOf(area), paidHours }])),
    areasOfTitles: new Map(areasOfTitles.map((area) => [area.code, area.name])),
    sources,
    factsOf: (plate) => {
      const facts = factsOf.get(plate) ?? NOTHING;
      return place.subscriptionsEnabled ? facts : { ...facts, subscriptions: [] };
    },
    unsettledOf: (plate) => (payments.get(plate) ?? []).map(({ collectedAt }) => collectedAt),
    isRejected: (plate) => doubtsAll || (digests.get(plate) ?? []).some((digest) => rejected.has(digest)),
  };
}

const NOTHING: PlacedFacts = { sessions: [], subscriptions: [], unread: [] };

/**
 * The facts of each plate. Where there are more rows than a call reads, each half of the plates is read by itself, so that one plate
 * with too many is the only one without an answer.
 */
async function eachPlate(
  d1: D1Database,
  values: Readonly<Record<string, unknown>>,
  plates: readonly Plate[],
  rows: PlateRows,
): Promise<ReadonlyMap<Plate, PlacedFacts>> {
  const factsOf = plateFactsIn(rows);
  const isCut = plates[0] !== undefined && factsOf(plates[0]).unread.length > 0;
  if (!isCut || plates.length === 1) return new Map(plates.map((plate) => [plate, factsOf(plate)]));
  const half = Math.ceil(plates.length / 2);
  const facts = new Map<Plate, PlacedFacts>();
  for (const some of [plates.slice(0, half), plates.slice(half)]) {
    const again = await read(d1, OF_PLATES, { ...values, plates: JSON.stringify(some) });
    for (const [plate, own] of await eachPlate(d1, values, some, again)) facts.set(plate, own);
  }
  return facts;
}
