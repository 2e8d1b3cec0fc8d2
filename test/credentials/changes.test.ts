import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
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

const service = new Service();

beforeAll(() => seed(CITIES));
afterEach(() => {
  vi.useRealTimers();
});

describe('A change', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['name', { name: 'Gate 2' }, { name: 'Gate 2' }],
    ['scopes', { scopes: ['report'] }, { scopes: ['report'] }],
    ['municipalities', { municipalities: ['L219', 'H501'] }, { municipalities: ['H501', 'L219'] }],
    [
      'fewer municipalities',
      { municipalities: ['L219'], source_code: null },
      { municipalities: ['L219'], source_code: null },
    ],
    ['ip_allowlist', { ip_allowlist: ['::/0'] }, { ip_allowlist: ['::/0'] }],
    ['expires_at', { expires_at: '2031-01-01T00:00Z' }, { expires_at: '2031-01-01T00:00:00.000Z' }],
    [
      'rate_limit',
      { rate_limit: { limit: 1, window_seconds: 2 } },
      { rate_limit: { limit: 1, window_seconds: 2 } },
    ],
    ['historical_days_allowed', { historical_days_allowed: 30 }, { historical_days_allowed: 30 }],
    ['nothing', {}, {}],
    ['expires_at, reset', { expires_at: null }, { expires_at: null }],
    ['rate_limit, reset', { rate_limit: null }, { rate_limit: { limit: 120, window_seconds: 60 } }],
    ['historical_days_allowed, reset', { historical_days_allowed: null }, { historical_days_allowed: null }],
    ['source_code, reset', { source_code: null }, { source_code: null }],
  ])('of %s leaves the rest alone', async (_, sent, changed) => {
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

  it.each<[string, Record<string, unknown>, string]>([
    ['scopes', { scopes: ['report'] }, 'SCOPE_NOT_ALLOWED'],
    ['addresses', { ip_allowlist: ['198.51.100.1'] }, 'IP_NOT_ALLOWED'],
    ['its end', { expires_at: '2020-01-01T00:00:00Z' }, 'TOKEN_EXPIRED'],
    ['the budget', { rate_limit: { limit: 1, window_seconds: 3600 } }, 'RATE_LIMIT_EXCEEDED'],
    ['municipalities', { municipalities: ['H501', 'L219'] }, 'MUNICIPALITY_REQUIRED'],
  ])('of %s holds at once, everywhere, and so does its reversal', async (_, sent, code) => {
    const { credentialId, accessToken } = await known();
    expect((await change(service, credentialId, sent)).status).toBe(200);
    expect(await everywhere(accessToken)).toEqual([code, code]);

    const reset = {
      scopes: ['plate_check'],
      ip_allowlist: null,
      expires_at: null,
      rate_limit: null,
      municipalities: ['H501'],
    };
    expect((await change(service, credentialId, reset)).status).toBe(200);
    expect(await everywhere(accessToken)).toEqual(['200', '200']);
  });
});

describe('A revocation', () => {
  it('holds at once, everywhere, for the token and the key', async () => {
    const { credentialId, accessToken, apiKey } = await known();
    const answer = await revoke(service, credentialId);
    expect([answer.status, answer.body.status]).toEqual([200, 'revoked']);
    expect(await everywhere(accessToken)).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED']);
    expect(await outcomeOfKey(service, apiKey)).toBe('TOKEN_REVOKED');
  });

  it('holds for pairs in their overlap too', async () => {
    const { credentialId, accessToken } = await known();
    await rotate(service, credentialId, { overlap_seconds: 600 });
    const answer = await revoke(service, credentialId);
    expect(answer.body.overlap_ends_at).toBeNull();
    expect(await everywhere(accessToken)).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED']);
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
