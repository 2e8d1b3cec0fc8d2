import { beforeAll, describe, expect, it } from 'vitest';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { CITY, ROME, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';

/** A request, before it is sent: each fault changes one thing of it. */
interface Made {
  method: string;
  token: 'good' | 'made_up';
  scope: 'own' | 'other';
  address: string;
  budget: 'free' | 'spent';
  contentType: string;
  padding: number;
  isCut: boolean;
  body: Record<string, unknown>;
}

type Fault = readonly [code: string, make: (made: Made) => void];

/** The faults of any operation with a JSON body, in the order in which they are told. */
const FAULTS: readonly Fault[] = [
  ['METHOD_NOT_ALLOWED', (made) => Object.assign(made, { method: 'PUT' })],
  ['TOKEN_INVALID', (made) => Object.assign(made, { token: 'made_up' })],
  ['IP_NOT_ALLOWED', (made) => Object.assign(made, { address: '198.51.100.1' })],
  ['SCOPE_NOT_ALLOWED', (made) => Object.assign(made, { scope: 'other' })],
  ['RATE_LIMIT_EXCEEDED', (made) => Object.assign(made, { budget: 'spent' })],
  ['INVALID_CONTENT_TYPE', (made) => Object.assign(made, { contentType: 'text/plain' })],
  ['PAYLOAD_TOO_LARGE', (made) => Object.assign(made, { padding: 65 * 1024 })],
  ['INVALID_JSON', (made) => Object.assign(made, { isCut: true })],
  ['INVALID_REQUEST', ({ body }) => Object.assign(body, { plate: 7 })],
  ['MUNICIPALITY_NOT_ALLOWED', ({ body }) => Object.assign(body, { municipality_code: 'ZZZZ' })],
  [
    'SERVICE_DISABLED',
    ({ body }) => Object.assign(body, { municipality_code: body.municipality_code ?? 'OFF' }),
  ],
];

const OPERATIONS: readonly {
  readonly path: string;
  readonly scope: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly faults: readonly Fault[];
}[] = [
  {
    path: '/api/v2/parking-entitlements/search',
    scope: 'plate_check',
    body: { plate: 'AB123CD' },
    faults: [...FAULTS, ['AREA_NOT_FOUND', ({ body }) => Object.assign(body, { area_code: 'NONE' })]],
  },
  {
    path: '/api/v2/parking-meters/subscription-options',
    scope: 'subscription_options',
    body: { plate: 'AB123CD' },
    faults: FAULTS,
  },
];

const ADDRESS = '203.0.113.7';
const service = new Service();

beforeAll(async () => {
  const off = { plateCheckEnabled: false, subscriptionOptionsEnabled: false };
  await seed({ ...CITY, municipalities: [ROME, { ...ROME, id: 2, code: 'OFF', ...off }] });
});

describe.each(OPERATIONS)('Of two faults in a request to $path the first in order is told', (operation) => {
  const { path, scope, body, faults } = operation;
  const issued = new Map<string, Promise<TestCredential>>();

  /** One credential for each scope and state of its budget. */
  function credentialOf(made: Made): Promise<TestCredential> {
    const key = `${made.scope} ${made.budget}`;
    const found = issued.get(key) ?? issue(made);
    issued.set(key, found);
    return found;
  }

  async function issue(made: Made): Promise<TestCredential> {
    const scopes = [made.scope === 'own' ? scope : 'report'];
    const rate = made.budget === 'spent' ? { rateLimit: 1, rateWindowSeconds: 3_600 } : {};
    const credential = await issueCredential({ scopes, ipAllowlist: [ADDRESS], ...rate }, [1, 2]);
    // The only call that it may make.
    if (made.budget === 'spent') await service.post(path, body, credential.headers);
    return credential;
  }

  async function codeOf(...made: readonly Fault[]): Promise<unknown> {
    const request: Made = {
      ...{ method: 'POST', token: 'good', scope: 'own', address: ADDRESS, budget: 'free' },
      ...{ contentType: 'application/json', padding: 0, isCut: false, body: { ...body } },
    };
    for (const [, make] of made) make(request);
    request.body.municipality_code ??= ROME.code;
    const { headers } = await credentialOf(request);
    const text = JSON.stringify(request.body).slice(0, request.isCut ? -1 : undefined);
    const answer = await service.call(path, {
      method: request.method,
      headers: {
        ...(request.token === 'good' ? headers : { Authorization: 'Bearer pev_at_made_up' }),
        'CF-Connecting-IP': request.address,
        'Content-Type': request.contentType,
      },
      body: text + ' '.repeat(request.padding),
    });
    return (answer.body as { error?: { code: string } }).error?.code ?? answer.status;
  }

  it('and without any it is answered', async () => {
    expect(await codeOf()).toBe(200);
  });

  const pairs = faults.flatMap((first, index) =>
    faults.slice(index).map((second) => [first, second] as const),
  );
  it.each(pairs.map(([first, second]) => [first[0], second[0], first, second] as const))(
    '%s before %s',
    async (code, _, first, second) => {
      // The later one is made first: no fault hides by being made last.
      expect(await codeOf(second, first)).toBe(code);
      expect(await codeOf(first, second)).toBe(code);
    },
  );
});
