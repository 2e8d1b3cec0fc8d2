import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { City } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { databaseDouble, writesCallLog } from '../support/doubles.ts';
import { CITY } from '../support/seed.ts';
import { bearer, Service } from '../support/service.ts';

const PATH = '/api/v2/parking-entitlements/search';
const V1 = '/api/v1/parking/check-plate';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const FACILITY = { plate: 'A', area_code: 'P1' };
const JSON_BODY = { 'Content-Type': 'application/json' };

const city = new City(CITY, { anew: true });
afterEach(() => vi.restoreAllMocks());

const rows = async () => (await env.DB.prepare('select * from logged_calls').all()).results;

describe('The call log', () => {
  it('leads from a request id to the call', async () => {
    const before = Date.now();
    const answer = await city.post(PATH, { ...FACILITY, event: 'entry' });
    const [row, ...others] = await rows();
    expect(others).toEqual([]);
    expect(row).toEqual({
      request_id: answer.body.request_id,
      at: expect.any(Number),
      operation: 'plate_check',
      credential_id: city.credential.credentialId,
      tenant: 'acme',
      municipality_code: 'H501',
      address: '203.0.113.7',
      http_status: 200,
      outcome: 'NO_VALID_FACILITY_ENTITLEMENT',
      duration_ms: expect.any(Number),
      action: null,
      target: null,
      officer_reference: null,
      request: null,
      response: null,
      plate_digest: expect.any(String),
    });
    expect(row?.at).toBeGreaterThanOrEqual(before);
  });

  it.each<[string, string, unknown, string, string | null]>([
    ['a V1 check in a facility, for V1 knows no gates', V1, FACILITY, 'OK', 'H501'],
    ['a bad body', PATH, '{', 'INVALID_JSON', null],
    ['a bad field', PATH, { plate: '' }, 'INVALID_PLATE', null],
    [
      'what is refused once its city was chosen',
      PATH,
      { plate: 'A', area_code: 'X' },
      'AREA_NOT_FOUND',
      'H501',
    ],
  ])('has of %s the outcome, the credential and the municipality', async (_, path, body, outcome, code) => {
    await city.post(path, body, JSON_BODY);
    expect(await rows()).toMatchObject([
      { outcome, credential_id: expect.any(String), tenant: 'acme', municipality_code: code },
    ]);
  });

  it('has a failure of ours', async () => {
    const DB = databaseDouble({
      around: (run, sql) => (writesCallLog(sql) ? run() : Promise.reject(new Error('D1 is away'))),
    });
    await city.post(PATH, FACILITY, {}, new Service({ DB }));
    expect(await rows()).toMatchObject([{ outcome: 'TEMPORARY_ERROR', http_status: 500 }]);
  });

  it('leaves what strangers could flood it with to the structured log', async () => {
    const log = vi.spyOn(console, 'log');
    const { headers } = await issueCredential({ rateLimit: 1 });
    await city.post(PATH, FACILITY, { Authorization: '' });
    await city.post(PATH, FACILITY, bearer('x'));
    await city.post(`${PATH}/x`, FACILITY);
    await city.service.settle(PATH);
    await city.service.settle('/health');
    await city.post(PATH, FACILITY, headers);
    await city.post(PATH, FACILITY, headers);
    expect(await rows()).toMatchObject([{ outcome: 'NO_VALID_FACILITY_ENTITLEMENT' }]);
    const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines.map(({ event, outcome }) => `${event} ${outcome}`)).toEqual(
      [
        ...['TOKEN_MISSING', 'TOKEN_INVALID', 'NOT_FOUND', 'METHOD_NOT_ALLOWED', 'OK'],
        ...['NO_VALID_FACILITY_ENTITLEMENT', 'RATE_LIMIT_EXCEEDED'],
      ].map((outcome) => `call ${outcome}`),
    );
  });

  it.each<[string, string, Parameters<typeof issueCredential>[0]]>([
    ['TOKEN_REVOKED', PATH, { revokedAt: 1 }],
    ['TOKEN_EXPIRED', OPTIONS, { expiresAt: 1 }],
    ['IP_NOT_ALLOWED', PATH, { ipAllowlist: ['198.51.100.1'] }],
    ['SCOPE_NOT_ALLOWED', OPTIONS, { scopes: ['import'] }],
  ])(
    'has no row of what the object refuses with %s, which names its credential in its line',
    async (...refused) => {
      const [outcome, path, changed] = refused;
      const { credentialId, headers } = await issueCredential(changed);
      const log = vi.spyOn(console, 'log');
      await city.post(path, { plate: 'A' }, headers);
      expect(log.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([
        { event: 'call', outcome, credential_id: credentialId, tenant: 'acme' },
      ]);
      expect(await rows()).toEqual([]);
    },
  );
});

it('Many calls cost one write of the call log', async () => {
  let writes = 0;
  const DB = databaseDouble({
    around: (run, sql) => {
      writes += writesCallLog(sql) ? 1 : 0;
      return run();
    },
  });
  // A first row waits for company.
  const service = new Service({ DB }, 200);
  await Promise.all(Array.from({ length: 60 }, () => city.post(V1, FACILITY, {}, service)));
  expect(writes).toBe(1);
  expect(await rows()).toHaveLength(60);
});
