import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { issueCredential } from '../support/credential.ts';
import { brokenDatabase, noSnapshots } from '../support/doubles.ts';
import { APP_SOURCE, CITY, FACILITY, ROME, STREET, seed } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';

const PATH = '/api/v2/parking/reports/active-by-area';
const service = new Service();
let headers: Record<string, string>;
let twoCities: Record<string, string>;

beforeAll(async () => {
  await seed({
    ...CITY,
    municipalities: [
      ROME,
      { ...ROME, id: 2, code: 'OTHER' },
      { ...ROME, id: 3, code: 'OFF', reportEnabled: false },
    ],
    areas: [
      STREET,
      { ...FACILITY, active: false },
      { ...FACILITY, id: 3, municipalityId: 2 },
      { ...FACILITY, id: 4, municipalityId: 3 },
    ],
    sources: [
      APP_SOURCE,
      { ...APP_SOURCE, id: 2, code: 'gone', active: false },
      { ...APP_SOURCE, id: 3, municipalityId: 2 },
    ],
  });
  headers = (await issueCredential()).headers;
  twoCities = (await issueCredential({}, [1, 2, 3])).headers;
});

const report = (body: object, sent = headers) => service.post(PATH, body, sent);
const codeOf = ({ status, body }: Answer) => [status, (body.error as { code?: string } | undefined)?.code];

describe('The report refuses', () => {
  it.each<[string, object, object[]]>([
    ['another property', { plate: 'A' }, [{ path: 'plate', message: 'is not a known property' }]],
    [
      'a code that is not a text',
      { municipality_code: 5 },
      [{ path: 'municipality_code', message: 'must be a text' }],
    ],
    [
      'a code of 81 characters',
      { municipality_code: 'x'.repeat(81) },
      [{ path: 'municipality_code', message: 'must have at most 80 characters' }],
    ],
    [
      'another area type',
      { area_type: 'garden' },
      [{ path: 'area_type', message: 'must be one of: street, facility' }],
    ],
    ['an area type that is a number', { area_type: 1 }, [{ path: 'area_type' }]],
    ['a source of zero', { source_id: 0 }, [{ path: 'source_id', message: 'must be at least 1' }]],
    ['a source that is a text', { source_id: '1' }, [{ path: 'source_id' }]],
    ['half a source', { source_id: 1.5 }, [{ path: 'source_id' }]],
    [
      'all that is wrong at once',
      { municipality_code: [], area_type: 'x', source_id: -1, other: 1 },
      [{ path: 'municipality_code' }, { path: 'area_type' }, { path: 'source_id' }, { path: 'other' }],
    ],
  ])('%s with 422 INVALID_REQUEST, naming the field', async (_, body, issues) => {
    const answer = await report(body);
    expect(codeOf(answer)).toEqual([422, 'INVALID_REQUEST']);
    expect(answer.body.error).toMatchObject({ details: { issues } });
  });

  it('no code of 80 characters for its length', async () => {
    for (const code of ['x'.repeat(80), '\u{1f17f}'.repeat(80)]) {
      expect(codeOf(await report({ municipality_code: code }))).toEqual([403, 'MUNICIPALITY_NOT_ALLOWED']);
    }
  });

  /** Each case has what the next one refuses as well: the first of them wins. */
  it.each<[string, number, object]>([
    ['INVALID_REQUEST', 422, { x: 1, area_type: 'facility' }],
    ['MUNICIPALITY_REQUIRED', 422, { area_type: 'facility', source_id: 99 }],
    ['MUNICIPALITY_REQUIRED', 422, { municipality_code: ' ' }],
    ['MUNICIPALITY_NOT_ALLOWED', 403, { municipality_code: 'NONE', area_type: 'facility', source_id: 99 }],
    ['SERVICE_DISABLED', 403, { municipality_code: 'OFF', source_id: 99 }],
    ['NO_ACTIVE_FACILITIES', 404, { municipality_code: 'H501', area_type: 'facility', source_id: 99 }],
    ['SOURCE_NOT_FOUND', 404, { municipality_code: 'H501', source_id: 99 }],
  ])('with %s before what comes behind it', async (code, status, body) => {
    expect(codeOf(await report(body, twoCities))).toEqual([status, code]);
  });

  it.each([
    ['unknown', 99],
    ['switched off', 2],
    ['of another municipality', 3],
    ['larger than any', Number.MAX_SAFE_INTEGER],
  ])('a source that is %s with 404 SOURCE_NOT_FOUND', async (_, source_id) => {
    expect(codeOf(await report({ source_id }))).toEqual([404, 'SOURCE_NOT_FOUND']);
  });

  it('facilities where none is active with 404, and streets where there are none with 200', async () => {
    expect(codeOf(await report({ area_type: 'facility' }))).toEqual([404, 'NO_ACTIVE_FACILITIES']);
    expect((await report({ municipality_code: 'OTHER' }, twoCities)).status).toBe(200);
  });

  it('and the log names the municipality that the call was for', async () => {
    for (const body of [{ source_id: 99 }, { area_type: 'facility' }]) {
      const call = { method: 'POST', body, headers };
      const { body: answered } = await new Service().settle(PATH, call);
      const { results } = await env.DB.prepare('select * from logged_calls where request_id = ?')
        .bind(answered.request_id)
        .all();
      expect(results).toMatchObject([{ municipality_code: 'H501', http_status: 404 }]);
    }
  });

  it('in Italian when asked so', async () => {
    const { body } = await report({ area_type: 'facility' }, { ...headers, 'Accept-Language': 'it' });
    expect(body.error).toMatchObject({ message: 'area_type: il comune non ha parcheggi attivi.' });
  });
});

