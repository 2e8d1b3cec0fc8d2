import { env } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, it } from 'vitest';
import { instant } from '../../src/domain/instant.ts';
import { calls } from '../../src/storage/db/schema/index.ts';
import { idOf } from '../support/calls.ts';
import { City } from '../support/city.ts';
import { CITY } from '../support/seed.ts';
import { ADMIN } from '../support/service.ts';

const CALLS = '/api/v2/admin/calls';
const AT = 1_700_000_000_123;

const ROW = {
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
} as const;

const { service } = new City(CITY);
const look = (requestId: string) => service.call(`${CALLS}/${requestId}`, { headers: ADMIN });

/** Looks up a call that has been stored with these changes. */
async function lookAt(changed: Partial<Record<keyof typeof ROW, string | null>>, id = crypto.randomUUID()) {
  await drizzle(env.DB)
    .insert(calls)
    .values({ ...ROW, ...changed, id: idOf(id) } as typeof calls.$inferInsert);
  return look(id);
}

describe('The look-up of a call', () => {
  it('answers the whole row, with request and response as they were', async () => {
    const id = '6f1f3c1e-0000-4000-8000-000000000001';
    const answer = await lookAt({}, id);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      ok: true,
      request_id: answer.headers.get('X-Request-Id'),
      call: {
        request_id: id,
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
  });

  it('answers null for what a call did not have', async () => {
    const none = { tenant: null, address: null, request: null, response: null };
    const answer = await lookAt({ ...none, credentialId: null, municipalityCode: null });
    expect(answer.body.call).toMatchObject({ ...none, credential_id: null, municipality_code: null });
  });

  it.each<[string, unknown]>([
    [' { "plate" : "A B" }\n', { plate: 'A B' }],
    ['{"plate":" \\" "}', { plate: ' " ' }],
    ['{"plate":', '{"plate":'],
    ['null', 'null'],
  ])('answers a body whole, as an object or as the text that it was: %#', async (request, expected) => {
    expect((await lookAt({ request })).body.call).toMatchObject({ request: expected });
  });

  it('finds it by its id as a UUID is written, in upper case too', async () => {
    const id = '6f1f3c1e-0000-4000-8000-000000000003';
    expect((await lookAt({}, id)).status).toBe(200);
    expect((await look(id.toUpperCase())).status).toBe(200);
    for (const other of [id.replaceAll('-', ''), `${id}-`, `6f-${id.slice(2)}`]) {
      expect((await look(other)).status, other).toBe(404);
    }
  });

  it.each([['6f1f3c1e-0000-4000-8000-000000000002'], ['BARE'], ["'%20or%20'1'='1"]])(
    'knows no other call: %s',
    async (requestId) => {
      expect(await look(requestId)).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    },
  );
});
