import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { City, outcomeOf } from '../support/city.ts';
import { CITY } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

const CREDENTIALS = '/api/v2/admin/credentials';
const PLATE_CHECK = '/api/v2/parking/check-plate';
/** One character short of what signs. */
const SHORT = 's'.repeat(31);
const REQUEST = { tenant: 'acme', name: 'Gate 1', scopes: ['plate_check'], municipalities: ['H501'] };

const city = new City(CITY);
afterEach(() => vi.restoreAllMocks());

/** Calls, and returns the outcome with the messages of the structured log. */
async function failing(service: Service, path: string, body: object, headers: Record<string, string>) {
  const error = vi.spyOn(console, 'error');
  const outcome = outcomeOf(await service.post(path, body, headers));
  const logged = error.mock.calls.map(([line]) => JSON.parse(String(line)).message);
  error.mockRestore();
  return [outcome, logged];
}

describe('While the key that signs is too short', () => {
  const service = new Service({ TOKEN_KEY: `${SHORT},${env.TOKEN_KEY}` });

  it('nothing is issued or rotated, and the structured log says why, without the key', async () => {
    for (const [path, body] of [
      [CREDENTIALS, REQUEST],
      [`${CREDENTIALS}/${city.credential.credentialId}/rotate`, {}],
    ] as const) {
      const [outcome, logged] = await failing(service, path, body, ADMIN);
      expect(outcome).toEqual([500, 'TEMPORARY_ERROR']);
      expect(logged).toEqual([expect.stringContaining('TOKEN_KEY has fewer than 32 characters')]);
      expect(JSON.stringify(logged)).not.toContain(SHORT);
    }
  });

  it('the tokens that are out go on passing', async () => {
    expect((await city.post(PLATE_CHECK, { plate: 'A1' }, {}, service)).status).toBe(200);
  });
});

it.each([undefined, '', '  ', ',', SHORT])(
  'While TOKEN_KEY is %j, a good token gets a 500, never a 401, and what cannot be a token a 401 as ever',
  async (TOKEN_KEY) => {
    const service = new Service({ TOKEN_KEY: TOKEN_KEY as string });
    expect(await failing(service, PLATE_CHECK, { plate: 'A1' }, city.headers)).toEqual([
      [500, 'TEMPORARY_ERROR'],
      [expect.stringContaining('TOKEN_KEY has no key of at least 32 characters')],
    ]);
    const { status } = await service.post(PLATE_CHECK, { plate: 'A1' }, { Authorization: 'Bearer x' });
    expect(status).toBe(401);
  },
);
