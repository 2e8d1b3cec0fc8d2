import { type Instant, MINUTE_MS } from '../../src/domain/instant.ts';
import { platesOneSlipAway } from '../../src/domain/patrol/similar-plates.ts';
import { normalizePlate } from '../../src/domain/plate.ts';
import { readAreas } from '../local/demo/areas.ts';
import { readOccupancyCurve } from '../local/demo/occupancy.ts';
import {
  FREE_STREET,
  NEVER_PAID,
  OVERSTAYING,
  PATROL_CITY,
  PATROL_FACILITY,
  UNREADABLE,
} from '../local/demo/patrol-street.ts';
import { ordinarySessions } from '../local/demo/sessions.ts';

/** A car of the demonstration that an officer meets. */
export interface ParkedCar {
  readonly plate: string;
  readonly areaCode: string;
  readonly minutesAgo: number;
  /** Its story, in words. */
  readonly story: string;
}

/** Where the officer walks. */
export interface Walk {
  readonly name: string;
  readonly cars: readonly ParkedCar[];
}

/** Sessions run for a while, so that nothing changes during the demonstration. */
const RUNS_FOR_MS = 10 * MINUTE_MS;
/** Long enough ago for every source of the city to have reported, so that waiting settles nothing. */
const LONG_AGO = 90;

/** A car park of the demonstration, with one car for each finding and for each doubt. */
export function walkThrough(now: Instant): Walk {
  const areas = readAreas();
  const running = ordinarySessions(areas, readOccupancyCurve(), now).filter(
    ({ municipalityCode, line: { starts_at, ends_at } }) =>
      municipalityCode === PATROL_CITY &&
      Date.parse(starts_at) <= now - LONG_AGO * MINUTE_MS - RUNS_FOR_MS &&
      (ends_at == null || Date.parse(ends_at) > now + RUNS_FOR_MS),
  );
  const [paid, typed] = running.filter(({ line }) => line.area_code === PATROL_FACILITY);
  const elsewhere = running.find(({ line }) => line.area_code !== PATROL_FACILITY);
  if (!paid || !typed || !elsewhere) {
    throw new Error('Too few cars of the demonstration are parked at this hour.');
  }
  const car = (plate: string, story: string, minutesAgo = LONG_AGO, areaCode = PATROL_FACILITY) => ({
    ...{ plate, areaCode, minutesAgo, story },
  });
  const { name } = areas.find(
    ({ municipalityCode, code }) => municipalityCode === PATROL_CITY && code === PATROL_FACILITY,
  ) ?? { name: PATROL_FACILITY };
  return {
    name,
    cars: [
      car(paid.line.plate, 'the driver has paid', 0),
      car(OVERSTAYING, 'paid until twenty minutes ago', 0),
      car('QU999QU', 'on a street where nothing is ever due', 0, FREE_STREET),
      car('QU998QU', 'no session so far: the payment may be under way', 0),
      car(slipOf(typed.line.plate), `the driver paid for ${typed.line.plate}`),
      car(elsewhere.line.plate, `paid for ${elsewhere.line.area_code}`),
      car(NEVER_PAID, 'a resident’s permit that was never paid'),
      car(UNREADABLE, 'the payment could not be read'),
      car('QU997QU', 'no session for an hour and a half'),
    ],
  };
}

/** The plate as a finger that slips, or a camera, has it. */
function slipOf(text: string): string {
  const plate = normalizePlate(text);
  const [slip = text] = plate === null ? [] : platesOneSlipAway(plate).slice(-1);
  return slip;
}
