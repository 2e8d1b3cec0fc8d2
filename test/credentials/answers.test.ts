import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { City } from '../support/city.ts';
import { objectsDouble } from '../support/doubles.ts';
import { ADMIN, bearer, Service } from '../support/service.ts';
import {
  CITIES,
  CREDENTIALS,
  change,
  issue,
  list,
  listed,
  outcomeOf,
  outcomeOfKey,
  REQUEST,
  shown,
  wrongPaths,
} from './support.ts';

const { service } = new City(CITIES);
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('A credential is issued', () => {
  it('with its token, its key, and its fields with their defaults', async () => {
    const answer = await service.post(CREDENTIALS, REQUEST, ADMIN);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      success: true,
      ok: true,
      request_id: answer.headers.get('X-Request-Id'),
      credential_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      access_token: expect.stringMatching(`^pev_at_${answer.body.credential_id}_`),
      api_key: expect.stringMatching(`^pev_ak_${answer.body.credential_id}_`),
      tenant: 'acme',
      name: 'Gate 1',
      status: 'active',
      scopes: ['plate_check'],
      municipalities: ['H501'],
      ip_allowlist: null,
      expires_at: null,
      rate_limit: { limit: 120, window_seconds: 60 },
      historical_days_allowed: 1,
      source_code: null,
      areas: null,
      location: null,
      created_at: expect.stringMatching(UTC),
      revoked_at: null,
      overlap_ends_at: null,
    });
  });

  it.each([null, ' '])('for the office’s own tenant with `tenant` %j', async (tenant) => {
    const office = await issue(service, { scopes: ['office'] });
    const answer = await service.post(CREDENTIALS, { ...REQUEST, tenant }, bearer(office.accessToken));
    expect([answer.status, answer.body]).toMatchObject([201, { tenant: 'acme' }]);
  });

  it('with every field as it is sent, its texts trimmed', async () => {
    const sent = {
      scopes: ['import', 'report', 'plate_check', 'subscription_options'],
      municipalities: ['H501', 'L219'],
      ip_allowlist: ['203.0.113.0/24', '2001:db8::1'],
      rate_limit: { limit: 10_000, window_seconds: 3600 },
      historical_days_allowed: 0,
      source_code: 'app1',
    };
    const others = { tenant: ' acme ', name: ' Import\n', expires_at: '2031-01-01T00:00:00+01:00' };
    expect((await issue(service, { ...sent, ...others })).body).toMatchObject({
      ...{ ...sent, tenant: 'acme', name: 'Import', expires_at: '2030-12-31T23:00:00.000Z' },
    });
  });

  it('with the defaults where an optional field is null, but no bound to the days', async () => {
    const optional = ['ip_allowlist', 'expires_at', 'rate_limit', 'source_code', 'areas', 'location'];
    const nulls = Object.fromEntries([...optional, 'historical_days_allowed'].map((name) => [name, null]));
    const { body } = await issue(service, nulls);
    expect(body).toMatchObject({ ...nulls, rate_limit: { limit: 120, window_seconds: 60 } });
  });

  it('and passes at once, with its token and with its key; expired, if its end lies in the past', async () => {
    const { accessToken, apiKey } = await issue(service);
    expect(await outcomeOf(new Service(), accessToken)).toBe('200');
    expect(await outcomeOfKey(new Service(), apiKey)).toBe('200');
    const ended = await issue(service, { expires_at: '2020-01-01T00:00Z' });
    expect(ended.body.status).toBe('expired');
    expect(await outcomeOf(service, ended.accessToken)).toBe('TOKEN_EXPIRED');
  });
});

describe('The location of a credential', () => {
  /** A service that tells with which location hint it has asked for objects. */
  function watched() {
    const hints: (string | undefined)[] = [];
    const CREDENTIALS = objectsDouble((run, options) => {
      hints.push(options?.locationHint);
      return run();
    });
    return { hints, by: new Service({ CREDENTIALS }) };
  }

  it.each([['weur'], [null]])(
    'is where its object is asked to live from its first call on: %j',
    async (location) => {
      const { hints, by } = watched();
      const { body, credentialId } = await issue(by, { location });
      expect(new Set(hints)).toEqual(new Set([location ?? undefined]));
      expect(body.location).toBe(location);
      expect(await shown(service, credentialId)).toMatchObject({ location });
    },
  );

  it('never changes, and stays through every other change', async () => {
    const { credentialId } = await issue(service, { location: 'weur' });
    for (const location of ['eeur', 'weur', null]) {
      expect(wrongPaths(await change(service, credentialId, { location }))).toEqual(['location']);
    }
    const { hints, by } = watched();
    expect((await change(by, credentialId, { name: 'Gate 2' })).body).toMatchObject({ location: 'weur' });
    // It is read first, by its id alone; it lives already.
    expect(hints).toEqual([undefined, 'weur']);
  });
});

