import { beforeAll, expect, it } from 'vitest';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { brokenObjects } from '../support/doubles.ts';
import { CITY, seed } from '../support/seed.ts';
import { type Call, Service } from '../support/service.ts';

const REPORT = '/api/v2/parking/reports/active-by-area';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const DESCRIPTION = '/api/v2/openapi.json';
const PREFLIGHT: Call = {
  method: 'OPTIONS',
  headers: { Origin: 'https://city.test', 'Access-Control-Request-Method': 'POST' },
};

let credential: TestCredential;

beforeAll(async () => {
  await seed(CITY);
  credential = await issueCredential();
});

it.each<[string, number, string, Call]>([
  ['an answer', 200, '/health', {}],
  ['an unknown path', 404, '/nothing', {}],
  ['another method', 405, REPORT, {}],
  ['a refused preflight', 405, OPTIONS, PREFLIGHT],
  ['a preflight of the report', 204, REPORT, PREFLIGHT],
  ['a call without a token', 401, OPTIONS, { method: 'POST' }],
  ['the description that a client has already', 304, DESCRIPTION, { headers: { 'If-None-Match': '*' } }],
  ['the reference page', 200, '/docs', {}],
  ['the widget', 200, '/widget/v1.js', {}],
])('%s tells browsers to come by HTTPS alone', async (_, expected, path, call) => {
  const { status, headers } = await new Service().call(path, call);
  expect([status, headers.get('Strict-Transport-Security')]).toEqual([expected, 'max-age=63072000']);
});

it('a failure of ours does too', async () => {
  const broken = new Service({ CREDENTIALS: brokenObjects() });
  const { status, headers } = await broken.post(OPTIONS, { plate: 'A1' }, credential.headers);
  expect([status, headers.get('Strict-Transport-Security')]).toEqual([500, 'max-age=63072000']);
});

it.each(['/health', '/nothing', '/docs'])('%s says by Date what time it is', async (path) => {
  const { headers } = await new Service().call(path, {});
  expect(Math.abs(Date.parse(headers.get('Date') ?? '') - Date.now())).toBeLessThan(5_000);
});
