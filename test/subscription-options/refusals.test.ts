import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { issueCredential } from '../support/credential.ts';
import { seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { asker, NOW, OFFICE } from './support.ts';

const service = new Service();
let headers: Record<string, string>;
let manyCities: Record<string, string>;
const ask = asker(service, () => ({ headers }));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  return () => vi.useRealTimers();
});

beforeAll(async () => {
  await seed(OFFICE);
  headers = (await issueCredential()).headers;
  manyCities = (await issueCredential({}, [1, 2, 3])).headers;
});

describe('The options query refuses', () => {
  it.each<[string, object, object[]]>([
    ['no plate', {}, [{ path: 'plate', message: 'is required' }]],
    ['a plate that is a number', { plate: 12 }, [{ path: 'plate', message: 'must be a text' }]],
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
    expect([answer.body.error, answer.status]).toMatchObject([{ code }, status]);
  });

  it.each(['', '   ', '---', 'A'.repeat(16)])('the plate %j with INVALID_PLATE', async (plate) => {
    const answer = await ask({ plate });
    expect([answer.status, answer.body.error]).toMatchObject([422, { code: 'INVALID_PLATE' }]);
  });

  it('a call over its own budget, which plate checks do not spend', async () => {
    const { headers: own } = await issueCredential({ rateLimit: 1 });
    const check = () => service.post('/api/v2/parking/check-plate', { plate: 'A' }, own);
    const [first, other, second, another] = [
      await ask({ plate: 'A' }, own),
      await check(),
      await ask({ plate: 'A' }, own),
      await check(),
    ];
    expect([first, other, second, another].map(({ status }) => status)).toEqual([200, 200, 429, 429]);
  });
});