describe('The list of credentials', () => {
  it('shows what was issued but for the token and the key', async () => {
    const { credentialId, body } = await issue(service, { name: 'listed', ip_allowlist: ['203.0.113.7'] });
    const { success, ok, request_id, access_token, api_key, ...fields } = body;
    expect(await shown(service, credentialId)).toEqual(fields);
  });

  it('can be of one tenant, and of one municipality, where it shows the others of a credential too', async () => {
    const ofBeta = await issue(service, { tenant: 'beta', municipalities: ['F205'] });
    expect(listed(await list(service, '?tenant=beta'))).toEqual([ofBeta.credentialId]);
    expect(listed(await list(service, '?tenant=none'))).toEqual([]);
    const { credentialId } = await issue(service, { name: 'both', municipalities: ['L219', 'H501'] });
    const answer = await list(service, '?municipality_code=L219&tenant=acme');
    expect(listed(answer)).toContain(credentialId);
    expect(listed(answer, 'municipalities')).toContainEqual(['H501', 'L219']);
    expect(listed(answer, 'municipalities')).not.toContainEqual(['H501']);
  });

  it('comes in pages, oldest first, which together are the whole', async () => {
    const one = await issue(service, { name: 'one' });
    const two = await issue(service, { name: 'two' });
    // Of one millisecond: the order of the ids decides between them.
    await env.DB.prepare(
      'update credentials set created_at = (select max(created_at) + 1 from credentials) where id in (?, ?)',
    )
      .bind(one.credentialId, two.credentialId)
      .run();
    const whole = await list(service, '?limit=200');
    expect(whole.body.next_after).toBeNull();
    expect(listed(whole).slice(-2)).toEqual([one.credentialId, two.credentialId].sort());

    const paged: unknown[] = [];
    let after: unknown = null;
    do {
      const page = await list(service, after === null ? '?limit=2' : `?limit=2&after=${after}`);
      expect(listed(page).length).toBeLessThanOrEqual(2);
      paged.push(...listed(page));
      after = page.body.next_after;
    } while (after !== null);
    expect(paged).toEqual(listed(whole));
  });

  it.each([
    ['?limit=0', 'limit'],
    ['?limit=201', 'limit'],
    ['?tenant=a&tenant=b', 'tenant'],
    ['?municipality_code=', 'municipality_code'],
    ['?after=none', 'after'],
    ['?page=2', 'page'],
  ])('refuses %s', async (query, path) => {
    expect(wrongPaths(await list(service, query))).toEqual([path]);
  });
});

describe('A credential learns of itself', () => {
  const own = (headers: Record<string, string>) => service.call('/api/v2/credential', { headers });

  it('what it may do, by its token in either header and by its key, whatever its scopes', async () => {
    const { accessToken, apiKey, body } = await issue(service, {
      scopes: ['import'],
      municipalities: ['L219', 'H501'],
      source_code: 'app1',
      rate_limit: { limit: 7, window_seconds: 30 },
      expires_at: '2031-01-01T00:00:00+01:00',
      location: 'weur',
    });
    for (const headers of [
      bearer(accessToken),
      { 'X-Service-Token': accessToken },
      { 'X-Api-Key': apiKey },
    ]) {
      const { body: answered } = await own(headers);
      expect(answered.credential).toEqual({
        credential_id: body.credential_id,
        name: 'Gate 1',
        tenant: 'acme',
        municipalities: ['H501', 'L219'],
        scopes: ['import'],
        source_code: 'app1',
        areas: null,
        rate_limit: { limit: 7, window_seconds: 30 },
        historical_days_allowed: 1,
        expires_at: '2030-12-31T23:00:00.000Z',
        location: 'weur',
      });
    }
  });

  it('at the price of one call, and what has changed at once', async () => {
    const { accessToken, credentialId } = await issue(service, {
      rate_limit: { limit: 3, window_seconds: 60 },
    });
    expect((await own(bearer(accessToken))).headers.get('RateLimit')).toMatch(/^"calls";r=2;/);
    await change(service, credentialId, { name: 'Gate 2', municipalities: ['L219'] });
    const answer = await own(bearer(accessToken));
    expect(answer.headers.get('RateLimit')).toMatch(/^"calls";r=1;/);
    expect(answer.body.credential).toMatchObject({ name: 'Gate 2', municipalities: ['L219'] });
  });
});
