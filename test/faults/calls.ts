import { env } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { expect } from 'vitest';
import { callLog } from '../../src/db/schema/index.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';
import { expectRefusal } from '../conformance/envelope.ts';
import { ADMIN_OPERATIONS, OPERATIONS } from '../conformance/operations.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { CITY, MONTHLY, type Seed, seed } from '../support/seed.ts';
import { ADMIN, type Answer, type Call, type Service } from '../support/service.ts';

/** A call of an operation whose right answer says yes: no failure can be taken for it, and no negative. */
export interface Example {
  readonly name: string;
  /** Within it the answer is there; of an import, of one that hangs in a single round trip. */
  readonly deadlineMs: number;
  /** Whether it goes on from the database while the credential's object is away. */
  readonly isGate: boolean;
  readonly asksObject: boolean;
  /** Of how many calls of objects it makes, while they are away: how often it tries before it gives up. */
  readonly mostObjectTrips?: number;
  /** After how long it gives up when objects hang, if that is not its deadline. */
  readonly objectHangsForMs?: number;
  /** Else what decides about it is in the object alone. */
  readonly asksDatabase: boolean;
  /** Else the administrator makes it. */
  readonly hasCredential: boolean;
  readonly takesBody: boolean;
  /** Whether it has a row in the call log. */
  readonly isLogged: boolean;
  /** A call that has not been made yet: what it stores is new, what it changes is there. */
  readonly next: () => Promise<Call & { readonly path: string }>;
  readonly right: { readonly status: number; readonly body: object };
}

const NOW = Date.now();
const PLATE = 'AB123CD';
const REQUEST_ID = '6f1f3c1e-0000-4000-8000-000000000001';
const hour = { startsAt: NOW - HOUR_MS, endsAt: NOW + HOUR_MS };
const session = { municipalityId: 1, sourceCode: 'app1', ...hour };

/** A city in which one plate holds all that can be held, and another stands in the street. */
const ENTITLED = {
  ...CITY,
  parkingSessions: [
    { ...session, sessionId: 'gate', areaId: 2, plate: PLATE },
    { ...session, sessionId: 'street', areaId: 1, plate: 'STREET' },
  ],
  subscriptions: [
    { id: 1, municipalityId: 1, subscriptionNumber: 'N1', typeId: 1, approval: 'approved', allAreas: true },
  ],
  subscriptionPlates: [{ subscriptionId: 1, municipalityId: 1, plate: PLATE }],
  subscriptionPeriods: [{ subscriptionId: 1, ...hour }],
  plans: [MONTHLY],
} satisfies Seed;

let credential: TestCredential;
let serial = 0;

/** To be called before the first example. */
export async function prepareExamples(): Promise<void> {
  await seed(ENTITLED);
  credential = await issueCredential();
  await drizzle(env.DB).insert(callLog).values({
    requestId: REQUEST_ID,
    at: NOW,
    operation: 'plate_check',
    httpStatus: 200,
    outcome: 'OK',
    durationMs: 1,
  });
}

interface Sent {
  readonly body: () => object | string;
  readonly right: object;
}

const atGate: Sent = {
  body: () => ({ plate: PLATE, area_code: 'P1', event: 'entry' }),
  right: { access_granted: true, has_valid_parking: true, has_valid_subscription: true },
};

/** By path. A day long past, so that the report stays as it is. */
const SENT: Readonly<Record<string, Sent>> = {
  '/api/v2/parking-entitlements/search': atGate,
  '/api/v2/parking/check-plate': atGate,
  '/api/v1/parking/check-plate': {
    body: () => ({ plate: PLATE, area_code: 'P1' }),
    right: { has_valid_parking: true },
  },
  '/api/v2/parking-meters/subscription-options': {
    body: () => ({ plate: PLATE }),
    right: { result_code: 'OPTIONS_AVAILABLE', eligible: true, options_count: 1 },
  },
  '/api/v2/parking/reports/active-by-area': {
    body: () => ({}),
    right: { totals: { active_now: 1 }, areas_count: 1 },
  },
  '/api/v2/imports/sessions?source_code=app1': {
    body: () =>
      JSON.stringify({
        session_id: `new ${serial}`,
        plate: 'LONGAGO',
        area_code: 'S1',
        starts_at: new Date(NOW - 10 * DAY_MS).toISOString(),
        ends_at: new Date(NOW - 9 * DAY_MS).toISOString(),
      }),
    right: { received: 1, created: 1 },
  },
  '/api/v2/imports/subscriptions': {
    body: () =>
      JSON.stringify({
        subscription_number: `new ${serial}`,
        type: 'RES',
        plates: [{ plate: 'OTHER' }],
        approval: 'approved',
        areas: ['S1'],
        periods: [],
      }),
    right: { received: 1, created: 1 },
  },
};

/** What an import's step may take. */
const STEP_MS = 10_000;

