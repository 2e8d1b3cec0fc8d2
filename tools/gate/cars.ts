import type { AccessEvent } from '../../src/domain/facility-access.ts';
import { LARGE_FACILITY } from '../local/demo/configuration.ts';
import { SHOWN, TORINO } from '../local/demo/plates.ts';

/** A car of the demonstration, at the gate. */
export interface Car {
  /** As a person writes it. */
  readonly plate: string;
  readonly event: AccessEvent;
  /** Its story, in words. */
  readonly story: string;
}

/** Where the gate stands. */
export const GATE = { municipalityCode: TORINO, areaCode: LARGE_FACILITY };

const EVENTS = ['entry', 'exit'] as const;

/** The demonstration's plates that have something to show at this gate, and an unknown one. */
const CARS: readonly Car[] = [
  ...SHOWN.flatMap(({ plate, story, shows = {} }) =>
    EVENTS.filter((event) => `${event} ${LARGE_FACILITY}` in shows).map((event) => ({
      plate: plate.replace(/^([A-Z]{2})(\d{3})([A-Z]{2})$/, '$1 $2 $3'),
      ...{ event, story },
    })),
  ),
  { plate: 'QU 999 QU', event: 'entry', story: 'an unknown plate' },
];

/** They come again and again. */
export function* cars(): Generator<Car, never, void> {
  for (;;) yield* CARS;
}
