import { type Instant, instant, MINUTE_MS } from './instant.ts';
import { effectiveEnd, type ParkingSession } from './parking-session.ts';

/**
 * A parking session as the counters need it: a vehicle in an area, from a source, in the half-open interval [from,
 * until).
 */
export interface Stay {
  /** Identifies the vehicle. It is in no result. */
  readonly vehicle: string;
  readonly areaId: number;
  readonly sourceId: number;
  readonly from: Instant;
  readonly until: Instant;
}

/** Vehicles of an area, or of several. A vehicle in two areas is counted in each. */
export interface Counters {
  readonly activeNow: number;
  readonly activeAfter30: number;
  readonly activeAfter60: number;
  /** Active now, and not in 30 minutes. */
  readonly endingWithin30: number;
  /** Active now and in 30 minutes, and not in 60. */
  readonly endingBetween30And60: number;
}

/** The counters of one area: of all sources together, and of each source that has vehicles there. */
interface AreaCounters {
  readonly all: Counters;
  /** By the source's id. */
  readonly bySource: ReadonlyMap<number, Counters>;
}

/** How far a report looks ahead: two half hours. */
export const HALF_HOUR_MS = 30 * MINUTE_MS;
export const LOOK_AHEAD_MS = 2 * HALF_HOUR_MS;

export const NO_VEHICLES: Counters = {
  activeNow: 0,
  activeAfter30: 0,
  activeAfter60: 0,
  endingWithin30: 0,
  endingBetween30And60: 0,
};

/**
 * The interval in which a session is valid: from its start to its effective end, or to its cancellation if that is
 * earlier.
 */
export function validTime(
  session: Pick<ParkingSession, 'startsAt' | 'endsAt' | 'openSessionMaxHours' | 'cancelledAt'>,
): { readonly from: Instant; readonly until: Instant } {
  const end = effectiveEnd(session);
  const { startsAt, cancelledAt } = session;
  return { from: startsAt, until: cancelledAt !== null && cancelledAt < end ? cancelledAt : end };
}

/**
 * Counts the vehicles of each area at an instant, and 30 and 60 minutes later from the sessions known at that
 * instant. A vehicle counts once in an area, however many sessions it has there; in the counters of a source,
 * once for that source.
 *
 * @param areaIds the areas to count; sessions in other areas are ignored
 */
export function countVehicles(
  areaIds: Iterable<number>,
  stays: Iterable<Stay>,
  at: Instant,
): ReadonlyMap<number, AreaCounters> {
  const areas = new Map([...areaIds].map((id) => [id, new AreaTally()]));
  const horizons = horizonsOf(at);
  for (const stay of stays) {
    const presence = presenceAt(stay, horizons);
    if (presence !== ABSENT) {
      areas.get(stay.areaId)?.add(stay, presence);
    }
  }
  return new Map([...areas].map(([id, tally]) => [id, tally.counters()]));
}

/** At which of the three horizons a vehicle is present: one bit for each. */
type Presence = number;
const ABSENT: Presence = 0;
const NOW: Presence = 1;
const AFTER_30: Presence = 2;
const AFTER_60: Presence = 4;

type Horizons = readonly (readonly [at: Instant, bit: Presence])[];

const horizonsOf = (at: Instant): Horizons => [
  [at, NOW],
  [instant(at + HALF_HOUR_MS), AFTER_30],
  [instant(at + LOOK_AHEAD_MS), AFTER_60],
];

function presenceAt({ from, until }: Stay, horizons: Horizons): Presence {
  let presence = ABSENT;
  for (const [at, bit] of horizons) {
    if (from <= at && at < until) {
      presence |= bit;
    }
  }
  return presence;
}

/** The vehicles of one area, each with the horizons at which any of its sessions is valid. */
class AreaTally {
  readonly #all = new Map<string, Presence>();
  readonly #bySource = new Map<number, Map<string, Presence>>();

  add({ vehicle, sourceId }: Stay, presence: Presence): void {
    addPresence(this.#all, vehicle, presence);
    addPresence(this.#bySource.getOrInsertComputed(sourceId, newTally), vehicle, presence);
  }

  counters(): AreaCounters {
    return {
      all: countersOf(this.#all),
      bySource: new Map([...this.#bySource].map(([id, vehicles]) => [id, countersOf(vehicles)])),
    };
  }
}

const newTally = (): Map<string, Presence> => new Map();

function addPresence(vehicles: Map<string, Presence>, vehicle: string, presence: Presence): void {
  vehicles.set(vehicle, (vehicles.get(vehicle) ?? ABSENT) | presence);
}

function countersOf(vehicles: ReadonlyMap<string, Presence>): Counters {
  const vehiclesByPresence: number[] = [];
  for (const presence of vehicles.values()) {
    vehiclesByPresence[presence] = (vehiclesByPresence[presence] ?? 0) + 1;
  }
  const vehiclesWhere = (matches: (presence: Presence) => boolean): number =>
    vehiclesByPresence.reduce((sum, count, presence) => (matches(presence) ? sum + count : sum), 0);
  return {
    activeNow: vehiclesWhere((presence) => (presence & NOW) !== 0),
    activeAfter30: vehiclesWhere((presence) => (presence & AFTER_30) !== 0),
    activeAfter60: vehiclesWhere((presence) => (presence & AFTER_60) !== 0),
    endingWithin30: vehiclesWhere((presence) => (presence & (NOW | AFTER_30)) === NOW),
    endingBetween30And60: vehiclesWhere((presence) => presence === (NOW | AFTER_30)),
  };
}

/** The sums of counters. */
export function sumOf(counters: Iterable<Counters>): Counters {
  const sum = { ...NO_VEHICLES };
  for (const one of counters) {
    sum.activeNow += one.activeNow;
    sum.activeAfter30 += one.activeAfter30;
    sum.activeAfter60 += one.activeAfter60;
    sum.endingWithin30 += one.endingWithin30;
    sum.endingBetween30And60 += one.endingBetween30And60;
  }
  return sum;
}

/** Active now, and no longer at one of the horizons: the sum of its two parts. */
export const endingWithin60 = ({ endingWithin30, endingBetween30And60 }: Counters): number =>
  endingWithin30 + endingBetween30And60;
