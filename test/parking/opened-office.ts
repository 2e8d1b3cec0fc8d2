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

/** The words of a command: a list, or a text with blanks between them. */
export type Words = string | readonly string[];
export const wordsOf = (words: Words): readonly string[] =>
  typeof words === 'string' ? words.split(' ') : words;

/** Runs the command without a terminal; the environment may say otherwise. */
export const asOperator = (words: Words, how: How = {}): Promise<Done> =>
  desk.run(wordsOf(words), { ...how, environment: { ...operator(), ...how.environment } });

export const asAdministrator = (words: Words, how: How = {}): Promise<Done> =>
  desk.run(wordsOf(words), { ...how, environment: { ...administrator(), ...how.environment } });

/** Imports one session, as it is or with other properties. */
export async function importSession(session: Readonly<Record<string, string>>): Promise<void> {
  const line = { area_code: 'S1', starts_at: new Date().toISOString(), ...session };
  const done = await asOperator('import sessions - --source app1', { input: JSON.stringify(line) });
  if (done.code !== 0) throw new Error(done.err);
}

/** Issues a credential of the tenant for the city. */
export async function tokenWith(...scopes: readonly string[]): Promise<string> {
  const { access_token } = await service.administrate('POST', 'credentials', {
    ...{ tenant: 'acme', name: 'A clerk', municipalities: ['H501'], scopes },
    rate_limit: { limit: 10_000, window_seconds: 60 },
  });
  return String(access_token);
}

/** Runs the command with a token of its own. */
export const by = (token: string, words: Words, how: How = {}): Promise<Done> =>
  asAdministrator(words, { ...how, environment: { PARKING_TOKEN: token, ...how.environment } });
