import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { City } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { CITY_OF_PLATES, NOW } from './city-of-plates.ts';

const city = new City(CITY_OF_PLATES, { now: NOW });
const check = (body: object, headers = {}) => city.post('/api/v2/parking-entitlements/search', body, headers);
const iso = (ms: number) => new Date(ms).toISOString();

describe('The plate check', () => {
  it('answers everything it found of the plate, at the canonical path and its alias alike', async () => {
    const request = { plate: ' he-re ', area_code: ' P1 ', municipality_code: ' H501 ', event: 'entry' };
    const answer = await check({ ...request, unknown: 1 });
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
    const alias = await city.post('/api/v2/parking/check-plate', request);
    expect({ ...alias.body, request_id: '' }).toEqual({ ...answer.body, request_id: '' });
  });

  it('answers V1 with parking sessions alone', async () => {
    const request = { plate: 'HERE', area_code: 'P1', event: 'entry' };
    const { body } = await city.post('/api/v1/parking/check-plate', request);
    expect(Object.keys(body)).toEqual([
      ...['success', 'ok', 'request_id', 'api_version', 'plate', 'timezone', 'checked_at'],
      ...['municipality', 'area'],
      ...['has_valid_parking', 'sessions_count', 'valid_sessions_count', 'sessions'],
    ]);
    expect(body).toMatchObject({ api_version: '1.0', has_valid_parking: true, sessions_count: 1 });
  });

  it('answers a plate that nobody knows with a negative that is not an error', async () => {
    const blank = { municipality_code: ' ', area_code: '', checked_at: null, event: '  ' };
    const { status, body } = await check({ plate: 'NOBODY', ...blank });
    expect([status, body]).toMatchObject([
      200,
      {
        verification_scope: 'municipality',
        verification_complete: true,
        has_valid_entitlement: false,
        results_count: 0,
        sessions: [],
      },
    ]);
    expect(body).not.toHaveProperty('area');
    expect(body).not.toHaveProperty('access_granted');
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

  it.each([
    ['of a source and an area that were switched off since: it was paid', 'OFF', 'valid'],
    ['that is open', 'OPEN', 'valid'],
    ['that is open for longer than its source’s longest time', 'FORGOTTEN', 'expired'],
    ['that is cancelled', 'VOID', 'cancelled'],
  ])('judges a session %s', async (_, plate, status) => {
    const { body } = await check({ plate });
    expect(body).toMatchObject({ has_valid_parking: status === 'valid', sessions: [{ status }] });
  });

  it('lists the sessions that overlap the 24 hours before and after, newest first', async () => {
    expect((await check({ plate: 'OLD' })).body).toMatchObject({
      sessions_count: 2,
      sessions: [
        { session_id: 'later', status: 'not_started' },
        { session_id: 'old', status: 'expired' },
      ],
    });
  });

  it('lists approved subscriptions alone, in the order of their numbers', async () => {
    const reasons = { ALL: 'VALID_SUBSCRIPTION', REVOKED: 'SUBSCRIPTION_REVOKED' };
    expect((await check({ plate: 'ALL' })).body).toMatchObject({
      ...{ subscriptions_count: 2, valid_subscriptions_count: 1, has_valid_subscription: true },
      ...{ results_count: 2, entitlements_count: 1 },
      subscriptions: Object.entries(reasons).map(([subscription_number, reason_code]) => ({
        ...{ subscription_number, plate: 'ALL', reason_code },
        is_valid_at_check_time: subscription_number === 'ALL',
      })),
    });
  });

  it('lists a subscription for a plate once, and only while that plate is on it', async () => {
    const countOf = async (request: object) => (await check(request)).body.subscriptions_count;
    expect(await countOf({ plate: 'LEFT' })).toBe(0);
    expect(await countOf({ plate: 'LEFT', checked_at: iso(NOW - 1) })).toBe(1);
    expect(await countOf({ plate: 'BACK' })).toBe(1);
  });

  it('judges a limited subscription by the area that is given, and says what is missing without one', async () => {
    expect((await check({ plate: 'LIMITED' }, { 'Accept-Language': 'it' })).body).toMatchObject({
      verification_complete: false,
      requires_area_code: true,
      has_valid_entitlement: false,
      warnings: [{ code: 'AREA_CODE_REQUIRED', message: expect.stringContaining('ripetere la verifica') }],
    });
    expect((await check({ plate: 'LIMITED', area_code: 'P1' })).body).toMatchObject({
      verification_complete: true,
      access_reason_code: 'VALID_FACILITY_SUBSCRIPTION',
      warnings: [],
    });
    expect((await check({ plate: 'LIMITED', area_code: 'S1' })).body).toMatchObject({
      subscriptions: [{ reason_code: 'AREA_NOT_ALLOWED' }],
    });
  });

  it('knows no subscription in a municipality that has them switched off', async () => {
    const { headers } = await issueCredential({}, [2]);
    const { body } = await check({ plate: 'ALL', area_code: 'P1' }, { ...headers, 'Accept-Language': 'it' });
    expect(body).toMatchObject({
      subscriptions_supported: false,
      subscriptions: [],
      has_valid_entitlement: false,
      access_reason_code: 'NO_VALID_FACILITY_ENTITLEMENT',
      access_reason: 'Il veicolo non ha una sosta o un abbonamento validi per questo parcheggio.',
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
      const checked_at = iso(NOW + 10 * MINUTE_MS - DAY_MS - before);
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

  it('answers the instant that it verified, in the zone of the municipality', async () => {
    const past = await check({ plate: 'HERE', checked_at: '2026-03-07T05:59:59.5-04:30' });
    expect(past.body.checked_at).toBe('2026-03-07T11:29:59.500+01:00');
    const ahead = await check({ plate: 'HERE', checked_at: '2026-03-07T11:00:05Z' });
    expect(ahead.body.checked_at).toBe('2026-03-07T12:00:00+01:00');
  });
});
