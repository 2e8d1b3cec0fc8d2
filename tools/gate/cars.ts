import type { AccessEvent } from '../../src/domain/facility-access.ts';
import type { Instant } from '../../src/domain/instant.ts';
import { readAreas } from '../local/demo/areas.ts';
import type { SessionLine } from '../local/demo/lines.ts';
import { ordinarySessions } from '../local/demo/sessions.ts';
import { LARGE_FACILITY, SHOWCASE, SHOWCASE_CITY } from '../local/demo/showcase.ts';

/** A car of the demonstration, at the gate. */
export interface Car {
  /** As a person writes it. */
  readonly plate: string;
  readonly event: AccessEvent;
  /** Its story, in words. */
  readonly story: string;
}

/** Where the gate stands. */
export const GATE = { municipalityCode: SHOWCASE_CITY, areaCode: LARGE_FACILITY };

/** One car in so many has a special plate. */
const SPECIAL_EVERY = 2;

/**
 * An endless stream of cars: the demonstration's special plates in turn, and between them its parked cars.
 */
export function* cars(now: Instant): Generator<Car, never, void> {
  const special = specialCars();
  const ordinary = ordinaryCars(now);
  for (let number = 0; ; number++) {
    const turn = Math.floor(number / SPECIAL_EVERY);
    const from = number % SPECIAL_EVERY === 0 || ordinary.length === 0 ? special : ordinary;
    const car = from[turn % from.length];
    if (car === undefined) throw new Error('the demonstration has no car for this gate');
    yield car;
  }
}

/** The special plates with a question that this gate asks. */
function specialCars(): Car[] {
  const known = SHOWCASE.flatMap(({ plate, title, shows }) =>
    shows.flatMap((shown) =>
      shown.by === 'gate' && shown.areaCode === LARGE_FACILITY
        ? [{ plate: spaceOut(plate), event: shown.event, story: title }]
        : [],
    ),
  );
  return [...known, { plate: 'QU 999 QU', event: 'entry', story: 'an unknown plate' }];
}

/** Cars that are parked here as the demonstration was loaded. */
function ordinaryCars(now: Instant): Car[] {
  // In all areas, as loaded: a car's plate depends on how many came before it.
  return ordinarySessions(readAreas(), now)
    .filter(
      ({ municipalityCode, line }) => municipalityCode === SHOWCASE_CITY && line.area_code === LARGE_FACILITY,
    )
    .filter(({ line }) => isRunning(line, now))
    .map(({ line }) => ({
      plate: spaceOut(line.plate),
      event: 'exit',
      story: 'an ordinary customer leaves',
    }));
}

function isRunning({ starts_at, ends_at }: SessionLine, now: Instant): boolean {
  return Date.parse(starts_at) <= now && (ends_at == null || now < Date.parse(ends_at));
}

/** `AB123CD` as `AB 123 CD`. */
function spaceOut(plate: string): string {
  return plate.replace(/^([A-Z]{2})(\d{3})([A-Z]{2})$/, '$1 $2 $3');
}
