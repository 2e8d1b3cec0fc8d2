import { afterEach, describe, expect, it, vi } from 'vitest';
import { City } from '../support/city.ts';
import {
  CITIES,
  change,
  everywhere,
  issue,
  known,
  outcomeOf,
  outcomeOfKey,
  revoke,
  rotate,
  shown,
  wrongPaths,
} from './support.ts';

const { service } = new City(CITIES);
afterEach(() => void vi.useRealTimers());

describe('A change', () => {
  it.each<[object, object?]>([
    [{ name: 'Gate 2' }],
    [{ scopes: ['report'] }],
    [{ municipalities: ['L219', 'H501'] }, { municipalities: ['H501', 'L219'] }],
    [{ municipalities: ['L219'], source_code: null }],
    [{ ip_allowlist: ['::/0'] }],
    [{ expires_at: '2031-01-01T00:00Z' }, { expires_at: '2031-01-01T00:00:00.000Z' }],
    [{ rate_limit: { limit: 1, window_seconds: 2 } }],
    [{ historical_days_allowed: 30 }],
    [{}],
    [{ expires_at: null }],
    [{ rate_limit: null }, { rate_limit: { limit: 120, window_seconds: 60 } }],
    [{ historical_days_allowed: null }],
    [{ source_code: null }],
  ])('of %j leaves the rest alone', async (sent, changed = sent) => {
    const { body, credentialId } = await issue(service, {
      ip_allowlist: ['203.0.113.7'],
      expires_at: '2030-01-01T00:00:00Z',
      rate_limit: { limit: 10, window_seconds: 20 },
      historical_days_allowed: 7,
      source_code: 'app1',
    });
    const { success, ok, request_id, access_token, api_key, ...fields } = body;
    const answer = await change(service, credentialId, sent);
    const expected = { ...fields, ...changed };
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ success, ok, request_id: answer.headers.get('X-Request-Id'), ...expected });
    expect(await shown(service, credentialId)).toEqual(expected);
  });

  it.each<[object, object, string]>([
    [{ scopes: ['report'] }, { scopes: ['plate_check'] }, 'SCOPE_NOT_ALLOWED'],
    [{ rate_limit: { limit: 1, window_seconds: 3600 } }, { rate_limit: null }, 'RATE_LIMIT_EXCEEDED'],
    [{ municipalities: ['H501', 'L219'] }, { municipalities: ['H501'] }, 'MUNICIPALITY_REQUIRED'],
  ])('of %j holds at once, everywhere, and so does its reversal', async (sent, reset, code) => {
    const { credentialId, accessToken } = await known();
    expect((await change(service, credentialId, sent)).status).toBe(200);
    expect(await everywhere(accessToken)).toEqual([code, code]);
    expect((await change(service, credentialId, reset)).status).toBe(200);
    expect(await everywhere(accessToken)).toEqual(['200', '200']);
  });
});

describe('A revocation', () => {
  it('holds at once, everywhere, for the token, the key, and pairs in their overlap', async () => {
    const { credentialId, accessToken, apiKey } = await known();
    await rotate(service, credentialId, { overlap_seconds: 600 });
    const answer = await revoke(service, credentialId);
    expect([answer.status, answer.body.status, answer.body.overlap_ends_at]).toEqual([200, 'revoked', null]);
    expect(await everywhere(accessToken)).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED']);
    expect(await outcomeOfKey(service, apiKey)).toBe('TOKEN_REVOKED');
  });

  it('is final and keeps its first instant', async () => {
    const { credentialId, accessToken } = await issue(service);
    vi.useFakeTimers({ toFake: ['Date'] });
    const first = await revoke(service, credentialId);
    expect(first.body.revoked_at).toBe(new Date(Date.now()).toISOString());
    vi.setSystemTime(Date.now() + 5000);
    const second = await revoke(service, credentialId, {});
    expect([second.status, second.body.revoked_at]).toEqual([200, first.body.revoked_at]);
    expect(wrongPaths(await change(service, credentialId, { name: 'again' }))).toEqual(['credential_id']);
    expect(wrongPaths(await rotate(service, credentialId))).toEqual(['credential_id']);
    expect(await outcomeOf(service, accessToken)).toBe('TOKEN_REVOKED');
  });
});
