import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { CITY_OF_PLATES, NOW } from './city-of-plates.ts';

const service = new Service();
let credential: TestCredential;

/** The instant is the test's: the clock of Worker and objects stands still. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  return () => vi.useRealTimers();
});

beforeAll(async () => {
  await seed(CITY_OF_PLATES);
  credential = await issueCredential();
});

const check = (body: object, headers = {}) =>
  service.post('/api/v2/parking-entitlements/search', body, { ...credential.headers, ...headers });

describe('The plate check', () => {
  it('answers everything it found of the plate, at the canonical path and its alias alike', async () => {
    const request = { plate: ' he-re ', area_code: 'P1', event: 'entry', unknown: 1 };
    const answer = await check(request);
    expect(answer.body).toEqual({
      success: true,
      ok: true,
      request_id: answer.headers.get('X-Request-Id'),
      api_version: '2.0',
      plate: 'HERE',
      timezone: 'Europe/Rome',
      checked_at: '2026-03-07T12:00:00+01:00',
      municipality: { code: 'H501', name: 'Roma' },
      area: { code: 'P1', name: 'Parcheggio Centro' },
      verification_scope: 'area',
      subscriptions_supported: true,
      verification_complete: true,
      requires_area_code: false,
      has_valid_entitlement: true,
      has_valid_parking: true,
      has_valid_subscription: false,
      sessions_count: 1,
      valid_sessions_count: 1,
      subscriptions_count: 0,
      valid_subscriptions_count: 0,
      results_count: 1,
      entitlements_count: 1,
      sessions: [
        {
          session_id: 'here',
          plate: 'HERE',
          area: { code: 'P1', name: 'Parcheggio Centro' },
          source_code: 'app1',
          starts_at: '2026-03-07T11:00:00+01:00',
          ends_at: '2026-03-07T13:00:00+01:00',
          status: 'valid',
          is_valid_at_check_time: true,
        },
      ],
      subscriptions: [],
      warnings: [],
      access_event: 'entry',
      access_granted: true,
      access_reason_code: 'VALID_PREPAID_FACILITY_SESSION',
      access_reason: 'A parking session admits the vehicle to this facility.',
      access_control: {
        event: 'entry',
        area_code: 'P1',
        entry_grace_minutes: 10,
        exit_grace_minutes: 15,
        access_granted: true,
        reason_code: 'VALID_PREPAID_FACILITY_SESSION',
        matched_source: 'parking_session',
      },
    });
    const alias = await service.post('/api/v2/parking/check-plate', request, credential.headers);
    expect({ ...alias.body, request_id: '' }).toEqual({ ...answer.body, request_id: '' });
  });

  it('answers V1 with parking sessions alone', async () => {
    const answer = await service.post(
      '/api/v1/parking/check-plate',
      { plate: 'HERE', area_code: 'P1', event: 'entry' },
      credential.headers,
    );
    expect(Object.keys(answer.body)).toEqual([
      ...[
        'success',
        'ok',
        'request_id',
        'api_version',
        'plate',
        'timezone',
        'checked_at',
        'municipality',
        'area',
      ],
      ...['has_valid_parking', 'sessions_count', 'valid_sessions_count', 'sessions'],
    ]);
    expect(answer.body).toMatchObject({ api_version: '1.0', has_valid_parking: true, sessions_count: 1 });
  });

  it('answers a plate that nobody knows with a negative that is not an error', async () => {
    const answer = await check({ plate: 'NOBODY' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      verification_scope: 'municipality',
      verification_complete: true,
      has_valid_entitlement: false,
      results_count: 0,
      sessions: [],
    });
    expect(answer.body).not.toHaveProperty('area');
    expect(answer.body).not.toHaveProperty('access_granted');
  });

  it('sees sessions of any area when none is given, and of the area alone when one is', async () => {
    expect((await check({ plate: 'STREET' })).body).toMatchObject({
      sessions_count: 1,
      has_valid_parking: true,
    });
    expect((await check({ plate: 'STREET', area_code: 'S1' })).body).toMatchObject({ sessions_count: 1 });
    expect((await check({ plate: 'STREET', area_code: 'P1' })).body).toMatchObject({
      sessions_count: 0,
      access_granted: false,
      access_reason_code: 'NO_VALID_FACILITY_ENTITLEMENT',
    });
  });

  it('counts sessions of a source or an area that was switched off since: they were paid', async () => {
    expect((await check({ plate: 'OFF' })).body).toMatchObject({ has_valid_parking: true });
  });

  it('takes an open-ended session for valid until the longest time of its source', async () => {
    expect((await check({ plate: 'OPEN' })).body).toMatchObject({
      has_valid_parking: true,
      sessions: [{ ends_at: null, status: 'valid' }],
    });
    expect((await check({ plate: 'FORGOTTEN' })).body).toMatchObject({
      has_valid_parking: false,
      sessions: [{ ends_at: null, status: 'expired' }],
    });
  });

  it('takes a cancelled session for none from its cancellation on', async () => {
    expect((await check({ plate: 'VOID', area_code: 'P1' })).body).toMatchObject({
      sessions: [{ status: 'cancelled' }],
      access_reason_code: 'NO_VALID_FACILITY_ENTITLEMENT',
    });
    const earlier = new Date(NOW - 1).toISOString();
    expect((await check({ plate: 'VOID', area_code: 'P1', checked_at: earlier })).body).toMatchObject({
      sessions: [{ status: 'valid' }],
      access_granted: true,
    });
  });

  it('lists the sessions that overlap the 24 hours before and after, newest first', async () => {
    const { body } = await check({ plate: 'OLD' });
    expect(body).toMatchObject({
      sessions_count: 2,
      sessions: [
        { session_id: 'later', status: 'not_started' },
        { session_id: 'old', status: 'expired' },
      ],
    });
  });

  it('lists 50 sessions at most, the valid ones first for a place, and counts them all', async () => {
    const { body } = await check({ plate: 'MANY' });
    const sessions = body.sessions as { session_id: string }[];
    expect(body).toMatchObject({ sessions_count: 60, valid_sessions_count: 1 });
    expect(sessions).toHaveLength(50);
    expect(sessions[0]).toMatchObject({ session_id: 'many 0', status: 'expired' });
    expect(sessions[49]).toMatchObject({ session_id: 'many 59', status: 'valid' });
  });

  it('lists approved subscriptions alone, in the order of their numbers', async () => {
    expect((await check({ plate: 'ALL' })).body).toMatchObject({
      subscriptions_count: 2,
      valid_subscriptions_count: 1,
      has_valid_subscription: true,
      subscriptions: [
        {
          subscription_number: 'ALL',
          plate: 'ALL',
          status: 'active',
          reason_code: 'VALID_SUBSCRIPTION',
          is_valid_at_check_time: true,
        },
        {
          subscription_number: 'REVOKED',
          status: 'revoked',
          reason_code: 'SUBSCRIPTION_REVOKED',
          is_valid_at_check_time: false,
        },
      ],
    });
  });

  it('lists a subscription for a plate only while that plate is on it', async () => {
    expect((await check({ plate: 'LEFT' })).body).toMatchObject({ subscriptions_count: 0 });
    const before = new Date(NOW - 1).toISOString();
    expect((await check({ plate: 'LEFT', checked_at: before })).body).toMatchObject({
      subscriptions_count: 1,
    });
    expect((await check({ plate: 'BACK' })).body).toMatchObject({
      subscriptions_count: 1,
      has_valid_subscription: true,
    });
  });

  it('does not declare a limited subscription valid without an area, and says what is missing', async () => {
    expect((await check({ plate: 'LIMITED' }, { 'Accept-Language': 'it' })).body).toMatchObject({
      verification_complete: false,
      requires_area_code: true,
      has_valid_entitlement: false,
      warnings: [{ code: 'AREA_CODE_REQUIRED', message: expect.stringContaining('ripetere la verifica') }],
    });
  });

  it('judges a limited subscription by the area that is given', async () => {
    expect((await check({ plate: 'LIMITED', area_code: 'P1' })).body).toMatchObject({
      verification_complete: true,
      has_valid_subscription: true,
      access_reason_code: 'VALID_FACILITY_SUBSCRIPTION',
      warnings: [],
    });
    expect((await check({ plate: 'LIMITED', area_code: 'S1' })).body).toMatchObject({
      has_valid_subscription: false,
      subscriptions: [{ reason_code: 'AREA_NOT_ALLOWED' }],
    });
  });

  it('knows no subscription in a municipality that has them switched off', async () => {
    const { headers } = await issueCredential({}, [2]);
    const { body } = await check({ plate: 'ALL', area_code: 'P1' }, headers);
    expect(body).toMatchObject({
      subscriptions_supported: false,
      subscriptions: [],
      has_valid_entitlement: false,
      access_reason_code: 'NO_VALID_FACILITY_ENTITLEMENT',
    });
  });

  it('distinguishes the gate from the entitlement: within a tolerance it opens though nothing is valid', async () => {
    const entry = await check({ plate: 'EARLY', area_code: 'P1', event: 'entry' });
    expect(entry.body).toMatchObject({ has_valid_entitlement: false, access_granted: true });
    const exit = await check({ plate: 'EARLY', area_code: 'P1', event: 'exit' });
    expect(exit.body).toMatchObject({ access_granted: false, access_reason_code: 'SESSION_NOT_STARTED' });
  });

  it('opens by the longest tolerance for a session that starts exactly a day later, and does not list it', async () => {
    const allowEarlier = (minutes: number) =>
      env.DB.prepare('update areas set entry_grace_minutes = ? where id = 2').bind(minutes).run();
    const asked = async (before: number) => {
      const checked_at = new Date(NOW + 10 * MINUTE_MS - DAY_MS - before).toISOString();
      const { body } = await check({ plate: 'EARLY', area_code: 'P1', event: 'entry', checked_at });
      return [body.access_granted, body.sessions_count];
    };
    await allowEarlier(1440);
    expect([await asked(0), await asked(1)]).toEqual([
      [true, 0],
      [false, 0],
    ]);
    await allowEarlier(10);
  });

  it('speaks of the gate in Italian when asked so', async () => {
    const { body, headers } = await check({ plate: 'NOBODY', area_code: 'P1' }, { 'Accept-Language': 'it' });
    expect(body.access_reason).toBe(
      'Il veicolo non ha una sosta o un abbonamento validi per questo parcheggio.',
    );
    expect(headers.get('Content-Language')).toBe('it');
  });

  it('answers the instant that it verified, in the zone of the municipality', async () => {
    const past = await check({ plate: 'HERE', checked_at: '2026-03-07T05:59:59.5-04:30' });
    expect(past.body.checked_at).toBe('2026-03-07T11:29:59.500+01:00');
    const ahead = await check({ plate: 'HERE', checked_at: '2026-03-07T11:00:05Z' });
    expect(ahead.body.checked_at).toBe('2026-03-07T12:00:00+01:00');
  });

  it('takes null and blank for absent', async () => {
    const blank = { municipality_code: ' ', area_code: '', checked_at: null, event: '  ' };
    const answer = await check({ plate: 'HERE', ...blank });
    expect(answer.body).toMatchObject({ verification_scope: 'municipality', municipality: { code: 'H501' } });
  });

  it('trims codes, and compares them exactly', async () => {
    expect((await check({ plate: 'HERE', area_code: ' P1 ', municipality_code: ' H501 ' })).status).toBe(200);
    expect((await check({ plate: 'HERE', area_code: 'p1' })).status).toBe(404);
  });
});
