import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { brokenObjects, objectsDouble } from '../support/doubles.ts';
import { seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import {
  CITIES,
  change,
  type Issued,
  issue,
  list,
  outcomeOf,
  outcomeOfKey,
  pairOf,
  revoke,
  rotate,
  wrongPaths,
} from './credentials-support.ts';

const service = new Service();
/** Two isolates that have seen the credential admitted a moment ago. */
const isolates = [new Service(), new Service()];

beforeAll(() => seed(CITIES));
afterEach(() => {
  vi.useRealTimers();
});

/** What every isolate says to a token. */
const everywhere = (accessToken: string): Promise<string[]> =>
  Promise.all(isolates.map((isolate) => outcomeOf(isolate, accessToken)));

const row = (id: string) => env.DB.prepare('select * from credentials where id = ?').bind(id).first();

/** A credential that every isolate has let pass. */
async function known(changed: Record<string, unknown> = {}): Promise<Issued> {
  const issued = await issue(service, { rate_limit: { limit: 1000, window_seconds: 60 }, ...changed });
  expect(await everywhere(issued.accessToken)).toEqual(['200', '200']);
  return issued;
}

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
    ['ip_allowlist, reset', { ip_allowlist: null }, { ip_allowlist: null }],
    ['expires_at, reset', { expires_at: null }, { expires_at: null }],
    ['rate_limit, reset', { rate_limit: null }, { rate_limit: { limit: 120, window_seconds: 60 } }],
    ['historical_days_allowed, reset', { historical_days_allowed: null }, { historical_days_allowed: null }],
    ['source_code, reset', { source_code: null }, { source_code: null }],
  ])('of %s leaves the rest alone', async (_, sent, shown) => {
    const { body, credentialId } = await issue(service, {
      ip_allowlist: ['203.0.113.7'],
      expires_at: '2030-01-01T00:00:00Z',
      rate_limit: { limit: 10, window_seconds: 20 },
      historical_days_allowed: 7,
      source_code: 'app1',
    });
    const { success, ok, request_id, access_token, api_key, ...fields } = body;
    const answer = await change(service, credentialId, sent);
    const expected = { ...fields, ...shown };
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ success, ok, request_id: answer.headers.get('X-Request-Id'), ...expected });
    const listed = (await list(service, '?limit=200')).body.credentials as Record<string, unknown>[];
    expect(listed.find((each) => each.credential_id === credentialId)).toEqual(expected);
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
    ['0', { overlap_seconds: 0 }],
  ])('without overlap holds at once, everywhere, for the token and the key: %s', async (_, body) => {
    const old = await known();
    const next = pairOf(await rotate(service, old.credentialId, body));
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

describe('A change reaches an object that is ahead of a database restored from an earlier state', () => {
  /** A credential whose row is by so many changes behind its object. */
  async function restored(changes: number): Promise<Issued> {
    const issued = await known();
    const earlier = await row(issued.credentialId);
    for (let left = changes; left > 0; left--) {
      await change(service, issued.credentialId, { name: `later by ${left}` });
    }
    await env.DB.prepare('update credentials set version = ? where id = ?')
      .bind(earlier?.version, issued.credentialId)
      .run();
    return issued;
  }

  it.each([1, 2, 3])('by %i changes', async (changes) => {
    const { credentialId, accessToken } = await restored(changes);
    expect((await revoke(service, credentialId)).status).toBe(200);
    expect(await everywhere(accessToken)).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED']);
  });

  it('so that no isolate takes it for the one that had its number before', async () => {
    const { credentialId, accessToken } = await restored(1);
    expect(await everywhere(accessToken)).toEqual(['200', '200']);
    await change(service, credentialId, { municipalities: ['H501', 'L219'] });
    expect(await everywhere(accessToken)).toEqual(['MUNICIPALITY_REQUIRED', 'MUNICIPALITY_REQUIRED']);
  });
});

it('A rotation without overlap holds where the object’s clock is behind the administrator’s', async () => {
  const old = await known();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5_000 });
  expect((await rotate(service, old.credentialId, {})).status).toBe(200);
  vi.useRealTimers();
  expect(await everywhere(old.accessToken)).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED']);
});

