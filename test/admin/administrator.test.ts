import { describe, expect, it } from 'vitest';
import { PATH } from '../configuration/support.ts';
import { CITY as ROWS, seed } from '../support/seed.ts';
import { ADMIN, bearer, Service } from '../support/service.ts';

const get = (headers: Record<string, string>, from = new Service()) =>
  from.call(`${PATH}?municipality_code=H501`, { headers });
const codeOf = (body: Record<string, unknown>) => (body.error as { code: string } | undefined)?.code ?? 'OK';

describe('the administrator', () => {
  it('passes with the secret behind Bearer, in any case and spacing', async () => {
    await seed(ROWS);
    for (const headers of [ADMIN, { Authorization: '  bearer   admin-token-of-the-tests-long-enough ' }]) {
      expect((await get(headers)).status).toBe(200);
    }
  });

  it.each([
    ['Bearer with blanks behind it', { Authorization: 'Bearer   ' }, 'TOKEN_MISSING'],
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
});

it('a secret of 32 characters is long enough, and the blanks around it are none of it', async () => {
  const secret = 'x'.repeat(32);
  const { status } = await get(bearer(secret), new Service({ ADMIN_TOKEN: ` ${secret}\n` }));
  expect(status).toBe(200);
});

it('a secret is not long by its blanks', async () => {
  const secret = ` ${'x'.repeat(31)}  `;
  const { body } = await get(bearer(secret), new Service({ ADMIN_TOKEN: secret }));
  expect(codeOf(body)).toBe('TOKEN_INVALID');
});
