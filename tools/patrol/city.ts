/**
 * A synthetic city, to measure the value of a patrol's findings. The model was written before its results
 * were known. Do not change it: that would measure something else.
 */

import { platesOneSlipAway } from '../../src/domain/patrol/similar-plates.ts';
import { type Plate, storedPlate } from '../../src/domain/plate.ts';

export const MODEL = {
  streets: 20,
  sources: ['app', 'phone', 'meter'],
  /** Vehicles that park on a day; payment is due from 8 to 20 h. */
  staysADay: 1_500,
  /** Of drivers who never pay. */
  neverPays: 1 / 10,
  /** Seconds between parking and paying, and the intended duration. */
  paysAfter: [20, 300],
  staysMinutes: 60,
  /** The share of paying drivers who overstay, and for how long. */
  overstays: 1 / 10,
  overstaysMinutes: 20,
  /** A plate mistyped, half of them by a slip of the table, and the wrong street. */
  mistypes: 1 / 50,
  wrongStreet: 1 / 30,
  /** A source sends its lines each minute. Of its delays: the median, the spread of their logarithm. */
  delaySeconds: 15,
  delaySpread: 0.8,
  /** A line that is lost and sent later, and after how many hours. */
  losesLine: 1 / 5_000,
  resendsAfterHours: [2, 12],
  /** The outage of a source, if any: once in the week, for so many hours. */
  stopsForHours: [1, 3],
  observationMinutes: 5,
  overstayMinutes: 10,
} as const;

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A payment, and its arrival in the database. */
export interface Payment {
  readonly plate: Plate;
  readonly street: number;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly source: number;
  /** When an import stored it. */
  readonly knownAt: number;
}

export type Slip = 'none' | 'listed_slip' | 'other_mistype' | 'wrong_street';

/** A vehicle that an officer has seen once. */
export interface Stay {
  readonly plate: Plate;
  readonly street: number;
  readonly seenAt: number;
  readonly slip: Slip;
  /** The intended payment; null for a driver who never pays. */
  readonly paid: { readonly from: number; readonly until: number } | null;
}

export interface City {
  readonly stays: readonly Stay[];
  /** In the order in which they became known. */
  readonly payments: readonly Payment[];
  /** The outage of each source. */
  readonly stops: readonly (readonly [from: number, until: number] | null)[];
}

/** Numbers from 0 to 1, the same ones for a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Some days of the city.
 *
 * @param start a midnight, UTC
 * @param stopping whether one of its sources stops on the last day but two
 */
export function cityOf(seed: number, start: number, days: number, stopping: boolean): City {
  const random = randomOf(seed);
  const between = ([from, until]: readonly [number, number]) => from + random() * (until - from);
  const below = (bound: number) => Math.floor(random() * bound);
  const stops = MODEL.sources.map((_, source): [number, number] | null => {
    const from = start + (days - 3) * DAY + (9 + random() * 6) * HOUR;
    const until = from + between(MODEL.stopsForHours) * HOUR;
    return stopping && source === 0 ? [from, until] : null;
  });
  const sentAt = (source: number, ready: number): number => {
    const stop = stops[source];
    const at = Math.ceil(ready / MINUTE) * MINUTE;
    return stop && at >= stop[0] && at < stop[1] ? Math.ceil(stop[1] / MINUTE) * MINUTE : at;
  };
  const payments: Payment[] = [];
  const stays: Stay[] = [];
  for (let number = 0; number < days * MODEL.staysADay; number += 1) {
    const day = start + Math.floor(number / MODEL.staysADay) * DAY;
    const arrives = day + (8 + random() * 11) * HOUR;
    const plate = plateOf(below);
    const street = below(MODEL.streets);
    const pays = random() >= MODEL.neverPays;
    const paysAt = arrives + between(MODEL.paysAfter) * 1_000;
    const until = paysAt + (10 - Math.log(1 - random()) * MODEL.staysMinutes) * MINUTE;
    const leaves =
      until + (random() < MODEL.overstays ? -Math.log(1 - random()) * MODEL.overstaysMinutes : 0) * MINUTE;
    const slip = pays ? slipOf(random) : 'none';
    stays.push({
      plate,
      street,
      seenAt: Math.floor(arrives + random() * (leaves - arrives)),
      slip,
      paid: pays ? { from: paysAt, until } : null,
    });
    const source = below(MODEL.sources.length);
    const delay = MODEL.delaySeconds * Math.exp(MODEL.delaySpread * normal(random)) * 1_000;
    const lost = random() < MODEL.losesLine ? between(MODEL.resendsAfterHours) * HOUR : 0;
    if (pays) {
      payments.push({
        plate: typedPlate(plate, slip, below),
        street: slip === 'wrong_street' ? (street + 1 + below(MODEL.streets - 1)) % MODEL.streets : street,
        startsAt: Math.floor(paysAt),
        endsAt: Math.floor(until),
        source,
        knownAt: sentAt(source, paysAt + delay + lost),
      });
    }
  }
  return { stays, payments: payments.sort((a, b) => a.knownAt - b.knownAt), stops };
}

function slipOf(random: () => number): Slip {
  const mistyped = random();
  if (mistyped < MODEL.mistypes) return mistyped < MODEL.mistypes / 2 ? 'listed_slip' : 'other_mistype';
  return random() < MODEL.wrongStreet ? 'wrong_street' : 'none';
}

const LETTERS = 'ABCDEFGHJKLMNPRSTVWXYZ';
const ANY = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** `AB123CD`, as Italy has them. */
function plateOf(below: (bound: number) => number): Plate {
  const letter = () => LETTERS[below(LETTERS.length)] ?? 'A';
  return storedPlate(`${letter()}${letter()}${String(100 + below(900))}${letter()}${letter()}`);
}

function typedPlate(plate: Plate, slip: Slip, below: (bound: number) => number): Plate {
  const slips = platesOneSlipAway(plate);
  if (slip === 'listed_slip') return slips[below(slips.length)] ?? plate;
  if (slip !== 'other_mistype') return plate;
  for (;;) {
    const at = below(plate.length);
    const typed = storedPlate(plate.slice(0, at) + (ANY[below(ANY.length)] ?? 'A') + plate.slice(at + 1));
    if (typed !== plate && !slips.includes(typed)) return typed;
  }
}

/** Of mean 0 and spread 1 (Box and Muller). */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
