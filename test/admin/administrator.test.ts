import { describe, expect, it } from 'vitest';
import { PATH } from '../configuration/support.ts';
import { issueCredential } from '../support/credential.ts';
import { CITY as ROWS, seed } from '../support/seed.ts';
import { ADMIN, bearer, Service } from '../support/service.ts';

const service = new Service();
const get = (headers: Record<string, string>, from = service) =>
  from.call(`${PATH}?municipality_code=H501`, { headers });
/** One character short of what opens anything. */
const SHORT = 'x'.repeat(31);
const codeOf = (body: Record<string, unknown>) => (body.error as { code: string } | undefined)?.code ?? 'OK';

describe('the administrator', () => {
  it('passes with the secret behind Bearer, in any case and spacing', async () => {
    await seed(ROWS);
    for (const headers of [ADMIN, { Authorization: '  bearer   admin-token-of-the-tests-long-enough ' }]) {
      expect((await get(headers)).status).toBe(200);
    }
  });

  it.each([
    ['no header', {}, 'TOKEN_MISSING'],
    ['Bearer with nothing behind it', { Authorization: 'Bearer' }, 'TOKEN_MISSING'],
    ['Bearer with blanks behind it', { Authorization: 'Bearer   ' }, 'TOKEN_MISSING'],
    [
      'the secret in X-Service-Token',
      { 'X-Service-Token': 'admin-token-of-the-tests-long-enough' },
      'TOKEN_MISSING',
    ],
    ['the secret in X-Api-Key', { 'X-Api-Key': 'admin-token-of-the-tests-long-enough' }, 'TOKEN_MISSING'],
    ['another scheme', { Authorization: 'Basic admin-token-of-the-tests-long-enough' }, 'TOKEN_INVALID'],
    [
      'the secret without a scheme',
      { Authorization: 'admin-token-of-the-tests-long-enough' },
      'TOKEN_INVALID',
    ],
    ['another token', bearer('admin-token-of-the-tests-long-enoug5'), 'TOKEN_INVALID'],
    ['the start of the secret', bearer('admin-token-of-the-tests-long-enoug'), 'TOKEN_INVALID'],
    ['the secret and more', bearer('admin-token-of-the-tests-long-enough2'), 'TOKEN_INVALID'],
  ])('is refused with %s', async (_, headers, code) => {
    const { status, body, headers: answered } = await get(headers);
    expect([status, codeOf(body)]).toEqual([401, code]);
    expect(answered.get('WWW-Authenticate')).toMatch(/^Bearer realm=/);
    expect(answered.get('X-Request-Id')).toBe(body.request_id);
  });

  it("is not who holds a credential's token", async () => {
    const { headers, apiKey } = await issueCredential();
    expect(codeOf((await get(headers)).body)).toBe('SCOPE_NOT_ALLOWED');
    expect(codeOf((await get(bearer(apiKey))).body)).toBe('TOKEN_INVALID');
  });

  it('is judged before the content type, the body and the query', async () => {
    const answers = await Promise.all([
      service.call(PATH, { method: 'PUT', body: 'no JSON', headers: bearer('wrong') }),
      service.call(PATH, { headers: bearer('wrong') }),
    ]);
    expect(answers.map(({ body }) => codeOf(body))).toEqual(['TOKEN_INVALID', 'TOKEN_INVALID']);
  });

  it.each(['POST', 'PATCH', 'DELETE', 'OPTIONS'])(
    'is judged after the method: %s without a token is a 405 with Allow',
    async (method) => {
      const { status, headers } = await service.call(PATH, { method });
      expect([status, headers.get('Allow')]).toEqual([405, 'GET, PUT']);
    },
  );
});

it('a secret of 32 characters is long enough', async () => {
  const secret = 'x'.repeat(32);
  const { status } = await get(bearer(secret), new Service({ ADMIN_TOKEN: secret }));
  expect(status).toBe(200);
});

describe('without the secret nothing passes for the administrator', () => {
  const unset: [string, string | undefined][] = [
    ['unset', undefined],
    ['empty', ''],
    ['blank', '  '],
    ['too short', SHORT],
    ['long by its blanks alone', ` ${SHORT}  `],
  ];

  it.each(unset)('%s', async (_, secret) => {
    // The binding may be missing altogether, which its type tells by leaving it out.
    const bare = new Service({ ADMIN_TOKEN: secret as string });
    for (const [headers, code] of [
      [{}, 'TOKEN_MISSING'],
      [{ Authorization: 'Bearer ' }, 'TOKEN_MISSING'],
      [ADMIN, 'TOKEN_INVALID'],
      [bearer(SHORT), 'TOKEN_INVALID'],
      [bearer('undefined'), 'TOKEN_INVALID'],
    ] as const) {
      const { status, body } = await get(headers, bare);
      expect([status, codeOf(body)]).toEqual([401, code]);
    }
  });
});
