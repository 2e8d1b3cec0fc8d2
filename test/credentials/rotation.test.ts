import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { CITIES, everywhere, issue, known, outcomeOf, outcomeOfKey, pairOf, rotate } from './support.ts';

const service = new Service();

beforeAll(() => seed(CITIES));
afterEach(() => {
  vi.useRealTimers();
});

describe('A rotation', () => {
  it('shows the new pair once, with the fields', async () => {
    const old = await issue(service);
    const answer = await rotate(service, old.credentialId);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...old.body,
      request_id: answer.headers.get('X-Request-Id'),
      access_token: expect.stringMatching(`^pev_at_${old.credentialId}_`),
      api_key: expect.stringMatching(`^pev_ak_${old.credentialId}_`),
    });
    expect(pairOf(answer).accessToken).not.toBe(old.accessToken);
    expect(pairOf(answer).apiKey).not.toBe(old.apiKey);
  });

  it.each([
    ['absent', {}],
    ['null', { overlap_seconds: null }],
  ])('has an overlap of a day, unless it is given: %s', async (_, body) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const old = await known();
    const answer = await rotate(service, old.credentialId, body);
    expect(answer.body.overlap_ends_at).toBe(new Date(Date.now() + 86_400_000).toISOString());
    expect(await everywhere(old.accessToken)).toEqual(['200', '200']);
    expect(await everywhere(pairOf(answer).accessToken)).toEqual(['200', '200']);
  });

  it('without overlap holds at once, everywhere, for the token and the key', async () => {
    const old = await known();
    const next = pairOf(await rotate(service, old.credentialId));
    expect(await everywhere(old.accessToken)).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED']);
    expect(await everywhere(next.accessToken)).toEqual(['200', '200']);
    expect(await outcomeOfKey(service, old.apiKey)).toBe('TOKEN_REVOKED');
    expect(await outcomeOfKey(service, next.apiKey)).toBe('200');
  });

  it('with overlap lets both pairs pass to the last millisecond of it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const start = Date.now();
    const old = await known();
    const answer = await rotate(service, old.credentialId, { overlap_seconds: 60 });
    const next = pairOf(answer);
    expect(answer.body.overlap_ends_at).toBe(new Date(start + 60_000).toISOString());

    vi.setSystemTime(start + 59_999);
    expect(await everywhere(old.accessToken)).toEqual(['200', '200']);
    expect(await outcomeOfKey(service, old.apiKey)).toBe('200');
    expect(await everywhere(next.accessToken)).toEqual(['200', '200']);

    vi.setSystemTime(start + 60_000);
    expect(await everywhere(old.accessToken)).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED']);
    expect(await outcomeOfKey(service, old.apiKey)).toBe('TOKEN_REVOKED');
    expect(await everywhere(next.accessToken)).toEqual(['200', '200']);
  });

  it('without overlap ends an earlier overlap: who leaked a token is out', async () => {
    const first = await known();
    const second = pairOf(await rotate(service, first.credentialId, { overlap_seconds: 600 }));
    const third = pairOf(await rotate(service, first.credentialId));
    expect(await outcomeOf(service, first.accessToken)).toBe('TOKEN_INVALID');
    expect(await outcomeOf(service, second.accessToken)).toBe('TOKEN_REVOKED');
    expect(await outcomeOf(service, third.accessToken)).toBe('200');
  });

  it('leaves the budget as it was used, and its old pair spends none of it', async () => {
    const old = await issue(service, { rate_limit: { limit: 3, window_seconds: 3600 } });
    expect(await outcomeOf(service, old.accessToken)).toBe('200');
    const next = pairOf(await rotate(service, old.credentialId));
    expect(await outcomeOf(service, old.accessToken)).toBe('TOKEN_REVOKED');
    expect(await outcomeOf(service, next.accessToken)).toBe('200');
    expect(await outcomeOf(service, next.accessToken)).toBe('200');
    expect(await outcomeOf(service, next.accessToken)).toBe('RATE_LIMIT_EXCEEDED');
  });
});

it('A rotation without overlap holds where the object’s clock is behind the administrator’s', async () => {
  const old = await known();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5_000 });
  expect((await rotate(service, old.credentialId)).status).toBe(200);
  vi.useRealTimers();
  expect(await everywhere(old.accessToken)).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED']);
});
