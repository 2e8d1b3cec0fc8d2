import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { City } from '../support/city.ts';
import { ADMIN } from '../support/service.ts';
import {
  CITIES,
  CREDENTIALS,
  change,
  type Issued,
  issue,
  REQUEST,
  revoke,
  rotate,
  wrongPaths,
} from './support.ts';

const { service } = new City(CITIES);
let issued: Issued;

beforeAll(async () => {
  issued = await issue(service);
});

const rows = async (): Promise<unknown> =>
  (await env.DB.prepare('select * from credentials order by id').all()).results;

/** A field's value that is refused, and where. */
const WRONG: [string, unknown, string[]][] = [
  ['name', null, ['name']],
  ['name', '  ', ['name']],
  ['name', 'x'.repeat(201), ['name']],
  ['name', 7, ['name']],
  ['scopes', null, ['scopes']],
  ['scopes', [], ['scopes']],
  ['scopes', ['report', 'admin'], ['scopes.1']],
  ['scopes', ['report', 'report'], ['scopes']],
  ['municipalities', [], ['municipalities']],
  ['municipalities', ['H501', 'H501 '], ['municipalities']],
  ['municipalities', Array.from({ length: 201 }, (_, index) => `M${index}`), ['municipalities']],
  ['municipalities', ['Z999', 'H501', 'F205'], ['municipalities.0', 'municipalities.2']],
  ['municipalities', ['h501'], ['municipalities.0']],
  ['municipalities (201)', Array.from({ length: 201 }, (_, index) => `M${index}`), ['municipalities']],
  ['ip_allowlist', [], ['ip_allowlist']],
  ['ip_allowlist', ['203.0.113.7', '203.0.113.1/24', '1'], ['ip_allowlist.1', 'ip_allowlist.2']],
  ['ip_allowlist', Array(1_001).fill('203.0.113.7'), ['ip_allowlist']],
  ['expires_at', '2030-01-01T00:00:00', ['expires_at']],
  ['expires_at', 1_900_000_000_000, ['expires_at']],
  ['rate_limit', 120, ['rate_limit']],
  ['rate_limit', { window_seconds: 60 }, ['rate_limit.limit']],
  ['rate_limit', { limit: 0, window_seconds: 0 }, ['rate_limit.limit', 'rate_limit.window_seconds']],
  ['rate_limit', { limit: 10_001, window_seconds: 3601 }, ['rate_limit.limit', 'rate_limit.window_seconds']],
  ['rate_limit', { limit: 1, window_seconds: 1, burst: 2 }, ['rate_limit.burst']],
  ['historical_days_allowed', -1, ['historical_days_allowed']],
  ['historical_days_allowed', 1_000_001, ['historical_days_allowed']],
  ['source_code', 'x'.repeat(81), ['source_code']],
  ['source_code', 'none', ['source_code']],
  ["source_code (another tenant's)", 'app2', ['source_code']],
  ['location', 'WEUR', ['location']],
  ['version', 9, ['version']],
];
const fieldOf = (title: string): string => title.split(' ', 1)[0] ?? '';

it.each(WRONG)(
  '%s: %j is refused when a credential is issued, and when one is changed',
  async (title, value, paths) => {
    const before = await rows();
    const wrong = { [fieldOf(title)]: value };
    expect(wrongPaths(await service.post(CREDENTIALS, { ...REQUEST, ...wrong }, ADMIN))).toEqual(paths);
    expect(wrongPaths(await change(service, issued.credentialId, { name: 'changed', ...wrong }))).toEqual(
      paths,
    );
    expect(await rows()).toEqual(before);
  },
);

/** What lies at the edge of what is taken. */
const RIGHT: [string, unknown][] = [
  ['name', '🅿'.repeat(200)],
  ['scopes', ['plate_check', 'subscription_options', 'report', 'import']],
  ['municipalities', ['H501', 'L219']],
  ['rate_limit', { limit: 1, window_seconds: 1 }],
  ['rate_limit', { limit: 10_000, window_seconds: 3600 }],
  ['historical_days_allowed', 0],
  ['historical_days_allowed', 1_000_000],
  ['source_code', 'app1'],
  ['ip_allowlist', ['0.0.0.0/0', '::/0']],
];

it.each(RIGHT)('%s: %j is taken', async (field, value) => {
  const answer = await service.post(CREDENTIALS, { ...REQUEST, [field]: value }, ADMIN);
  expect([answer.status, answer.body[field]]).toEqual([201, value]);
  const { credentialId } = await issue(service);
  expect((await change(service, credentialId, { [field]: value })).body[field]).toEqual(value);
});

describe('What is refused', () => {
  it('a credential without what it must have, and with everything else that is wrong', async () => {
    expect(
      wrongPaths(await service.post(CREDENTIALS, { rate_limit: {}, colour: 'red' }, ADMIN)).sort(),
    ).toEqual([
      'colour',
      'municipalities',
      'name',
      'rate_limit.limit',
      'rate_limit.window_seconds',
      'scopes',
    ]);
    const { tenant: _, ...others } = REQUEST;
    expect(wrongPaths(await service.post(CREDENTIALS, others, ADMIN))).toEqual(['tenant']);
  });

  it('an unknown tenant, and another one for a credential: it is not a property of a change', async () => {
    const answer = await service.post(CREDENTIALS, { ...REQUEST, tenant: 'none' }, ADMIN);
    expect(wrongPaths(answer)).toEqual(['tenant']);
    expect(wrongPaths(await change(service, issued.credentialId, { tenant: 'acme' }))).toEqual(['tenant']);
  });

  it('an unknown municipality and another tenant’s with one text', async () => {
    const answer = await service.post(CREDENTIALS, { ...REQUEST, municipalities: ['Z999', 'F205'] }, ADMIN);
    const { issues } = (answer.body.error as { details: { issues: { message: string }[] } }).details;
    expect(new Set(issues.map(({ message }) => message)).size).toBe(1);
  });

  it('municipalities without the source that the credential has', async () => {
    const { credentialId } = await issue(service, { source_code: 'app1', municipalities: ['H501', 'L219'] });
    expect(wrongPaths(await change(service, credentialId, { municipalities: ['L219'] }))).toEqual([
      'source_code',
    ]);
  });

  it.each([[-1], [604_801], [0.5], ['60']])('an overlap of %j', async (overlap_seconds) => {
    const answer = await rotate(service, issued.credentialId, { overlap_seconds });
    expect(wrongPaths(answer)).toEqual(['overlap_seconds']);
  });

  it('an unknown property of a rotation and of a revocation', async () => {
    expect(wrongPaths(await rotate(service, issued.credentialId, { overlap: 60 }))).toEqual(['overlap']);
    expect(wrongPaths(await revoke(service, issued.credentialId, { at: 'now' }))).toEqual(['at']);
  });
});

it.each([
  ['revoke', undefined],
  ['revoke', ''],
  ['rotate', undefined],
  ['rotate', ''],
])('The body of %s may be absent: %j', async (action, body) => {
  const { credentialId } = await issue(service);
  expect((await service.post(`${CREDENTIALS}/${credentialId}/${action}`, body, ADMIN)).status).toBe(200);
});
