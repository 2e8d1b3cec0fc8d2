import { afterEach, describe, expect, it, vi } from 'vitest';
import { City } from '../support/city.ts';
import { CITIES, everywhere, issue, known, outcomeOf, outcomeOfKey, pairOf, rotate } from './support.ts';

const { service } = new City(CITIES);
afterEach(() => void vi.useRealTimers());

describe('A rotation', () => {
  it('shows the new pair once, with the fields', async () => {
    const old = await issue(service);
    const answer = await rotate(service, old.credentialId);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        ...old.body,
        request_id: answer.headers.get('X-Request-Id'),
        access_token: expect.stringMatching(`^pev_at_${old.credentialId}_`),
        api_key: expect.stringMatching(`^pev_ak_${old.credentialId}_`),
      },
    ]);
    expect(answer.body.access_token).not.toBe(old.accessToken);
    expect(answer.body.api_key).not.toBe(old.apiKey);
  });

  it.each([
    ['of a day where none is given', {}, 86_400],
    ['of a day for null', { overlap_seconds: null }, 86_400],
    ['that is given', { overlap_seconds: 60 }, 60],
  ])(
    'has an overlap %s, and lets both pairs pass to the last millisecond of it',
    async (_, body, seconds) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      const end = Date.now() + seconds * 1_000;
      const old = await known();
      const answer = await rotate(service, old.credentialId, body);
      expect(answer.body.overlap_ends_at).toBe(new Date(end).toISOString());
      for (const [now, outcome] of [
        [end - 1, '200'],
        [end, 'TOKEN_REVOKED'],
      ] as const) {
        vi.setSystemTime(now);
        expect(await everywhere(old.accessToken)).toEqual([outcome, outcome]);
        expect(await outcomeOfKey(service, old.apiKey)).toBe(outcome);
        expect(await everywhere(pairOf(answer).accessToken)).toEqual(['200', '200']);
      }
    },
  );

  it('without overlap holds at once, everywhere, though the object’s clock is behind the administrator’s', async () => {
    const old = await known();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5_000 });
    const next = pairOf(await rotate(service, old.credentialId));
    vi.useRealTimers();
    expect(await everywhere(old.accessToken)).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED']);
    expect(await outcomeOfKey(service, old.apiKey)).toBe('TOKEN_REVOKED');
    expect(await everywhere(next.accessToken)).toEqual(['200', '200']);
    expect(await outcomeOfKey(service, next.apiKey)).toBe('200');
  });

  it('leaves the budget as it was used, and its old pair spends none of it', async () => {
    const old = await issue(service, { rate_limit: { limit: 2, window_seconds: 3600 } });
    expect(await outcomeOf(service, old.accessToken)).toBe('200');
    const next = pairOf(await rotate(service, old.credentialId));
    expect(await outcomeOf(service, old.accessToken)).toBe('TOKEN_REVOKED');
    expect(await outcomeOf(service, next.accessToken)).toBe('200');
    expect(await outcomeOf(service, next.accessToken)).toBe('RATE_LIMIT_EXCEEDED');
  });
});