describe('While the object of a credential cannot be reached', () => {
  const cutOff = new Service({ CREDENTIALS: brokenObjects() });

  it('a revocation fails and changes nothing, and the same once more holds', async () => {
    const { credentialId, accessToken } = await known();
    const before = await row(credentialId);
    const failed = await revoke(cutOff, credentialId);
    expect([failed.status, failed.body.error]).toEqual([
      500,
      expect.objectContaining({ code: 'TEMPORARY_ERROR' }),
    ]);
    expect(await row(credentialId)).toEqual(before);
    expect(await everywhere(accessToken)).toEqual(['200', '200']);
    const repeated = await revoke(service, credentialId);
    expect([repeated.status, repeated.body.status]).toEqual([200, 'revoked']);
    expect(await everywhere(accessToken)).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED']);
  });

  it('a change fails and changes nothing, and the same once more holds', async () => {
    const { credentialId, accessToken } = await known();
    const before = await row(credentialId);
    expect((await change(cutOff, credentialId, { scopes: ['report'] })).status).toBe(500);
    expect(await row(credentialId)).toEqual(before);
    expect(await everywhere(accessToken)).toEqual(['200', '200']);
    expect((await change(service, credentialId, { scopes: ['report'] })).status).toBe(200);
    expect(await everywhere(accessToken)).toEqual(['SCOPE_NOT_ALLOWED', 'SCOPE_NOT_ALLOWED']);
  });

  it('a rotation fails without a pair, and the next one gives one that passes', async () => {
    const old = await known();
    const failed = await rotate(cutOff, old.credentialId, { overlap_seconds: 60 });
    expect(failed.status).toBe(500);
    expect(JSON.stringify(failed.body)).not.toContain('pev_');
    const next = pairOf(await rotate(service, old.credentialId, { overlap_seconds: 60 }));
    expect(await everywhere(next.accessToken)).toEqual(['200', '200']);
    expect(await everywhere(old.accessToken)).toEqual(['200', '200']);
  });
});

describe('Two administrators at once', () => {
  /** A service before each of whose first changes somebody else changes the credential. */
  function overtaken(id: string, times: number): Service {
    let left = times;
    let calls = 0;
    const CREDENTIALS = objectsDouble(async (run) => {
      // A change reads the credential, then hands over what it becomes.
      calls += 1;
      if (calls % 2 === 0 && left-- > 0) {
        await change(service, id, { name: `overtaken ${times - left}` });
      }
      return run();
    });
    return new Service({ CREDENTIALS });
  }

  it('lose no change: the slower one is made again on what the quicker one left', async () => {
    const { credentialId, accessToken } = await known();
    const answer = await change(overtaken(credentialId, 2), credentialId, { scopes: ['report'] });
    expect(answer.body).toMatchObject({ name: 'overtaken 2', scopes: ['report'] });
    expect(await row(credentialId)).toMatchObject({ name: 'overtaken 2', scopes: '["report"]', version: 4 });
    expect(await everywhere(accessToken)).toEqual(['SCOPE_NOT_ALLOWED', 'SCOPE_NOT_ALLOWED']);
  });

  it('who is always slower changes nothing at all', async () => {
    const { credentialId, accessToken } = await known();
    expect((await revoke(overtaken(credentialId, 99), credentialId)).status).toBe(500);
    expect(await row(credentialId)).toMatchObject({ name: 'overtaken 5', revoked_at: null });
    const municipalities = await env.DB.prepare(
      'select municipality_id from credential_municipalities where credential_id = ?',
    )
      .bind(credentialId)
      .all();
    expect(municipalities.results).toEqual([{ municipality_id: 1 }]);
    expect(await everywhere(accessToken)).toEqual(['200', '200']);
  });

  it('many of them, each with one field, leave a credential with all of them', async () => {
    const { credentialId, accessToken } = await known();
    const answers = await Promise.all([
      change(service, credentialId, { name: 'many' }),
      change(service, credentialId, { historical_days_allowed: 9 }),
      change(service, credentialId, { municipalities: ['H501', 'L219'] }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [stored] = (
      (await list(service, '?limit=200')).body.credentials as Record<string, unknown>[]
    ).filter((each) => each.credential_id === credentialId);
    expect(stored).toMatchObject({
      name: 'many',
      historical_days_allowed: 9,
      municipalities: ['H501', 'L219'],
    });
    expect(await everywhere(accessToken)).toEqual(['MUNICIPALITY_REQUIRED', 'MUNICIPALITY_REQUIRED']);
  });
});

it('Plate checks that are admitted from the database obey the same changes', async () => {
  const fallingBack = new Service({ CREDENTIALS: brokenObjects() });
  const old = await issue(service);
  await rotate(service, old.credentialId, { overlap_seconds: 60 });
  expect(await outcomeOf(fallingBack, old.accessToken)).toBe('200');
  const next = pairOf(await rotate(service, old.credentialId));
  expect(await outcomeOf(fallingBack, old.accessToken)).toBe('TOKEN_INVALID');
  expect(await outcomeOf(fallingBack, next.accessToken)).toBe('200');
  await revoke(service, old.credentialId);
  expect(await outcomeOf(fallingBack, next.accessToken)).toBe('TOKEN_REVOKED');
});
