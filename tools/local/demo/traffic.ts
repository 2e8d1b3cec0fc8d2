import { createHash } from 'node:crypto';
import { MINUTE_MS } from '../../../src/domain/instant.ts';
import { AREAS, CITIES, type DemoArea, vehiclesIn } from './areas.ts';
import { type Lines, linesAt, type SessionLine } from './plates.ts';

/** Lengths are multiples of 15 min: on a street 30 min to 3 h, in a facility 45 min to 9 h. */
const QUARTER_MS = 15 * MINUTE_MS;
const LENGTHS = { street: { fewest: 2, most: 12 }, facility: { fewest: 3, most: 36 } } as const;

/** Of ten sessions, four are paid at a meter, four with the app and two booked. */
const SOURCES = ['meters', 'app', 'meters', 'app', 'booking'] as const;
/** One app session in this many is start-and-stop. */
const START_AND_STOP_ONE_IN = 3;

/** The number of a space is below this, so that it and a turn combine into one serial. */
const MAX_SPACES = 20_000;
const TURNS_OF_PLATES = 10_000;

const SUBSCRIPTIONS_PER_CITY = 100;
/** Above the serials of all sessions' plates. */
const FIRST_SUBSCRIBED_PLATE = 210_000_000;
const TYPES = ['RES', 'RES', 'RES', 'WORK', 'FLEET'] as const;

/** Italian plates do not use I, O, Q and U. */
const LETTERS = 'ABCDEFGHJKLMNPRSTVWXYZ';
const PLATES = LETTERS.length ** 4 * 1_000;
/** Coprime to the number of plates: neighbouring serials get distant plates, and no two the same. A product is a safe integer. */
const STRIDE = 38_271_043;

/**
 * Synthetic sessions and subscriptions around an instant, in the areas and cities of the seed. As many sessions are valid
 * in each area as vehicles are there. The same instant gives the same lines, and a later one the same keys: a space's
 * ended session is replaced by the next one under its id, so that repeated imports do not make the data grow.
 */
export function ordinaryTraffic(now: number): Lines {
  let spaces = 0;
  return {
    ...linesAt(now, CITIES.flatMap(subscribersOf)),
    sessions: AREAS.flatMap((area) =>
      Array.from({ length: vehiclesIn(area) }, (_, index) => sessionOf(area, index + 1, spaces++, now)),
    ),
  };
}

/** The present session of a space, which has endless consecutive ones of one length. */
function sessionOf(area: DemoArea, number: number, space: number, now: number): SessionLine {
  const city = area.municipality_code;
  const draw = draws(`${city} ${area.area_code} ${number}`);
  const { fewest, most } = LENGTHS[area.area_type];
  const lengthMs = (fewest + draw(most - fewest + 1)) * QUARTER_MS;
  const phaseMs = draw(lengthMs / MINUTE_MS) * MINUTE_MS;
  const source = SOURCES[draw(SOURCES.length)] ?? 'meters';
  const isStartAndStop = source === 'app' && draw(START_AND_STOP_ONE_IN) === 0;
  const turn = Math.floor((now - phaseMs) / lengthMs);
  const startsAt = phaseMs + turn * lengthMs;
  const line = {
    session_id: `${area.area_code}-${number}`,
    plate: plateOf(space + MAX_SPACES * (turn % TURNS_OF_PLATES)),
    area_code: area.area_code,
    starts_at: new Date(startsAt).toISOString(),
    ends_at: isStartAndStop ? null : new Date(startsAt + lengthMs).toISOString(),
  };
  return { city, source, line };
}

/** Plates with a subscription each that is valid everywhere in their city. */
function subscribersOf(city: string, place: number) {
  return Array.from({ length: SUBSCRIPTIONS_PER_CITY }, (_, index) => {
    const subscription_number = `${city}-${String(index + 1).padStart(4, '0')}`;
    const type = TYPES[index % TYPES.length] ?? 'RES';
    const plate = plateOf(FIRST_SUBSCRIBED_PLATE + place * SUBSCRIPTIONS_PER_CITY + index);
    return { plate, city, story: 'ordinary', subscriptions: [{ subscription_number, type }] };
  });
}

/** Numbers below a bound that look random and are the same at every start. */
function draws(seed: string): (bound: number) => number {
  const bytes = createHash('sha256').update(seed).digest();
  let at = 0;
  return (bound) => bytes.readUInt32BE(4 * at++) % bound;
}

/**
 * The plate of a serial number, of the form `AB123CD`. Different serials have different plates.
 *
 * @param serial from 0 to 234,255,999
 */
function plateOf(serial: number): string {
  let rest = (serial * STRIDE) % PLATES;
  const take = (base: number): number => {
    const digit = rest % base;
    rest = Math.floor(rest / base);
    return digit;
  };
  const digits = String(take(1_000)).padStart(3, '0');
  const [a, b, c, d] = [0, 1, 2, 3].map(() => LETTERS.charAt(take(LETTERS.length)));
  return `${a}${b}${digits}${c}${d}`;
}
