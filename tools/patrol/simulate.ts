import { instant, utcDay } from '../../src/domain/instant.ts';
import { type AwaitedSource, conclude, type Finding } from '../../src/domain/patrol/finding.ts';
import { paymentDue } from '../../src/domain/patrol/paid-hours.ts';
import { platesOneSlipAway } from '../../src/domain/patrol/similar-plates.ts';
import { type DelayCount, delayStep } from '../../src/domain/patrol/source-delay.ts';
import { type Rights, standingOf } from '../../src/domain/patrol/standing.ts';
import type { Plate } from '../../src/domain/plate.ts';
import { type City, cityOf, DAY, MINUTE, MODEL, type Payment, type Stay } from './city.ts';

/** Why a fine would have been wrong, or that it would have been right. */
export const CAUSES = ['late_payment', 'wrong_street', 'listed_slip', 'other_mistype', 'right'] as const;
export type Cause = (typeof CAUSES)[number];

/** The outcome of the sightings of one cause. */
export interface Tally {
  /** Fines, if the officer trusts the plain check. */
  plain: number;
  /** Fines, if the officer follows the findings. */
  followed: number;
  /** Minutes that those fines came later. */
  waitedMinutes: number;
}
export type Tallies = Record<Cause, Tally>;

const TOLERANCE = {
  observationMinutes: MODEL.observationMinutes,
  overstayMinutes: MODEL.overstayMinutes,
};
const HOURS = {
  paidHours: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '08:00', to: '20:00' }],
  holidays: [],
  timeZone: 'UTC',
} as const;
const WARM_UP_DAYS = 7;
const START = Date.parse('2026-03-02T00:00:00Z');

/** A week of the city, after one in which the service learnt how late its sources are. */
export function weekOf(seed: number, stopping: boolean): Tallies {
  const city = cityOf(seed, START, 2 * WARM_UP_DAYS, stopping);
  const service = new Service(city);
  const tallies = Object.fromEntries(
    CAUSES.map((cause) => [cause, { plain: 0, followed: 0, waitedMinutes: 0 }]),
  ) as Tallies;
  for (const stay of city.stays) {
    if (stay.seenAt < START + WARM_UP_DAYS * DAY) continue;
    const tally = tallies[causeOf(stay)];
    if (service.plainlyDenies(stay)) tally.plain += 1;
    const finedAt = service.fines(stay);
    if (finedAt !== null) {
      tally.followed += 1;
      tally.waitedMinutes += (finedAt - stay.seenAt) / MINUTE;
    }
  }
  return tallies;
}

/**
 * A driver who has paid, or pays within the observation, or whose session ended recently, is fined wrongly.
 */
function causeOf({ paid, seenAt, slip }: Stay): Cause {
  const isRight =
    paid === null ||
    seenAt >= paid.until + MODEL.overstayMinutes * MINUTE ||
    seenAt + MODEL.observationMinutes * MINUTE <= paid.from;
  if (isRight) return 'right';
  return slip === 'none' ? 'late_payment' : slip;
}

/** The service's data at each instant. */
class Service {
  readonly #byPlate: ReadonlyMap<Plate, readonly Payment[]>;
  readonly #delays: readonly (readonly (DelayCount & { readonly knownAt: number })[])[];
  readonly #stops: City['stops'];

  constructor({ payments, stops }: City) {
    this.#byPlate = Map.groupBy(payments, ({ plate }) => plate);
    this.#stops = stops;
    this.#delays = MODEL.sources.map((_, source) =>
      payments
        .filter((payment) => payment.source === source)
        .flatMap(({ startsAt, knownAt }) => {
          const step = delayStep(knownAt - startsAt);
          return step === null ? [] : [{ day: utcDay(instant(knownAt)), step, count: 1, knownAt }];
        }),
    );
  }

  /** Whether a plain check at that moment finds nothing valid. */
  plainlyDenies(stay: Stay): boolean {
    const { plate, street, seenAt } = stay;
    const none = { observationMinutes: 0, overstayMinutes: 0 };
    const here = this.#rights(plate, street, seenAt);
    return isDue(seenAt) && standingOf(here, areaOf(street), instant(seenAt), none) === null;
  }

  /** When the officer who follows the findings fines, if at all. */
  fines(stay: Stay): number | null {
    for (let now = stay.seenAt; ; ) {
      const { finding, lookAgainAt } = this.#conclude(stay, now);
      if (lookAgainAt === null) return isFine(finding) ? now : null;
      now = lookAgainAt;
    }
  }

  #conclude({ plate, street, seenAt }: Stay, now: number) {
    const at = instant(seenAt);
    const standing = (other: Plate, where: number) =>
      standingOf(this.#rights(other, where, now), areaOf(where), at, TOLERANCE);
    const streets = new Set((this.#byPlate.get(plate) ?? []).map((payment) => payment.street));
    return conclude(
      {
        seenAt: at,
        standing: standing(plate, street),
        paymentDue: isDue(seenAt),
        sources: MODEL.sources.map((code, source) => this.#source(code, source, now)),
        lineRejected: false,
        paymentUnsettled: false,
        subscriptionMayBeRenewed: false,
        similarPlateEntitled: platesOneSlipAway(plate).some(
          (other) => this.#byPlate.has(other) && standing(other, street) !== null,
        ),
        validIn: [...streets]
          .filter((other) => other !== street && standing(plate, other) !== null)
          .map(String),
      },
      TOLERANCE,
      instant(now),
    );
  }

  #rights(plate: Plate, street: number, now: number): Rights {
    const sessions = (this.#byPlate.get(plate) ?? [])
      .filter((payment) => payment.street === street && payment.knownAt <= now)
      .map(({ startsAt, endsAt }) => ({
        startsAt: instant(startsAt),
        endsAt: instant(endsAt),
        cancelledAt: null,
        openSessionMaxHours: 72,
      }));
    return { sessions, subscriptions: [] };
  }

  readonly #counted = new Map<string, DelayCount[]>();

  #source(code: string, source: number, now: number): AwaitedSource {
    const stop = this.#stops[source];
    const isStopped = stop && now >= stop[0] && now < stop[1];
    const last = Math.floor((isStopped ? stop[0] : now) / MINUTE) * MINUTE;
    const key = `${source} ${last}`;
    const delays = this.#counted.get(key) ?? countsOf(this.#delays[source] ?? [], last);
    this.#counted.set(key, delays);
    return {
      ...{ code, isSystem: false, staleAfterMinutes: 15, lastOutcome: 'succeeded', delays },
      lastSuccessfulAt: instant(last),
    };
  }
}

/** The delays known by then, a count for each day and step. */
function countsOf(delays: readonly (DelayCount & { readonly knownAt: number })[], by: number): DelayCount[] {
  const sums = new Map<string, DelayCount>();
  for (const { day, step, knownAt } of delays) {
    if (knownAt > by) break;
    const key = `${day} ${step}`;
    sums.set(key, { day, step, count: (sums.get(key)?.count ?? 0) + 1 });
  }
  return [...sums.values()];
}

const areaOf = (street: number) => ({ code: String(street), facility: null });
const isDue = (seenAt: number): boolean => paymentDue(HOURS, instant(seenAt));
const isFine = (finding: Finding): boolean => finding === 'no_entitlement';
