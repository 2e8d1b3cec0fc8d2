import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { issueCredential } from '../support/credential.ts';
import { CITY, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const PLATE_CHECK = '/api/v2/parking-entitlements/search';
const OPTIONS = '/api/v2/parking-meters/subscription-options';

beforeAll(() => seed(CITY));
afterEach(() => vi.restoreAllMocks());

describe.each([PLATE_CHECK, OPTIONS])('What its credential’s object refuses of %s', (path) => {
  it.each<[string, Parameters<typeof issueCredential>[0]]>([
    ['TOKEN_REVOKED', { revokedAt: 1 }],
    ['TOKEN_EXPIRED', { expiresAt: 1 }],
    ['IP_NOT_ALLOWED', { ipAllowlist: ['198.51.100.1'] }],
    ['SCOPE_NOT_ALLOWED', { scopes: ['import'] }],
  ])('has its line with the credential, and no row: %s', async (code, changed) => {
    const { credentialId, headers } = await issueCredential(changed);
    const log = vi.spyOn(console, 'log');
    const answer = await new Service().settle(path, { method: 'POST', headers, body: { plate: 'A' } });
    expect(answer.body.error).toMatchObject({ code });
    expect(log.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([
      { event: 'call', outcome: code, credential_id: credentialId, tenant: 'acme' },
    ]);
    expect(await env.DB.prepare('select count(*) from calls').first('count(*)')).toBe(0);
  });
});
