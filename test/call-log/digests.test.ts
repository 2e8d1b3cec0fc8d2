import { env } from 'cloudflare:workers';
import { createHmac } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { countedBindings } from '../support/doubles.ts';
import { CITY, ROME, seed } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

const CHECK = '/api/v2/parking-entitlements/search';
const ALIAS = '/api/v2/parking/check-plate';
const V1 = '/api/v1/parking/check-plate';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const KEY = 'digest-key-of-the-tests-long-enough';

/** Made here by hand, with another library than the service's. */
/** The half of a digest that is kept. */
const digestOf = (place: string, plate: string, key = KEY) =>
  createHmac('sha256', key).update(`${place}\0${plate}`).digest('hex').slice(0, 32);

let credential: TestCredential;

beforeAll(async () => {
  await seed({ ...CITY, municipalities: [ROME, { ...ROME, id: 2, code: 'OFF', plateCheckEnabled: false }] });
  credential = await issueCredential({}, [1, 2]);
});
beforeEach(async () => {
  await env.DB.prepare('delete from calls').run();
});
afterEach(() => vi.restoreAllMocks());

const kept = async () =>
  (await env.DB.prepare('select operation, outcome, plate_digest, request from logged_calls').all()).results;
const call = (path: string, body: object, service = new Service(), headers = credential.headers) =>
  service.settle(path, { method: 'POST', body, headers });

describe('The digest of a plate in the call log', () => {
  it.each([CHECK, ALIAS, V1])(
    'is kept of a check at %s, made of the municipality and the normalized plate',
    async (path) => {
      await call(path, { plate: ' ab-123 cd', municipality_code: 'H501' });
      expect(await kept()).toMatchObject([{ outcome: 'OK', plate_digest: digestOf('H501', 'AB123CD') }]);
    },
  );

  it.each([
    ['AREA_NOT_FOUND', 'H501', { area_code: 'NONE' }],
    ['FACILITY_REQUIRED', 'H501', { area_code: 'S1', event: 'entry' }],
    ['SERVICE_DISABLED', 'OFF', {}],
  ])(
    'is kept of a check that is refused with %s, once its municipality was chosen',
    async (outcome, code, body) => {
      await call(CHECK, { plate: 'AB123CD', municipality_code: code, ...body });
      expect(await kept()).toMatchObject([{ outcome, plate_digest: digestOf(code, 'AB123CD') }]);
    },
  );

  it.each([
    ['MUNICIPALITY_REQUIRED', {}],
    ['MUNICIPALITY_NOT_ALLOWED', { municipality_code: 'ELSEWHERE' }],
    ['CHECKED_AT_IN_FUTURE', { municipality_code: 'H501', checked_at: '2999-01-01T00:00:00Z' }],
  ])('is not kept of a check that was refused before, with %s', async (outcome, body) => {
    await call(CHECK, { plate: 'AB123CD', ...body });
    expect(await kept()).toMatchObject([{ outcome, plate_digest: null }]);
  });

  it.each([
    ['answered', 'SUBSCRIPTION_NOT_FOUND', { municipality_code: 'H501' }],
    ['refused for its municipality', 'MUNICIPALITY_REQUIRED', {}],
  ])('is of the tenant in an options query that is %s', async (_, outcome, body) => {
    await call(OPTIONS, { plate: 'ab 123 cd', ...body });
    expect(await kept()).toMatchObject([{ outcome, plate_digest: digestOf('acme', 'AB123CD') }]);
  });

  it('is made with the first key that is long enough', async () => {
    const other = 'another-key-of-the-tests-long-enough';
    await call(
      CHECK,
      { plate: 'A', municipality_code: 'H501' },
      new Service({ DIGEST_KEY: ` short, ${other} ,${KEY}` }),
    );
    expect(await kept()).toMatchObject([{ plate_digest: digestOf('H501', 'A', other) }]);
  });

  it.each([undefined, '', ' , ', 'k'.repeat(31)])(
    'is left out while DIGEST_KEY is %j, and checks go on',
    async (DIGEST_KEY) => {
      const service = new Service({ DIGEST_KEY: DIGEST_KEY as string });
      const { status } = await call(CHECK, { plate: 'A', municipality_code: 'H501' }, service);
      expect(status).toBe(200);
      expect(await kept()).toMatchObject([{ outcome: 'OK', plate_digest: null }]);
    },
  );

  it('costs a check no round trip, and its answer none of the time it takes', async () => {
    const { cost, bindings } = countedBindings();
    const service = new Service(bindings, 50);
    const signed = vi.spyOn(crypto.subtle, 'sign');
    const body = { plate: 'SLOW1', municipality_code: 'H501' };
    await call(CHECK, body, service);
    Object.assign(cost, { roundTrips: 0 });
    signed.mockClear();
    const { status } = await service.call(CHECK, { method: 'POST', body, headers: credential.headers });
    expect(status).toBe(200);
    expect(cost.roundTrips).toBe(1);
    const ofPlate = signed.mock.calls.filter(([, , data]) =>
      new TextDecoder().decode(data as Uint8Array).includes('SLOW1'),
    );
    expect(ofPlate).toEqual([]);
  });

  it('is all that stays of a check’s plate, and the administrator is not shown it', async () => {
    const lines = vi.spyOn(console, 'log');
    const { body } = await call(CHECK, { plate: 'SECRET1', municipality_code: 'H501' });
    const { results } = await env.DB.prepare('select * from logged_calls').all();
    expect(JSON.stringify(results)).not.toContain('SECRET1');
    expect(JSON.stringify(lines.mock.calls)).not.toContain('SECRET1');
    const shown = await new Service().call(`/api/v2/admin/calls/${String(body.request_id)}`, {
      headers: ADMIN,
    });
    expect(JSON.stringify(shown.body)).not.toContain(digestOf('H501', 'SECRET1'));
    expect(Object.keys(shown.body.call as object)).not.toContain('plate_digest');
  });
});