const CREDENTIALS_OWN: readonly Example[] = OPERATIONS.map(
  ({ name, path, contentType, fallsBack, deadlineMs = STEP_MS }) => {
    const { body, right } = SENT[path] ?? expect.fail(`there is no example of ${path}`);
    return {
      name,
      deadlineMs,
      isGate: fallsBack,
      asksObject: true,
      asksDatabase: true,
      hasCredential: true,
      takesBody: true,
      isLogged: true,
      right: { status: 200, body: right },
      next: async () => {
        serial += 1;
        return {
          path,
          method: 'POST',
          headers: { ...credential.headers, 'Content-Type': contentType },
          body: body(),
        };
      },
    };
  },
);

type AdminOperation = (typeof ADMIN_OPERATIONS)[number];
type AdminName = AdminOperation extends infer O
  ? O extends { readonly method: infer M extends string; readonly path: infer P extends string }
    ? `${M} ${P}`
    : never
  : never;

interface AdminSent {
  readonly deadlineMs: number;
  readonly asksObject?: true;
  readonly asksDatabase?: false;
  readonly mostObjectTrips?: number;
  readonly objectHangsForMs?: number;
  readonly body?: () => object;
  readonly status?: 201;
  readonly right: object;
}

const ofCredential = { deadlineMs: 10_000, asksObject: true } as const;
const ofObject = { ...ofCredential, asksDatabase: false } as const;

const ADMIN_SENT: { readonly [Name in AdminName]: AdminSent } = {
  'PUT /api/v2/admin/configuration': {
    deadlineMs: 30_000,
    body: () => ({ municipalities: [{ code: 'H501', areas: [{ code: 'S1', capacity: 100 + serial }] }] }),
    right: { updated: 1, unchanged: 1 },
  },
  'GET /api/v2/admin/configuration?municipality_code=H501': {
    deadlineMs: 5_000,
    right: { configuration: { municipalities: [{ code: 'H501', plans: [{ codice_tariffa: '101' }] }] } },
  },
  'POST /api/v2/admin/credentials': {
    ...ofCredential,
    mostObjectTrips: 3,
    objectHangsForMs: 6_000,
    body: () => ({ tenant: 'acme', name: 'new', scopes: ['report'], municipalities: ['H501'] }),
    status: 201,
    right: { access_token: expect.stringMatching(/^pev_at_/) },
  },
  'GET /api/v2/admin/credentials': {
    deadlineMs: 10_000,
    right: { credentials: expect.arrayContaining([expect.objectContaining({ tenant: 'acme' })]) },
  },
  'PATCH /api/v2/admin/credentials/0123456789ab': {
    ...ofObject,
    body: () => ({ name: 'changed' }),
    right: { name: 'changed' },
  },
  'POST /api/v2/admin/credentials/0123456789ab/rotate': {
    ...ofObject,
    body: () => ({}),
    right: { access_token: expect.stringMatching(/^pev_at_/) },
  },
  'POST /api/v2/admin/credentials/0123456789ab/revoke': {
    ...ofObject,
    right: { revoked_at: expect.any(String) },
  },
  'POST /api/v2/admin/credentials/reconcile': {
    ...ofCredential,
    // Six objects at a time.
    mostObjectTrips: 12,
    right: { checked: expect.any(Number), mended: 0 },
  },
  'GET /api/v2/admin/calls/0123456789ab': { deadlineMs: 5_000, right: { call: { request_id: REQUEST_ID } } },
};

const ADMINISTRATORS: readonly Example[] = ADMIN_OPERATIONS.map(({ method, path }) => {
  // Each pair of the list is a name of the record.
  const name = `${method} ${path}` as AdminName;
  const { asksObject = false, asksDatabase = true, body, status = 200, right, ...times } = ADMIN_SENT[name];
  return {
    name,
    ...times,
    isGate: false,
    asksObject,
    asksDatabase,
    hasCredential: false,
    takesBody: method !== 'GET',
    isLogged: method !== 'GET',
    right: { status, body: right },
    next: async () => {
      serial += 1;
      return {
        path: path.includes('0123456789ab') ? path.replace('0123456789ab', await idFor(path)) : path,
        method,
        headers: ADMIN,
        ...(body && { body: body() }),
      };
    },
  };
});

const idFor = async (path: string): Promise<string> =>
  path.includes('/calls/') ? REQUEST_ID : (await issueCredential()).credentialId;

/** Every operation that asks a database, an object or a store. */
export const EXAMPLES: readonly Example[] = [...CREDENTIALS_OWN, ...ADMINISTRATORS];

export const send = (
  { path, ...call }: Call & { readonly path: string },
  service: Service,
): Promise<Answer> => service.call(path, call);

export function expectRight({ right }: Example, { status, body }: Answer): void {
  expect([status, body]).toMatchObject([right.status, right.body]);
}

export function expectFailure(answer: Answer): void {
  expectRefusal(answer, 500, 'TEMPORARY_ERROR');
  expect(answer.headers.get('Retry-After')).toBe('1');
}

/** For a fault that may be overcome: nothing but the right answer and the failure will do. */
export function expectRightOrFailure(example: Example, answer: Answer): void {
  if (answer.status === 500) {
    expectFailure(answer);
  } else {
    expectRight(example, answer);
  }
}
