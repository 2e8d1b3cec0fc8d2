import { afterAll, beforeAll } from 'vitest';
import {
  ADMIN_TOKEN,
  Desk,
  type Done,
  type How,
  openCity,
  type RunningService,
  startService,
} from './office.ts';

/** For the service, on a busy machine. */
export const START_MS = 60_000;

/** With a city in it. */
export let service: RunningService;
/** Of an operator, for everything in the city. */
export let token: string;
export let desk: Desk;

/** Registers what opens the office before the tests of a file, and closes it after them. */
export function openOffice(): void {
  beforeAll(async () => {
    service = await startService();
    token = await openCity(service);
    desk = new Desk();
  }, START_MS);
  afterAll(async () => {
    desk.leave();
    await service.stop();
  });
}

export const operator = () => ({ PARKING_URL: service.address, PARKING_TOKEN: token });
export const administrator = () => ({ PARKING_URL: service.address, PARKING_TOKEN: ADMIN_TOKEN });

/** Runs the command without a terminal; the environment may say otherwise. */
export const asOperator = (args: readonly string[], how: How = {}): Promise<Done> =>
  desk.run(args, { ...how, environment: { ...operator(), ...how.environment } });

export const asAdministrator = (args: readonly string[], how: How = {}): Promise<Done> =>
  desk.run(args, { ...how, environment: { ...administrator(), ...how.environment } });