describe('Every status of the report’s path', () => {
  const away = new Service({ DB: brokenDatabase(), SNAPSHOTS: noSnapshots() });
  const json = { 'Content-Type': 'application/json' };
  const post = (body: unknown, sent: Record<string, string>, to = service) =>
    to.call(PATH, { method: 'POST', body, headers: sent });

  it.each<[number, string | undefined, () => Promise<Answer>]>([
    [200, undefined, () => report({})],
    [400, 'INVALID_JSON', () => post('', { ...headers, ...json })],
    [401, 'TOKEN_MISSING', () => post({}, {})],
    [403, 'MUNICIPALITY_NOT_ALLOWED', () => report({ municipality_code: 'NONE' })],
    [404, 'SOURCE_NOT_FOUND', () => report({ source_id: 99 })],
    [404, 'NO_ACTIVE_FACILITIES', () => report({ area_type: 'facility' })],
    [405, 'METHOD_NOT_ALLOWED', () => service.call(PATH, { method: 'GET' })],
    [413, 'PAYLOAD_TOO_LARGE', () => post(' '.repeat(65_537), { ...headers, ...json })],
    [415, 'INVALID_CONTENT_TYPE', () => post('{}', { ...headers, 'Content-Type': 'text/plain' })],
    [422, 'INVALID_REQUEST', () => report({ plate: 'A' })],
    [429, 'RATE_LIMIT_EXCEEDED', () => overBudget()],
    [500, 'TEMPORARY_ERROR', () => away.post(PATH, {}, headers)],
  ])(
    '%i %s has the markers, may be read by every page, and is not to be cached',
    async (status, code, call) => {
      const answer = await call();
      expect(codeOf(answer)).toEqual([status, code]);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'x-service-report': 'active_by_area',
        'x-service-report-version': '1.0',
        'x-request-id': answer.body.request_id,
        'cache-control': 'no-store, private',
        'access-control-allow-origin': '*',
        'access-control-expose-headers':
          'X-Request-Id,Retry-After,RateLimit,RateLimit-Policy,X-Service-Report,X-Service-Report-Version',
      });
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
      expect(answer.headers.has('retry-after')).toBe(status === 429 || status === 500);
    },
  );

  async function overBudget(): Promise<Answer> {
    const { headers: own } = await issueCredential({ rateLimit: 1 });
    await report({}, own);
    return report({}, own);
  }

  it('204 of a preflight allows POST with the three credential headers, and needs no credential', async () => {
    const answer = await away.call(PATH, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://www.comune.roma.it',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'x-api-key, content-type',
      },
    });
    expect([answer.status, answer.body]).toEqual([204, null]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-service-report': 'active_by_area',
      'x-request-id': expect.any(String),
      'cache-control': 'no-store, private',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Authorization,X-Service-Token,X-Api-Key,Content-Type',
    });
  });
});
