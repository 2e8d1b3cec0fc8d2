import type { Target } from './load.ts';
import type { Runtime } from './runtime.ts';

type Answer = Readonly<Record<string, unknown>>;

/** Where the Workers are, and a token for the city that they know. */
export interface Asked {
  readonly runtime: Pick<Runtime, 'service' | 'yardsticks'>;
  readonly token: string;
}

/** Something that is loaded, and what it must answer to be what its name says. */
export interface Subject {
  readonly name: string;
  readonly target: Target;
  readonly holds: (answer: Answer) => boolean;
}

const EVIDENCE = '/api/v2/evidence/search';
const CHECK = '/api/v2/parking-entitlements/search';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const PAYMENTS = '/api/v2/parking-meters/subscription-payments';
const REPORT = '/api/v2/parking/reports/active-by-area';

const JSON_BODY = { 'content-type': 'application/json' };
const GATE_ENTRY = { area_code: 'P1', event: 'entry' };
/** Of a vehicle that parks in P1, and the session it does so by. */
export const PARKED = 'X21';
export const ITS_SESSION = 's21';
/** Of a vehicle with a subscription, and its number. */
export const SUBSCRIBED = 'T500';
export const ITS_SUBSCRIPTION = 'N500';
const COLLECTED_AT = new Date().toISOString();
const MADE_UP = `pev_at_${'0'.repeat(24)}_${'1'.repeat(64)}_${'2'.repeat(32)}`;

function serviceCall(
  { runtime, token }: Asked,
  path: string,
  body: object,
  { auth = token, status = 200 } = {},
): Target {
  const headers = { ...JSON_BODY, authorization: `Bearer ${auth}` };
  return { url: runtime.service + path, headers, body: JSON.stringify(body), status };
}

/** @param tells what its answer must have in it, so that it has read what it is to read */
export const yardstick = (
  { runtime }: Asked,
  name: string,
  path: string,
  body: object,
  tells = '',
): Subject => ({
  name,
  target: { url: runtime.yardsticks + path, headers: JSON_BODY, body: JSON.stringify(body), status: 200 },
  holds: (answer) => JSON.stringify(answer).includes(tells),
});

const checkOf = (city: Asked, plate: string): Target => serviceCall(city, CHECK, { plate, ...GATE_ENTRY });

export const plateCheckGranted = (city: Asked): Subject => ({
  name: 'plate check, granted',
  target: checkOf(city, PARKED),
  holds: ({ access_granted, sessions_count }) => access_granted === true && sessions_count === 1,
});

/** @param at what was known then is judged beside what is known now */
export const evidenceOf = (city: Asked, plate: string, at: string): Subject => ({
  name: 'evidence of a plate with four versions of a session',
  target: serviceCall(city, EVIDENCE, { plate, at, ...GATE_ENTRY }),
  holds: ({ history_count }) => history_count === 4,
});

export const gateEntryRefused = (city: Asked): Subject => ({
  name: 'gate entry, refused',
  target: checkOf(city, 'NOBODY'),
  holds: ({ access_granted }) => access_granted === false,
});

export const optionsOf = (city: Asked, plate: string): Target => serviceCall(city, OPTIONS, { plate });

/** The same for one plate, however often it is asked for. */
export const paymentFor = (city: Asked, plate: string): Target =>
  serviceCall(city, PAYMENTS, {
    payment_id: `METER-18-${plate}`,
    plate,
    terminal_code: 'METER-18',
    codice_tariffa: '101',
    importo_eurocent: 2_500,
    collected_at: COLLECTED_AT,
  });

export const subscriptionOptions = (city: Asked): Subject => ({
  name: 'subscription options',
  target: optionsOf(city, SUBSCRIBED),
  holds: ({ result_code }) => result_code === 'OPTIONS_AVAILABLE',
});

/** @param snapshotAt when the snapshot was there, a second ago or more: a report of the spot is of its own instant */
export const reportFromSnapshot = (city: Asked, snapshotAt: () => number): Subject => ({
  name: 'report from its snapshot',
  target: serviceCall(city, REPORT, {}),
  holds: ({ checked_at }) => Date.parse(String(checked_at)) <= snapshotAt(),
});

/** The same answer, and nothing but it. */
export const refusalOfMadeUpToken = ({ runtime }: Asked): Subject => ({
  name: 'constant JSON with the same headers',
  target: { url: `${runtime.yardsticks}/refused`, headers: JSON_BODY, body: '{}', status: 401 },
  holds: () => true,
});

export const madeUpToken = (city: Asked): Subject => ({
  name: '401 for a made-up token',
  target: serviceCall(city, CHECK, { plate: PARKED, ...GATE_ENTRY }, { auth: MADE_UP, status: 401 }),
  holds: () => true,
});

/** Asks once, and throws unless the answer is what the subject's name says. Returns its text. */
export async function ask({ name, target, holds }: Subject): Promise<string> {
  const { url, headers, body, status } = target;
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status !== status || !holds(JSON.parse(text) as Answer)) {
    throw new Error(`${name}: answers ${response.status} ${text.slice(0, 1_000)}`);
  }
  return text;
}
