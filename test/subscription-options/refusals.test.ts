import { beforeAll, describe, expect, it } from 'vitest';
import { City, outcomeOf } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { NOW, OFFICE, PATH } from './support.ts';

const city = new City(OFFICE, { now: NOW });
let manyCities: Record<string, string>;
const ask = (body: object, headers = {}) => city.post(PATH, body, headers);

beforeAll(async () => {
  manyCities = (await issueCredential({}, [1, 2, 3])).headers;
});

describe('The options query refuses', () => {
  it.each<[string, object, object[]]>([
    ['no plate', {}, [{ path: 'plate', message: 'is required' }]],
    [
      'a terminal that is too long',
      { plate: 'A', terminal_code: '🅿'.repeat(65) },
      [{ path: 'terminal_code', message: 'must have at most 64 characters' }],
    ],
    [
      'all that is wrong at once',
      { plate: 1, municipality_code: 2, terminal_code: 3 },
      [{ path: 'plate' }, { path: 'municipality_code' }, { path: 'terminal_code' }],
    ],
  ])('%s with 422 INVALID_REQUEST, naming the field', async (_, body, issues) => {
    const answer = await ask(body);
    expect([answer.status, answer.body.error]).toMatchObject([
      422,
      { code: 'INVALID_REQUEST', details: { issues } },
    ]);
  });

  it('no terminal of 64 characters', async () => {
    const terminal_code = '🅿'.repeat(64);
    expect((await ask({ plate: 'A', terminal_code })).body).toMatchObject({ terminal_code });
  });

  /** Each case has what the next one refuses as well: the first of them wins. */
  it.each<[string, number, object]>([
    ['INVALID_REQUEST', 422, { plate: '\u{fb01}', terminal_code: 1 }],
    ['INVALID_PLATE', 422, { plate: '\u{fb01}' }],
    ['MUNICIPALITY_REQUIRED', 422, { plate: 'A' }],
    ['MUNICIPALITY_NOT_ALLOWED', 403, { plate: 'A', municipality_code: 'NONE' }],
    ['SERVICE_DISABLED', 403, { plate: 'A', municipality_code: 'NOSUB' }],
    ['SERVICE_DISABLED', 403, { plate: 'A', municipality_code: 'NOOPT' }],
  ])('with %s before what comes behind it', async (code, status, body) => {
    const answer = await ask(body, manyCities);
    expect(outcomeOf(answer)).toEqual([status, code]);
  });

  it('a call over its own budget, which plate checks do not spend', async () => {
    const { headers: own } = await issueCredential({ rateLimit: 1 });
    const check = () => city.post('/api/v2/parking/check-plate', { plate: 'A' }, own);
    const [first, other, second, another] = [
      await ask({ plate: 'A' }, own),
      await check(),
      await ask({ plate: 'A' }, own),
      await check(),
    ];
    expect([first, other, second, another].map(({ status }) => status)).toEqual([200, 200, 429, 429]);
  });
});
