import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { CITY, seed } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

const CREDENTIALS = '/api/v2/admin/credentials';
const PLATE_CHECK = '/api/v2/parking/check-plate';
/** One character short of what signs. */
const SHORT = 's'.repeat(31);
const REQUEST = { tenant: 'acme', name: 'Gate 1', scopes: ['plate_check'], municipalities: ['H501'] };

let credential: TestCredential;

beforeAll(async () => {
  await seed(CITY);
  credential = await issueCredential();
});
afterEach(() => vi.restoreAllMocks());

describe('While the key that signs is too short', () => {
  const service = new Service({ TOKEN_KEY: `${SHORT},${env.TOKEN_KEY}` });

  it('nothing is issued or rotated, and the structured log says why, without the key', async () => {
    const error = vi.spyOn(console, 'error');
    const answers = [
      await service.post(CREDENTIALS, REQUEST, ADMIN),
      await service.post(`${CREDENTIALS}/${credential.credentialId}/rotate`, {}, ADMIN),
    ];
    for (const { status, body } of answers) {
      expect([status, body.error]).toMatchObject([500, { code: 'TEMPORARY_ERROR' }]);
    }
    const logged = error.mock.calls.map(([line]) => String(line));
    expect(logged).toHaveLength(2);
    for (const line of logged) {
      expect(JSON.parse(line)).toMatchObject({
        event: 'failure',
        message: expect.stringContaining('TOKEN_KEY has fewer than 32 characters'),
      });
      expect(line).not.toContain(SHORT);
    }
  });

  it('the tokens that are out go on passing', async () => {
    expect((await service.post(PLATE_CHECK, { plate: 'A1' }, credential.headers)).status).toBe(200);
  });
});

describe.each([undefined, '', '  ', ',', SHORT])('While TOKEN_KEY is %j', (TOKEN_KEY) => {
  const service = new Service({ TOKEN_KEY: TOKEN_KEY as string });

  it('a good token gets a 500, never a 401, and the structured log says why', async () => {
    const error = vi.spyOn(console, 'error');
    const { status, body } = await service.post(PLATE_CHECK, { plate: 'A1' }, credential.headers);
    expect([status, body.error]).toMatchObject([500, { code: 'TEMPORARY_ERROR' }]);
    expect(String(error.mock.calls[0]?.[0])).toContain('TOKEN_KEY has no key of at least 32 characters');
  });

  it('what cannot be a token is a 401 as ever', async () => {
    const { status } = await service.post(PLATE_CHECK, { plate: 'A1' }, { Authorization: 'Bearer x' });
    expect(status).toBe(401);
  });
});
