import { type Instant, MINUTE_MS } from '../../../src/domain/instant.ts';
import { type DemoArea, vehiclesIn } from './areas.ts';
import type { SourceCode } from './configuration.ts';
import { type SourcedSession, timeText } from './lines.ts';
import { plateOf } from './plates.ts';
import { Random } from './random.ts';

/** Lengths are multiples of 15 min: on a street 30 min to 3 h, in a facility 45 min to 9 h. */
const QUARTER_MS = 15 * MINUTE_MS;
const LENGTHS = { street: { fewest: 2, most: 12 }, facility: { fewest: 3, most: 36 } } as const;

/** Of ten sessions, four are paid at a meter, four with the app and two booked. */
const SOURCE_SHARES: readonly SourceCode[] = [
  ...(['meters', 'meters', 'meters', 'meters'] as const),
  ...(['app', 'app', 'app', 'app'] as const),
  ...(['booking', 'booking'] as const),
];
/** One app session in this many is start-and-stop. */
const START_AND_STOP_ONE_IN = 3;
/** One space in this many also has the session before the present one, or the session after it. */
const SHOWS_LAST_ONE_IN = 20;
const BOOKED_AHEAD_ONE_IN = 20;

/** The number of a space is below this, so that it and a turn combine into one serial. */
const MAX_SPACES = 20_000;
const TURNS_OF_PLATES = 10_000;

/** A space with endless consecutive sessions of one length. Turn 0 starts at the phase. */
interface Space {
  readonly area: DemoArea;
  readonly id: string;
  /** Among all spaces, from 0. */
  readonly number: number;
  readonly lengthMs: number;
  readonly phaseMs: number;
  readonly sourceCode: SourceCode;
  readonly isStartAndStop: boolean;
  readonly showsLast: boolean;
  readonly isBookedAhead: boolean;
}

/**
 * Synthetic sessions around an instant, when as many are valid in each area as vehicles are there. They are of all sources; some
 * have no end, some have just ended, some are booked ahead.
 *
 * The same instant gives the same sessions, and a later one the same ids: a space's ended session is replaced by the next one
 * under the same id, so that repeated imports do not make the data grow.
 */
export function ordinarySessions(areas: readonly DemoArea[], now: Instant): SourcedSession[] {
  let spaces = 0;
  return areas.flatMap((area) =>
    Array.from({ length: vehiclesIn(area) }, (_, index) =>
      occupied(spaceOf(area, index, spaces++), now),
    ).flat(),
  );
}

function spaceOf(area: DemoArea, index: number, number: number): Space {
  if (number >= MAX_SPACES) throw new Error(`there are more than ${MAX_SPACES} spaces`);
  const id = `${area.code}-${index + 1}`;
  const random = new Random(`${area.municipalityCode} ${id}`);
  const { fewest, most } = LENGTHS[area.areaType];
  const lengthMs = (fewest + random.below(most - fewest + 1)) * QUARTER_MS;
  const phaseMs = random.below(lengthMs / MINUTE_MS) * MINUTE_MS;
  const sourceCode = SOURCE_SHARES[random.below(SOURCE_SHARES.length)] ?? 'meters';
  const isStartAndStop = random.oneIn(START_AND_STOP_ONE_IN) && sourceCode === 'app';
  return {
    ...{ area, id, number, lengthMs, phaseMs, sourceCode, isStartAndStop },
    showsLast: random.oneIn(SHOWS_LAST_ONE_IN),
    isBookedAhead: random.oneIn(BOOKED_AHEAD_ONE_IN) && !isStartAndStop,
  };
}

function occupied(space: Space, now: Instant): SourcedSession[] {
  const turn = turnAt(space, now);
  const present = session(space, space.id, turn);
  return [
    space.isStartAndStop ? { ...present, line: { ...present.line, ends_at: null } } : present,
    ...(space.showsLast ? [session(space, `${space.id}-last`, turn - 1)] : []),
    ...(space.isBookedAhead ? [session(space, `${space.id}-next`, turn + 1)] : []),
  ];
}

function turnAt({ phaseMs, lengthMs }: Space, now: Instant): number {
  return Math.floor((now - phaseMs) / lengthMs);
}

function session(space: Space, id: string, turn: number): SourcedSession {
  const startsAt = space.phaseMs + turn * space.lengthMs;
  return {
    municipalityCode: space.area.municipalityCode,
    sourceCode: space.sourceCode,
    line: {
      session_id: id,
      plate: plateOf(space.number + MAX_SPACES * (turn % TURNS_OF_PLATES)),
      area_code: space.area.code,
      starts_at: timeText(startsAt),
      ends_at: timeText(startsAt + space.lengthMs),
    },
  };
}
