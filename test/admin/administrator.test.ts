import { expect, it } from 'vitest';
import { PATH } from '../configuration/support.ts';
import { City, outcomeOf } from '../support/city.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';

new City(CITY);
const SECRET = 'admin-token-of-the-tests-long-enough';
const LEAST = 'x'.repeat(32);

it.each<[string, string, string | undefined, string?]>([
  ['the secret behind Bearer, in any case and spacing', `  bearer   ${SECRET} `, undefined],
  ['a secret of 32 characters, with blanks around it', `Bearer ${LEAST}`, undefined, ` ${LEAST}\n`],
  ['one that is long by its blanks', `Bearer ${LEAST.slice(1)}`, 'TOKEN_INVALID', ` ${LEAST.slice(1)}  `],
  ['Bearer with blanks behind it', 'Bearer   ', 'TOKEN_MISSING'],
  ['the secret without a scheme', SECRET, 'TOKEN_INVALID'],
  ['another token', `Bearer ${SECRET.slice(0, -1)}5`, 'TOKEN_INVALID'],
  ['the start of the secret', `Bearer ${SECRET.slice(0, -1)}`, 'TOKEN_INVALID'],
  ['the secret and more', `Bearer ${SECRET}2`, 'TOKEN_INVALID'],
])(
  'The administrator with %s is answered, or refused',
  async (_, Authorization, code, ADMIN_TOKEN = SECRET) => {
    const service = new Service({ ADMIN_TOKEN });
    const answer = await service.call(`${PATH}?municipality_code=H501`, { headers: { Authorization } });
    expect(outcomeOf(answer)).toEqual([code === undefined ? 200 : 401, code]);
  },
);
