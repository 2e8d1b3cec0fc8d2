import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { seed } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';
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

const service = new Service();
let issued: Issued;

beforeAll(async () => {
  await seed(CITIES);
  issued = await issue(service);
});

const count = async (): Promise<unknown> =>
  env.DB.prepare('select count(*) from credentials').first('count(*)');

/** A field's value that is refused, and where. */
const WRONG: [string, unknown, string[]][] = [
  ['name', null, ['name']],
  ['name', '  ', ['name']],
  ['name', 'x'.repeat(201), ['name']],
  ['name', 7, ['name']],
  ['scopes', null, ['scopes']],
  ['scopes', [], ['scopes']],
  ['scopes', ['report', 'admin'], ['scopes.1']],
  ['scopes', ['report', 'admin', 'report'], ['scopes.1', 'scopes.2']],
  ['municipalities', [], ['municipalities']],
  ['municipalities', ['H501', 'H501 '], ['municipalities.1']],
  ['municipalities', ['Z999', 'H501', 'F205'], ['municipalities.0', 'municipalities.2']],
  ['municipalities', ['h501'], ['municipalities.0']],
  ['ip_allowlist', [], ['ip_allowlist']],
  ['ip_allowlist', ['203.0.113.7', '203.0.113.1/24'], ['ip_allowlist.1']],
  ['ip_allowlist', ['1', 'localhost'], ['ip_allowlist.0', 'ip_allowlist.1']],
  ['ip_allowlist', Array.from({ length: 1001 }, () => '203.0.113.7'), ['ip_allowlist']],
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
  ['version', 9, ['version']],
];
const fieldOf = (title: string): string => title.split(' ', 1)[0] ?? '';

describe.each(WRONG)('%s: %j', (title, value, paths) => {
  it('is refused when a credential is issued, and none is', async () => {
    const before = await count();
    const answer = await service.post(CREDENTIALS, { ...REQUEST, [fieldOf(title)]: value }, ADMIN);
    expect(wrongPaths(answer)).toEqual(paths);
    expect(await count()).toBe(before);
  });

  it('is refused when a credential is changed, which stays as it is', async () => {
    const before = await env.DB.prepare('select * from credentials').first();
    const answer = await change(service, issued.credentialId, { name: 'changed', [fieldOf(title)]: value });
    expect(wrongPaths(answer)).toEqual(paths);
    expect(await env.DB.prepare('select * from credentials').first()).toEqual(before);
  });
});

/** What lies at the edge of what is taken. */
const RIGHT: [string, unknown][] = [
  ['name', 'x'.repeat(200)],
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
  it.each([['tenant'], ['name'], ['scopes'], ['municipalities']])(
    'a credential without %s',
    async (field) => {
      const { [field]: _, ...rest } = REQUEST as Record<string, unknown>;
      expect(wrongPaths(await service.post(CREDENTIALS, rest, ADMIN))).toEqual([field]);
    },
  );

  it('names every field that is wrong', async () => {
    const answer = await service.post(
      CREDENTIALS,
      { tenant: 'acme', name: '', scopes: [], rate_limit: { limit: 0 }, colour: 'red' },
      ADMIN,
    );
    expect(wrongPaths(answer).sort()).toEqual(
      ['colour', 'municipalities', 'name', 'rate_limit.limit', 'rate_limit.window_seconds', 'scopes'].sort(),
    );
  });

  it('an unknown tenant', async () => {
    const answer = await service.post(CREDENTIALS, { ...REQUEST, tenant: 'none' }, ADMIN);
    expect(wrongPaths(answer)).toEqual(['tenant']);
  });

  it('another tenant for a credential: it is not a property of a change', async () => {
    expect(wrongPaths(await change(service, issued.credentialId, { tenant: 'acme' }))).toEqual(['tenant']);
  });

  it('an unknown municipality and another tenant’s with one text', async () => {
    const answer = await service.post(CREDENTIALS, { ...REQUEST, municipalities: ['Z999', 'F205'] }, ADMIN);
    const { issues } = (answer.body.error as { details: { issues: { message: string }[] } }).details;
    expect(new Set(issues.map(({ message }) => message)).size).toBe(1);
  });

  it.each([
    ['en', 'must be an IPv4 or IPv6 address, or a CIDR block without host bits set'],
    ['it', 'deve essere un indirizzo IPv4 o IPv6, o un blocco CIDR senza bit di host'],
  ])('is said in the language asked for: %s', async (language, message) => {
    const answer = await service.post(
      CREDENTIALS,
      { ...REQUEST, ip_allowlist: ['x'] },
      { ...ADMIN, 'Accept-Language': language },
    );
    expect(answer.body.error).toMatchObject({ details: { issues: [{ path: 'ip_allowlist.0', message }] } });
  });

  it('municipalities without the source that the credential has', async () => {
    const { credentialId } = await issue(service, { source_code: 'app1', municipalities: ['H501', 'L219'] });
    expect(wrongPaths(await change(service, credentialId, { municipalities: ['L219'] }))).toEqual([
      'source_code',
    ]);
    const both = { municipalities: ['L219'], source_code: null };
    expect((await change(service, credentialId, both)).status).toBe(200);
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

describe('A body', () => {
  const json = { ...ADMIN, 'Content-Type': 'application/json' };

  describe.each(['revoke', 'rotate'])('of %s', (change) => {
    it.each([
      ['none', ADMIN, undefined, 200],
      ['an empty one', ADMIN, '', 200],
      ['an empty object', json, '{}', 200],
    ])('may be absent: %s', async (_, headers, body, status) => {
      const { credentialId } = await issue(service);
      const answer = await service.call(`${CREDENTIALS}/${credentialId}/${change}`, {
        method: 'POST',
        headers,
        body,
      });
      expect(answer.status).toBe(status);
    });
  });
});
