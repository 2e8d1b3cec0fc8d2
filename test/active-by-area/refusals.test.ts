import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { City, outcomeOf } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { brokenDatabase, noSnapshots } from '../support/doubles.ts';
import { APP_SOURCE, CITY, FACILITY, ROME, STREET } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';

const PATH = '/api/v2/parking/reports/active-by-area';
const city = new City({
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
let threeCities: Record<string, string>;

beforeAll(async () => {
  threeCities = (await issueCredential({}, [1, 2, 3])).headers;
});

const report = (body: unknown, headers = {}) => city.post(PATH, body, headers);

describe('The report refuses', () => {
  it.each<[string, object, object[]]>([
    ['another property', { plate: 'A' }, [{ path: 'plate', message: 'is not a known property' }]],
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
    ['a source of zero', { source_id: 0 }, [{ path: 'source_id', message: 'must be at least 1' }]],
    ['half a source', { source_id: 1.5 }, [{ path: 'source_id' }]],
    [
      'all that is wrong at once',
      { municipality_code: [], area_type: 1, source_id: '1', other: 1 },
      [{ path: 'municipality_code' }, { path: 'area_type' }, { path: 'source_id' }, { path: 'other' }],
    ],
  ])('%s with 422 INVALID_REQUEST, naming the field', async (_, body, issues) => {
    const answer = await report(body);
    expect(outcomeOf(answer)).toEqual([422, 'INVALID_REQUEST']);
    expect(answer.body.error).toMatchObject({ details: { issues } });
  });

  /** Each case has what the next one refuses as well: the first of them wins. */
  it.each<[string, number, object]>([
    ['INVALID_REQUEST', 422, { x: 1, area_type: 'facility' }],
    ['MUNICIPALITY_REQUIRED', 422, { area_type: 'facility', source_id: 99 }],
    ['MUNICIPALITY_REQUIRED', 422, { municipality_code: ' ' }],
    ['MUNICIPALITY_NOT_ALLOWED', 403, { municipality_code: '🅿'.repeat(80), area_type: 'facility' }],
    ['SERVICE_DISABLED', 403, { municipality_code: 'OFF', source_id: 99 }],
    ['NO_ACTIVE_FACILITIES', 404, { municipality_code: 'H501', area_type: 'facility', source_id: 99 }],
    ['SOURCE_NOT_FOUND', 404, { municipality_code: 'H501', source_id: 99 }],
  ])('with %s before what comes behind it', async (code, status, body) => {
    expect(outcomeOf(await report(body, threeCities))).toEqual([status, code]);
  });

  it.each([
    ['switched off', 2],
    ['of another municipality', 3],
    ['larger than any', Number.MAX_SAFE_INTEGER],
  ])('a source that is %s with 404 SOURCE_NOT_FOUND', async (_, source_id) => {
    expect(outcomeOf(await report({ source_id }))).toEqual([404, 'SOURCE_NOT_FOUND']);
  });

  it('no streets of a municipality that has none', async () => {
    expect((await report({ municipality_code: 'OTHER' }, threeCities)).status).toBe(200);
  });

  it('in Italian when asked so, and the log names the municipality that the call was for', async () => {
    const { body } = await report({ area_type: 'facility' }, { 'Accept-Language': 'it' });
    expect(body.error).toMatchObject({ message: 'area_type: il comune non ha parcheggi attivi.' });
    const query = 'select municipality_code, http_status from logged_calls where request_id = ?';
    const { results } = await env.DB.prepare(query).bind(body.request_id).all();
    expect(results).toEqual([{ municipality_code: 'H501', http_status: 404 }]);
  });
});

describe('Every status of the report’s path', () => {
  const away = new Service({ DB: brokenDatabase(), SNAPSHOTS: noSnapshots() });
  const json = { 'Content-Type': 'application/json' };

  it.each<[number, string | undefined, () => Promise<Answer>]>([
    [200, undefined, () => report({})],
    [400, 'INVALID_JSON', () => report('', json)],
    [401, 'TOKEN_MISSING', () => city.service.post(PATH, {})],
    [403, 'MUNICIPALITY_NOT_ALLOWED', () => report({ municipality_code: 'NONE' })],
    [404, 'SOURCE_NOT_FOUND', () => report({ source_id: 99 })],
    [404, 'NO_ACTIVE_FACILITIES', () => report({ area_type: 'facility' })],
    [405, 'METHOD_NOT_ALLOWED', () => city.service.call(PATH, { method: 'GET' })],
    [413, 'PAYLOAD_TOO_LARGE', () => report(' '.repeat(65_537), json)],
    [415, 'INVALID_CONTENT_TYPE', () => report('{}', { 'Content-Type': 'text/plain' })],
    [422, 'INVALID_REQUEST', () => report({ plate: 'A' })],
    [429, 'RATE_LIMIT_EXCEEDED', () => overBudget()],
    [500, 'TEMPORARY_ERROR', () => city.post(PATH, {}, {}, away)],
  ])(
    '%i %s has the markers, may be read by every page, and is not to be cached',
    async (status, code, call) => {
      const answer = await call();
      expect(outcomeOf(answer)).toEqual([status, code]);
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

  /** The budget is that of the plate check and of V1, and refused reports use it up too. */
  async function overBudget(): Promise<Answer> {
    const { headers } = await issueCredential({ rateLimit: 3 });
    await report({ source_id: 99 }, headers);
    await city.post('/api/v2/parking-entitlements/search', { plate: 'A' }, headers);
    const last = await city.post('/api/v1/parking/check-plate', { plate: 'A' }, headers);
    expect([last.status, last.headers.get('RateLimit')]).toEqual([200, expect.stringContaining('r=0')]);
    return report({}, headers);
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
