import createClient from 'openapi-fetch';
import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import type { components, paths } from '../../clients/types/schema.ts';
import description from '../../src/serving/openapi/openapi.json' with { type: 'json' };
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { configurationVersion } from '../support/past.ts';
import { CITY, seed } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

const service = new Service();
const called = new Set<string>();

/** A client as a developer makes one: the generated types, and a plain fetch. */
const client = createClient<paths>({
  baseUrl: 'https://parking.test',
  fetch: async (request) => {
    const { pathname, search } = new URL(request.url);
    called.add(`${request.method} ${pathname}`);
    const body = request.body === null ? undefined : await request.text();
    const headers = Object.fromEntries(request.headers);
    const answer = await service.settle(pathname + search, {
      method: request.method,
      headers,
      ...(body !== undefined && { body }),
    });
    return new Response(JSON.stringify(answer.body), { status: answer.status, headers: answer.headers });
  },
});

let credential: TestCredential;
beforeAll(async () => {
  await seed({ ...CITY, configurationVersions: [configurationVersion(0)] });
  credential = await issueCredential();
});

describe('A client generated from the description', () => {
  it('checks a plate, at both of its paths', async () => {
    const { headers } = credential;
    const body = { plate: 'AB 123 CD', area_code: 'P1', event: 'entry' } as const;
    const { data, error } = await client.POST('/api/v2/parking-entitlements/search', { headers, body });
    expect(error).toBeUndefined();
    // A gate's decision may be absent, and a client has to see that before it opens.
    expectTypeOf(data?.access_granted).toEqualTypeOf<boolean | undefined>();
    expect(data).toMatchObject({ plate: 'AB123CD', access_granted: false, has_valid_entitlement: false });
    const alias = await client.POST('/api/v2/parking/check-plate', { headers, body });
    expect(alias.data?.access_reason_code).toBe('NO_VALID_FACILITY_ENTITLEMENT');
  });

  it('checks a plate’s sessions with V1, which has no subscriptions', async () => {
    const { data } = await client.POST('/api/v1/parking/check-plate', {
      headers: { 'X-Api-Key': credential.apiKey },
      body: { plate: 'AB123CD' },
    });
    expectTypeOf<NonNullable<typeof data>>().not.toHaveProperty('subscriptions');
    expect(data?.has_valid_parking).toBe(false);
  });

  it('tells an error from a negative by its type', async () => {
    const { data, error, response } = await client.POST('/api/v2/parking-entitlements/search', {
      body: { plate: 'AB123CD' },
    });
    expect([data, response.status]).toEqual([undefined, 401]);
    expectTypeOf<NonNullable<typeof error>>().not.toHaveProperty('has_valid_entitlement');
    expect(error).toMatchObject({ success: false, error: { code: 'TOKEN_MISSING' } });
  });

  it('asks what may be concluded on patrol', async () => {
    const { data } = await client.POST('/api/v2/patrol/checks', {
      headers: credential.headers,
      body: { checks: [{ id: '1', plate: 'AB123CD', area_code: 'P1' }] },
    });
    const [result] = data?.results ?? [];
    expect(result && 'finding' in result ? result.finding : null).toBe('look_again');
  });

  it('searches for evidence', async () => {
    const { data } = await client.POST('/api/v2/evidence/search', {
      headers: credential.headers,
      body: { plate: 'AB123CD', at: new Date().toISOString(), area_code: 'P1' },
    });
    const verdict = data?.as_known_then;
    // A verdict has one of two forms, distinguished by a field that only one of them has.
    expect(verdict && 'refused' in verdict ? verdict.refused : verdict?.has_valid_entitlement).toBe(false);
    expectTypeOf<NonNullable<typeof data>['differs']>().toEqualTypeOf<boolean>();
  });

  it('records, reverses and finds payments, and settles one', async () => {
    const { headers } = credential;
    const at = new Date().toISOString();
    const body = {
      payment_id: 'P',
      plate: 'NONE',
      codice_tariffa: '101',
      importo_eurocent: 1,
      collected_at: at,
    };
    const path = '/api/v2/parking-meters/subscription-payments';
    const { data } = await client.POST(path, { headers, body });
    expect(data?.result_code).toBe('SUBSCRIPTION_NOT_FOUND');
    const found = await client.POST(`${path}/search`, { headers, body: { payment_id: 'P' } });
    expect(found.data?.payments[0]?.state).toBe('unsettled');
    const city = { municipality_code: 'H501', payment_id: 'P' };
    const office = await client.POST('/api/v2/admin/payments/search', { headers: ADMIN, body: city });
    expect(office.data?.totals.unsettled).toEqual({ count: 1, eurocent: 1 });
    const settled = await client.POST('/api/v2/admin/payments/settle', {
      headers: ADMIN,
      body: { ...city, outcome: 'refunded' },
    });
    expect(settled.data?.payment.state).toBe('settled');
    const reversed = await client.POST(`${path}/reverse`, {
      headers,
      body: { payment_id: 'P', reversed_at: at },
    });
    expect(reversed.data?.result_code).toBe('PAYMENT_REVERSED');
  });

  it('finds a meter’s options', async () => {
    const { data } = await client.POST('/api/v2/parking-meters/subscription-options', {
      headers: credential.headers,
      body: { plate: 'AB123CD', terminal_code: null },
    });
    expect([data?.result_code, data?.tariffe]).toEqual(['SUBSCRIPTION_NOT_FOUND', []]);
  });

  it('records, reverses, finds and settles a payment', async () => {
    const { headers } = credential;
    const now = new Date().toISOString();
    const body = { payment_id: 'M-1', plate: 'AB123CD', codice_tariffa: '101', importo_eurocent: 2_500 };
    const paths = '/api/v2/parking-meters/subscription-payments';
    const { data } = await client.POST(paths, { headers, body: { ...body, collected_at: now } });
    // Money that was taken is an answer, also where it made no period.
    expectTypeOf<NonNullable<typeof data>['scadenza']>().toEqualTypeOf<string | null>();
    expect([data?.accepted, data?.scadenza]).toEqual([false, null]);
    const found = await client.POST(`${paths}/search`, { headers, body: { payment_id: 'M-1' } });
    expect(found.data?.totals.unsettled).toEqual({ count: 1, eurocent: 2_500 });
    const office = { municipality_code: 'H501', payment_id: 'M-1' };
    const again = await client.POST('/api/v2/admin/payments/search', { headers: ADMIN, body: office });
    expect(again.data?.payments.map(({ state }) => state)).toEqual(['unsettled']);
    const refunded = { ...office, outcome: 'refunded' } as const;
    const settled = await client.POST('/api/v2/admin/payments/settle', { headers: ADMIN, body: refunded });
    expect(settled.data?.payment.settled?.outcome).toBe('refunded');
    const reversal = { payment_id: 'M-1', reversed_at: now };
    const reversed = await client.POST(`${paths}/reverse`, { headers, body: reversal });
    expect(reversed.data?.payment?.state).toBe('reversed');
  });

  it('takes an entitlement list', async () => {
    const { data } = await client.GET('/api/v2/facilities/{area_code}/entitlement-list', {
      headers: credential.headers,
      params: { path: { area_code: 'P1' }, query: { limit: '10' } },
      parseAs: 'text',
    });
    // The service under test gives lines back as a list of them.
    expect(JSON.parse(data ?? '')).toMatchObject({ lines: [{ type: 'list' }, { type: 'end' }] });
  });

  it('reports', async () => {
    const own = await client.GET('/api/v2/credential', { headers: credential.headers });
    expectTypeOf(own.data?.credential.source_code).toEqualTypeOf<string | null | undefined>();
    expect(own.data?.credential).toMatchObject({ name: 'test', tenant: 'acme' });
    const { data } = await client.POST('/api/v2/parking/reports/active-by-area', {
      headers: credential.headers,
      body: { area_type: 'facility' },
    });
    expectTypeOf<components['schemas']['AreaRow']['capacity']>().toEqualTypeOf<number | null>();
    expect(data?.rows.map(({ area }) => area.code)).toEqual(['P1']);
  });

  it('imports', async () => {
    const headers = { ...credential.headers, 'Content-Type': 'application/x-ndjson' };
    const sessions = await client.POST('/api/v2/imports/sessions', {
      headers,
      params: { query: { source_code: 'app1' } },
      body: '{}\n',
      bodySerializer: (body) => body,
    });
    expect(sessions.data).toMatchObject({ received: 1, rejected: 1, errors: [{ code: 'INVALID_REQUEST' }] });
    const subscriptions = await client.POST('/api/v2/imports/subscriptions', { headers });
    expect(subscriptions.data?.received).toBe(0);
  });

  it('puts and gets the configuration', async () => {
    const put = await client.PUT('/api/v2/admin/configuration', {
      headers: ADMIN,
      body: { municipalities: [{ code: 'H501', areas: [{ code: 'S1', capacity: null }] }] },
    });
    expect(put.data).toMatchObject({ created: 0, updated: 1, unchanged: 1 });
    const got = await client.GET('/api/v2/admin/configuration', {
      headers: ADMIN,
      params: { query: { municipality_code: 'H501' } },
    });
    expect(got.data?.configuration.municipalities[0]?.areas.map(({ capacity }) => capacity)).toContain(null);
  });

  it('issues, lists, changes, rotates and revokes a credential', async () => {
    const headers = ADMIN;
    const { data: issued } = await client.POST('/api/v2/admin/credentials', {
      headers,
      body: { tenant: 'acme', name: 'Widget', scopes: ['report'], municipalities: ['H501'] },
    });
    const params = { path: { credential_id: issued?.credential_id ?? '' } };
    const { data: listed } = await client.GET('/api/v2/admin/credentials', {
      headers,
      params: { query: { limit: 200 } },
    });
    expect(listed?.credentials.map(({ credential_id }) => credential_id)).toContain(issued?.credential_id);
    const changed = await client.PATCH('/api/v2/admin/credentials/{credential_id}', {
      ...{ headers, params },
      body: { name: 'Public widget' },
    });
    expect(changed.data?.name).toBe('Public widget');
    const rotated = await client.POST('/api/v2/admin/credentials/{credential_id}/rotate', {
      ...{ headers, params },
      body: { overlap_seconds: 60 },
    });
    expect(rotated.data?.access_token).not.toBe(issued?.access_token);
    const revoked = await client.POST('/api/v2/admin/credentials/{credential_id}/revoke', {
      headers,
      params,
    });
    expect(revoked.data?.status).toBe('revoked');
  });

  it('looks a call up', async () => {
    const { data: checked } = await client.POST('/api/v2/parking-entitlements/search', {
      headers: credential.headers,
      body: { plate: 'AB123CD' },
    });
    const { data } = await client.GET('/api/v2/admin/calls/{request_id}', {
      headers: ADMIN,
      params: { path: { request_id: checked?.request_id ?? '' } },
    });
    expect(data?.call).toMatchObject({ operation: 'plate_check', outcome: 'OK' });
  });

  it('exports and erases what is held on a plate', async () => {
    const body = { tenant: 'acme', plate: 'AB123CD' };
    const exported = await client.POST('/api/v2/admin/plates/export', { headers: ADMIN, body });
    expectTypeOf<NonNullable<typeof exported.data>['next']>().toEqualTypeOf<string | null>();
    expect(exported.data?.sessions).toEqual([]);
    const erased = await client.POST('/api/v2/admin/plates/erase', { headers: ADMIN, body });
    expect(erased.data?.more).toBe(false);
  });

  it('looks a subscription up by its number', async () => {
    const { data, error } = await client.POST('/api/v2/admin/subscriptions/export', {
      headers: ADMIN,
      body: { municipality_code: 'H501', subscription_number: 'NONE' },
    });
    expectTypeOf<NonNullable<typeof data>['subscription']['subscription_number']>().toEqualTypeOf<string>();
    expect(error?.error.code).toBe('NOT_FOUND');
  });

  it('reads the status, backs a municipality up and learns what cannot be restored', async () => {
    const status = await client.GET('/api/v2/admin/status', { headers: ADMIN });
    expect(status.data?.database).toMatchObject({ size_bytes: expect.any(Number) });
    const at = { headers: ADMIN, params: { path: { code: 'H501' } } };
    const backup = await client.GET('/api/v2/admin/municipalities/{code}/backup', { ...at, parseAs: 'text' });
    expect(backup.data).toContain('"type":"part"');
    const restored = await client.POST('/api/v2/admin/municipalities/{code}/restore', {
      headers: { ...ADMIN, 'Content-Type': 'application/x-ndjson' },
      params: { path: { code: 'H501' }, query: { tenant: 'acme' } },
      body: '{}',
      bodySerializer: (body) => body,
    });
    expectTypeOf<NonNullable<typeof restored.data>['state']>().toEqualTypeOf<'restoring' | 'done'>();
    expect(restored.error?.error.code).toBe('INVALID_REQUEST');
    const discarded = await client.DELETE('/api/v2/admin/municipalities/{code}/restore', at);
    expect(discarded.error?.error.code).toBe('NOT_FOUND');
  });

  it('asks after the service, and for its description', async () => {
    expect((await client.GET('/health')).data?.ok).toBe(true);
    expect((await client.GET('/ready')).data?.ready).toBe(true);
    expect((await client.GET('/api/v2/openapi.json')).data).toMatchObject({ openapi: '3.1.0' });
  });

  it('asks what anybody may', async () => {
    await client.PUT('/api/v2/admin/configuration', {
      headers: ADMIN,
      body: { municipalities: [{ code: 'H501', services: { public_occupancy: true } }] },
    });
    const list = await client.GET('/api/v2/public/municipalities');
    expect(list.data?.municipalities).toEqual([{ code: 'H501', name: 'Roma', timezone: 'Europe/Rome' }]);
    const params = { path: { code: 'H501' } };
    const { data } = await client.GET('/api/v2/public/municipalities/{code}/occupancy', { params });
    expectTypeOf(data?.areas[0]?.available_now).toEqualTypeOf<number | null | undefined>();
    expect(data?.areas.map(({ code }) => code)).toEqual(['P1', 'S1']);
    const publication = await client.GET('/api/v2/public/municipalities/{code}/parking-publication-light', {
      params,
    });
    expect(publication.data?.parkingPublicationLight.parkingSite).toEqual([]);
    const map = await client.GET('/api/v2/public/municipalities/{code}/occupancy.geojson', { params });
    expectTypeOf(map.data?.features[0]?.geometry.type).toEqualTypeOf<'Point' | undefined>();
    expect(map.data?.features).toEqual([]);
  });

  it('has called every operation that there is', () => {
    const calls = [...called];
    for (const [path, item] of Object.entries(description.paths)) {
      for (const method of Object.keys(item)) {
        const form = new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
        expect(calls, `${method} ${path}`).toContainEqual(expect.stringMatching(form));
      }
    }
  });
});
