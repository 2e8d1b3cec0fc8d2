import { env } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { beforeAll, describe, expect, it } from 'vitest';
import { instant } from '../../src/domain/instant.ts';
import { calls } from '../../src/storage/db/schema/index.ts';
import { CITIES, issue } from '../credentials/support.ts';
import { idOf } from '../support/calls.ts';
import { seed } from '../support/seed.ts';
import { ADMIN, bearer, Service } from '../support/service.ts';

const CALLS = '/api/v2/admin/calls';
const AT = 1_700_000_000_123;

const FOUND = '6f1f3c1e-0000-4000-8000-000000000001';
const ROW = {
  id: idOf(FOUND),
  at: instant(AT),
  operation: 'subscription_options',
  credentialId: '0123456789abcdef01234567',
  tenant: 'acme',
  municipalityCode: 'H501',
  address: '203.0.113.7',
  httpStatus: 200,
  outcome: 'OPTIONS_AVAILABLE',
  durationMs: 12,
  action: null,
  target: null,
  request: '{"plate":"AB123CD","terminal_code":"T1"}',
  response: '{"success":true,"tariffe":[{"importo_eurocent":2500}]}',
};

const BARE = '6f1f3c1e-0000-4000-8000-00000000aa02';
const CLIPPED = '6f1f3c1e-0000-4000-8000-00000000aa03';
const DEEP = '6f1f3c1e-0000-4000-8000-00000000aa04';
/** Brackets in strings open nothing. */
const nested = (levels: number) => `{"a":"[[\\"[","b":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

const look = (requestId: string, service = new Service()) =>
  service.call(`${CALLS}/${requestId}`, { headers: ADMIN });

beforeAll(async () => {
  await seed(CITIES);
  await drizzle(env.DB)
    .insert(calls)
    .values([
      ROW,
      {
        ...ROW,
        id: idOf(BARE),
        credentialId: null,
        tenant: null,
        municipalityCode: null,
        address: null,
        request: null,
        response: null,
      },
      { ...ROW, id: idOf(CLIPPED), request: '{"plate":', response: 'null' },
      { ...ROW, id: idOf(DEEP), request: nested(20_000), response: nested(100) },
    ]);
});

describe('The look-up of a call', () => {
  it('answers a body that is nested very deep as the text that it was', async () => {
    const { status, body } = await look(DEEP);
    expect(status).toBe(200);
    expect(body.call).toMatchObject({ request: nested(20_000), response: JSON.parse(nested(100)) });
  });

  it('answers the whole row, with request and response as they were', async () => {
    const answer = await look(FOUND);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      ok: true,
      request_id: answer.headers.get('X-Request-Id'),
      call: {
        request_id: FOUND,
        at: new Date(AT).toISOString(),
        operation: 'subscription_options',
        credential_id: '0123456789abcdef01234567',
        tenant: 'acme',
        municipality_code: 'H501',
        address: '203.0.113.7',
        http_status: 200,
        outcome: 'OPTIONS_AVAILABLE',
        duration_ms: 12,
        action: null,
        target: null,
        officer_reference: null,
        request: { plate: 'AB123CD', terminal_code: 'T1' },
        response: { success: true, tariffe: [{ importo_eurocent: 2500 }] },
      },
    });
    expect(answer.body.request_id).not.toBe(FOUND);
  });

  it('answers null for what a call did not have', async () => {
    expect((await look(BARE)).body.call).toMatchObject({
      credential_id: null,
      tenant: null,
      municipality_code: null,
      address: null,
      request: null,
      response: null,
    });
  });

  it('answers a body that was no JSON as the text that it was', async () => {
    expect((await look(CLIPPED)).body.call).toMatchObject({ request: '{"plate":', response: 'null' });
  });

  it.each<[string, unknown]>([
    [' { "plate" : "A B" }\n', { plate: 'A B' }],
    ['{"plate":"A","n":12345678901234567890}', '{"plate":"A","n":12345678901234567890}'],
    ['{"plate":"A","plate":"B"}', '{"plate":"A","plate":"B"}'],
    ['{"plate":" \\" "}', { plate: ' " ' }],
  ])('answers the request %j whole, as an object or as the text that it was', async (request, expected) => {
    const requestId = crypto.randomUUID();
    await drizzle(env.DB)
      .insert(calls)
      .values({ ...ROW, id: idOf(requestId), request });
    expect((await look(requestId)).body.call).toMatchObject({ request: expected });
  });

  it('finds a call by the id that its answer had', async () => {
    const service = new Service();
    const { accessToken, credentialId } = await issue(new Service());
    const checked = await service.settle('/api/v1/parking/check-plate', {
      method: 'POST',
      headers: bearer(accessToken),
      body: { plate: 'AB123CD' },
    });
    const { body } = await look(String(checked.headers.get('X-Request-Id')), service);
    expect(body.call).toMatchObject({
      request_id: checked.body.request_id,
      operation: 'plate_check_v1',
      credential_id: credentialId,
      tenant: 'acme',
      municipality_code: 'H501',
      http_status: 200,
      outcome: 'OK',
      request: null,
      response: null,
    });
  });

  it('is not a call that it could find itself', async () => {
    const service = new Service();
    const found = await service.settle(`${CALLS}/${FOUND}`, { headers: ADMIN });
    expect((await look(String(found.body.request_id))).status).toBe(404);
  });

  it.each([['6f1f3c1e-0000-4000-8000-000000000002'], ['BARE'], ["'%20or%20'1'='1"]])(
    'knows no other call: %s',
    async (requestId) => {
      const answer = await look(requestId);
      expect([answer.status, answer.body.error]).toEqual([
        404,
        expect.objectContaining({ code: 'NOT_FOUND' }),
      ]);
    },
  );
});
