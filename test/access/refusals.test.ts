import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { CITY, seed } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';
import { stopClock } from '../support/stopped-clock.ts';

const NOW = Date.UTC(2026, 2, 7, 11);
const PLATE_CHECK = '/api/v2/parking-entitlements/search';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const LIMIT = 5;

beforeAll(() => seed(CITY));
beforeEach(async () => {
  await env.DB.prepare('delete from calls').run();
  stopClock(NOW);
  return () => vi.useRealTimers();
});
afterEach(() => vi.restoreAllMocks());

interface Kept {
  readonly calls: number;
  readonly bytes: number;
}

/** How many rows the call log holds, and the bytes of all that stands in them. */
const kept = async (): Promise<Kept> =>
  (await env.DB.prepare(
    `select count(*) as calls, coalesce(sum(octet_length(request_id || at || operation || credential_id || tenant
      || coalesce(address, '') || outcome || coalesce(request, '') || coalesce(response, ''))), 0) as bytes from logged_calls`,
  ).first<Kept>()) ?? expect.fail('the call log cannot be counted');

const codeOf = ({ body }: Answer) => (body.error as { code: string } | undefined)?.code ?? 'OK';

/** Calls so often, one after the other, and waits for what is written after each answer. */
async function repeat(
  times: number,
  path: string,
  { headers }: TestCredential,
  service = new Service(),
  body: unknown = { plate: 'A' },
) {
  const codes: string[] = [];
  for (let done = 0; done < times; done++) {
    const sent = body instanceof Uint8Array ? { 'Content-Type': 'application/json' } : {};
    codes.push(
      codeOf(await service.settle(path, { method: 'POST', body, headers: { ...sent, ...headers } })),
    );
  }
  return codes;
}

/** The structured lines of calls that were printed, by outcome. */
function watchLines() {
  const log = vi.spyOn(console, 'log');
  return () =>
    log.mock.calls.map(
      ([line]) => JSON.parse(String(line)) as { event: string; outcome: string; credential_id: string },
    );
}

describe.each([
  ['a plate check', PLATE_CHECK],
  ['an options query', OPTIONS],
])('Of refused calls of %s', (_, path) => {
  it.each<[string, Parameters<typeof issueCredential>[0]]>([
    ['TOKEN_REVOKED', { revokedAt: 1 }],
    ['TOKEN_EXPIRED', { expiresAt: 1 }],
    ['IP_NOT_ALLOWED', { ipAllowlist: ['198.51.100.1'] }],
    ['SCOPE_NOT_ALLOWED', { scopes: ['import'] }],
  ])('as many as the limit have a row, and each its line: %s', async (code, changed) => {
    const credential = await issueCredential({ ...changed, rateLimit: LIMIT });
    const lines = watchLines();
    expect(await repeat(LIMIT + 3, path, credential)).toEqual(Array(LIMIT + 3).fill(code));
    expect((await kept()).calls).toBe(LIMIT);
    expect(lines()).toHaveLength(LIMIT + 3);
    for (const line of lines()) {
      expect(line).toMatchObject({ event: 'call', outcome: code, credential_id: credential.credentialId });
    }
  });
});

describe('The refusals of a credential', () => {
  it('are counted together, from whatever operation and isolate they come', async () => {
    const credential = await issueCredential({ revokedAt: 1, rateLimit: LIMIT });
    for (let isolate = 0; isolate < 4; isolate++) {
      await repeat(1, PLATE_CHECK, credential);
      await repeat(1, OPTIONS, credential);
    }
    expect((await kept()).calls).toBe(LIMIT);
  });

  it('have rows again once the window is over', async () => {
    const credential = await issueCredential({ revokedAt: 1, rateLimit: LIMIT, rateWindowSeconds: 60 });
    await repeat(LIMIT + 1, PLATE_CHECK, credential);
    stopClock(NOW + 59_999);
    await repeat(1, PLATE_CHECK, credential);
    expect((await kept()).calls).toBe(LIMIT);
    stopClock(NOW + 60_000);
    await repeat(1, PLATE_CHECK, credential);
    expect((await kept()).calls).toBe(LIMIT + 1);
  });

  it('spend nothing of its budget, and no call that passes spends theirs', async () => {
    const credential = await issueCredential({ scopes: ['plate_check'], rateLimit: LIMIT });
    await repeat(LIMIT + 2, OPTIONS, credential);
    expect(await repeat(LIMIT + 1, PLATE_CHECK, credential)).toEqual([
      ...Array<string>(LIMIT).fill('OK'),
      'RATE_LIMIT_EXCEEDED',
    ]);
    expect((await kept()).calls).toBe(2 * LIMIT);
  });

  it('cost the object no write', async () => {
    const credential = await issueCredential({ revokedAt: 1, rateLimit: LIMIT });
    await repeat(LIMIT + 2, PLATE_CHECK, credential);
    const keys = await runInDurableObject(
      env.CREDENTIALS.getByName(credential.credentialId),
      async (_, state) => [...(await state.storage.list()).keys()],
    );
    expect(keys.filter((key) => key !== 'credential' && !key.startsWith('budget:'))).toEqual([]);
  });
});

it('A revoked token cannot fill the call log: 200 calls with bodies of 64 KiB leave less than 2.5 KiB each, up to the limit', async () => {
  const credential = await issueCredential({ revokedAt: 1, rateLimit: 120 });
  const invalid = new Uint8Array(64 * 1024).fill(0xff);
  await repeat(200, OPTIONS, credential, new Service(), invalid);
  const { calls, bytes } = await kept();
  expect(calls).toBe(120);
  expect(bytes).toBeLessThan(120 * 2_560);
});
