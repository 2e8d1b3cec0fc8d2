import {
  areaOf,
  OF_PLATES,
  type PlateFacts,
  type PlateRows,
  plateFactsIn,
  valuesOf,
} from '../../core/entitlement/facts.ts';
import { DAY_MS, type Instant, instant } from '../../domain/instant.ts';
import { platesOneSlipAway } from '../../domain/patrol/similar-plates.ts';
import { type Rights, UNSETTLED_FOR_MS } from '../../domain/patrol/standing.ts';
import type { Plate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { read } from '../../storage/db/batch.ts';
import { digestKeys, plateDigests } from '../../storage/plate-digest/plate-digest.ts';
import { ANY_REJECTED, AREAS, PLACE, REJECTED, REJECTED_UNREAD, SOURCES, UNSETTLED } from './facts-table.ts';

/** A plate that was seen, at an instant that may be asked about. */
export interface Sighting {
  readonly plate: Plate;
  readonly areaCode: string;
  readonly seenAt: Instant;
}

/** Everything that findings depend on, in one round trip, with one query per kind of row, however many sightings there are. */
export async function readPatrol(env: Env, code: string, sightings: readonly Sighting[], now: Instant) {
  const seen = [...new Set(sightings.map(({ plate }) => plate))];
  const plates = [...new Set([...seen, ...seen.flatMap(platesOneSlipAway)])];
  const instants = sightings.map(({ seenAt }) => seenAt);
  const [first, last] = [instant(Math.min(now, ...instants)), instant(Math.max(...instants, 0))];
  const keys = digestKeys(env);
  const digests = new Map(seen.map((plate) => [plate, plateDigests(keys, code, plate)] as const));
  const values = {
    ...valuesOf(code, plates, first, last),
    seen: JSON.stringify(seen),
    areas: JSON.stringify([...new Set(sightings.map(({ areaCode }) => areaCode))]),
    ...{ unsettledFrom: first - UNSETTLED_FOR_MS, lastSeenAt: last },
    ...{ rejectedAfter: now - DAY_MS, digests: JSON.stringify([...digests.values()].flat()) },
  };
  const [[place], areas, unsettled, sources, unread, named, ...rows] = await read(
    env.DB,
    [
      ...([PLACE, AREAS, UNSETTLED, SOURCES, REJECTED_UNREAD] as const),
      keys.length > 0 ? REJECTED : ANY_REJECTED,
      ...OF_PLATES,
    ],
    values,
  );
  if (place === undefined) return null;
  const facts = await eachPlate(env.DB, values, plates, rows);
  const payments = Map.groupBy(unsettled, ({ plate }) => plate);
  const rejected = new Set(named.map(({ digest }) => digest));
  // Without a usable key it is not known which plates were named.
  const doubtsAll = unread.length > 0 || (keys.length === 0 && named.length > 0);
  /** Of a plate that was seen, or that is one slip away from one. */
  const factsOf = (plate: Plate): PlateFacts => {
    const found = facts.get(plate) ?? NOTHING;
    return place.subscriptionsEnabled ? found : { ...found, subscriptions: [] };
  };
  return {
    ...place,
    /** The areas that sightings name, and those of limited titles, by code. */
    areas: new Map(areas.map(({ area, paidHours }) => [area.code, { ...areaOf(area), paidHours }])),
    /** The active ones, in the order of their codes. */
    sources,
    factsOf,
    /** The rights of such a plate in an area. */
    rightsOf: (plate: Plate, areaCode: string): Rights => {
      const { sessions, subscriptions } = factsOf(plate);
      return { sessions: sessions.filter(({ area }) => area.code === areaCode), subscriptions };
    },
    /** When a plate's payments that the office has not settled yet were collected. */
    unsettledOf: (plate: Plate) => (payments.get(plate) ?? []).map(({ collectedAt }) => collectedAt),
    /** Whether a line that was rejected within a day has named a plate, or may have. */
    isRejected: (plate: Plate) =>
      doubtsAll || (digests.get(plate) ?? []).some((digest) => rejected.has(digest)),
  };
}

export type PatrolMunicipality = NonNullable<Awaited<ReturnType<typeof readPatrol>>>;

const NOTHING: PlateFacts = { sessions: [], subscriptions: [], unread: [] };

/**
 * The facts of each plate. Where there are more rows than a call reads, each half of the plates is read by itself, so that one plate
 * with too many is the only one without an answer.
 */
async function eachPlate(
  d1: D1Database,
  values: Readonly<Record<string, unknown>>,
  plates: readonly Plate[],
  rows: PlateRows,
): Promise<ReadonlyMap<Plate, PlateFacts>> {
  const factsOf = plateFactsIn(rows);
  const isCut = plates[0] !== undefined && factsOf(plates[0]).unread.length > 0;
  if (!isCut || plates.length === 1) return new Map(plates.map((plate) => [plate, factsOf(plate)]));
  const half = Math.ceil(plates.length / 2);
  const facts = new Map<Plate, PlateFacts>();
  for (const some of [plates.slice(0, half), plates.slice(half)]) {
    const again = await read(d1, OF_PLATES, { ...values, plates: JSON.stringify(some) });
    for (const [plate, own] of await eachPlate(d1, values, some, again)) facts.set(plate, own);
  }
  return facts;
}
