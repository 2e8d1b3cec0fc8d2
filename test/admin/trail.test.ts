import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { CITIES, CREDENTIALS, issue, REQUEST } from '../credentials/support.ts';
import { City } from '../support/city.ts';
import { databaseDouble } from '../support/doubles.ts';
import { TENANT } from '../support/seed.ts';
import { ADMIN, bearer, type Call, Service } from '../support/service.ts';

/**
 * The trail of the administrator's calls: each write's row in the call log says what was done to what, whether it was
 * answered or refused.
 */

const CONFIGURATION = '/api/v2/admin/configuration';
const MUNICIPALITIES = '/api/v2/admin/municipalities';
const UNKNOWN_ID = '0123456789abcdef01234567';
const { service } = new City({
  ...CITIES,
  tenants: [...CITIES.tenants, { ...TENANT, id: 3, code: 'gamma' }],
});

interface Trail {
  readonly action: string | null;
  readonly target: string | null;
  readonly tenant: string | null;
  readonly municipality_code: string | null;
  readonly outcome: string;
}

/** What the call log has of the administrator's call, as its look-up answers it; null where it has no row. */
async function trailOf(path: string, call: Call, by = new Service()): Promise<Trail | null> {
  const answer = await by.settle(path, { ...call, headers: { ...ADMIN, ...call.headers } });
  const id = String(answer.headers.get('X-Request-Id'));
  const found = await service.call(`/api/v2/admin/calls/${id}`, { headers: ADMIN });
  if (found.status === 404) return null;
  const { action, target, tenant, municipality_code, outcome } = found.body.call as Trail;
  return { action, target, tenant, municipality_code, outcome };
}

const put = (body: unknown): Call => ({ method: 'PUT', body });
const post = (body?: unknown): Call => ({ method: 'POST', body });
const patch = (body: unknown): Call => ({ method: 'PATCH', body });

describe('A credential’s trail', () => {
  const ROMA = { tenant: 'acme', municipality_code: 'H501', outcome: 'OK' };

  it('says that it was issued, and has its id', async () => {
    const answer = await new Service().settle(CREDENTIALS, { ...post(REQUEST), headers: ADMIN });
    const { request_id: requestId, credential_id: target } = answer.body;
    const { body } = await service.call(`/api/v2/admin/calls/${String(requestId)}`, { headers: ADMIN });
    expect(body.call).toMatchObject({ action: 'credential.issue', target, ...ROMA });
  });

  it.each<[string, string, Call]>([
    ['credential.change', '', patch({ name: 'Gate 2' })],
    ['credential.rotate', '/rotate', post({})],
    ['credential.revoke', '/revoke', post()],
  ])('says %s, of which credential and of whose, in its row and in its line', async (action, path, sent) => {
    const { credentialId: target } = await issue(service);
    const log = vi.spyOn(console, 'log');
    expect(await trailOf(`${CREDENTIALS}/${target}${path}`, sent)).toEqual({ action, target, ...ROMA });
    const [line] = log.mock.calls.map(([text]) => JSON.parse(String(text)));
    log.mockRestore();
    expect(line).toMatchObject({ action, target, ...ROMA });
  });

  it('names no municipality where the credential has several', async () => {
    const { credentialId: target } = await issue(service, { municipalities: ['H501', 'L219'] });
    const trail = await trailOf(`${CREDENTIALS}/${target}`, patch({ name: 'Gate 2' }));
    expect(trail).toMatchObject({ target, tenant: 'acme', municipality_code: null });
  });

  it('has a call that failed on our side', async () => {
    const DB = databaseDouble({
      around: (run, sql) => (/"calls"|call_log/.test(sql) ? run() : Promise.reject(new Error('D1 is away'))),
    });
    const { credentialId: target } = await issue(service);
    const trail = await trailOf(`${CREDENTIALS}/${target}/revoke`, post(), new Service({ DB }));
    expect(trail).toMatchObject({ action: 'credential.revoke', target, outcome: 'TEMPORARY_ERROR' });
  });

  it('has nothing of a path that is not an id, which may be a token', async () => {
    const { accessToken } = await issue(service);
    for (const path of [accessToken, `${UNKNOWN_ID}0`, 'x'.repeat(5_000)]) {
      const log = vi.spyOn(console, 'log');
      const trail = await trailOf(`${CREDENTIALS}/${path}/revoke`, post());
      expect(trail).toMatchObject({ action: 'credential.revoke', target: null, outcome: 'NOT_FOUND' });
      expect(JSON.stringify(log.mock.calls)).not.toContain(path);
      log.mockRestore();
    }
  });
});

it.each<[string, string, Call, string | null, string]>([
  ['credential.issue', CREDENTIALS, post({}), null, 'INVALID_REQUEST'],
  ['credential.issue', CREDENTIALS, post({ ...REQUEST, municipalities: ['NONE'] }), null, 'INVALID_REQUEST'],
  ['credential.change', `${CREDENTIALS}/${UNKNOWN_ID}`, patch({ name: 'x' }), UNKNOWN_ID, 'NOT_FOUND'],
  [
    'credential.rotate',
    `${CREDENTIALS}/${UNKNOWN_ID}/rotate`,
    post({ overlap_seconds: -1 }),
    UNKNOWN_ID,
    'INVALID_REQUEST',
  ],
  ['municipality.backup', `${MUNICIPALITIES}/NONE/backup`, {}, 'NONE', 'NOT_FOUND'],
  ['municipality.backup', `${MUNICIPALITIES}/pev_at_0123456789/backup`, {}, 'pev_***', 'NOT_FOUND'],
  ['municipality.backup', `${MUNICIPALITIES}/${'x'.repeat(5_000)}/backup`, {}, 'x'.repeat(520), 'NOT_FOUND'],
  ['municipality.restore', `${MUNICIPALITIES}/NONE/restore`, post({}), 'NONE', 'INVALID_CONTENT_TYPE'],
  [
    'municipality.discard_restore',
    `${MUNICIPALITIES}/NONE/restore`,
    { method: 'DELETE' },
    'NONE',
    'NOT_FOUND',
  ],
  ['configuration.put', CONFIGURATION, put({ municipalities: [{ code: 7 }] }), null, 'INVALID_REQUEST'],
  [
    'configuration.put',
    CONFIGURATION,
    put({ municipalities: [{ code: 'pev_at_0' }] }),
    null,
    'INVALID_REQUEST',
  ],
  ['configuration.put', CONFIGURATION, put('['), null, 'INVALID_CONTENT_TYPE'],
])('%s that is refused has its trail: %#', async (action, path, call, target, outcome) => {
  expect(await trailOf(path, call)).toMatchObject({ action, target, outcome });
});

describe('The configuration’s trail', () => {
  const area = { areas: [{ code: 'S1', name: 'Via', area_type: 'street' }] };
  const cities = (...codes: string[]) => ({ municipalities: codes.map((code) => ({ code })) });
  const tenants = (...codes: string[]) => ({ tenants: codes.map((code) => ({ code })) });

  it.each<[string, object, string | null, string | null, string | null]>([
    [
      'its municipality and that one’s tenant',
      { municipalities: [{ code: 'F205', ...area }] },
      'F205',
      'beta',
      'F205',
    ],
    ['all of its municipalities, in its order', cities('L219', 'H501'), 'L219,H501', 'acme', null],
    ['no tenant where there are several', cities('F205', 'H501'), 'F205,H501', null, null],
    ['its tenant where it names no municipality', tenants('gamma'), 'gamma', 'gamma', null],
    ['its tenants where it names no municipality', tenants('acme', 'gamma'), 'acme,gamma', null, null],
    ['nothing where it names nothing', {}, null, null, null],
  ])('names %s', async (_, document, target, tenant, municipality_code) => {
    expect(await trailOf(CONFIGURATION, put(document))).toEqual({
      ...{ action: 'configuration.put', outcome: 'OK', target, tenant, municipality_code },
    });
  });

  it('lists the first of thousands of municipalities', async () => {
    const codes = Array.from({ length: 5_000 }, (_, index) => `M${10_000 + index}`);
    const trail = await trailOf(CONFIGURATION, put(cities(...codes)));
    expect(trail?.outcome).toBe('INVALID_REQUEST');
    expect(trail?.target).toMatch(/^M10000,M10001,.*,M10073,/);
  });
});

describe('The trail of the administrator’s calls', () => {
  it('says of a backup whose it is', async () => {
    expect(await trailOf(`${MUNICIPALITIES}/H501/backup`, {})).toMatchObject({
      ...{ action: 'municipality.backup', target: 'H501', municipality_code: 'H501', outcome: 'OK' },
    });
  });

  it.each([
    [CREDENTIALS],
    [`${CREDENTIALS}?limit=0`],
    [`${CONFIGURATION}?municipality_code=NONE`],
    [`/api/v2/admin/calls/${UNKNOWN_ID}`],
  ])('has no read: %s', async (path) => {
    expect(await trailOf(path, {})).toBeNull();
  });

  it.each<[string, Record<string, string>, string]>([
    ['without a secret', { Authorization: '' }, 'TOKEN_MISSING'],
    ['with a wrong one', bearer('x'), 'TOKEN_INVALID'],
  ])(
    'has a write %s in the structured log alone, and nothing that a stranger chose',
    async (_, headers, code) => {
      const log = vi.spyOn(console, 'log');
      await new Service().settle(`${CREDENTIALS}/${UNKNOWN_ID}/revoke`, { ...post(), headers });
      const [line] = log.mock.calls.map(([text]) => JSON.parse(String(text)));
      log.mockRestore();
      expect(line).toMatchObject({ event: 'call', action: 'credential.revoke', target: null, outcome: code });
      const rows = env.DB.prepare('select count(*) as rows from logged_calls where outcome = ?').bind(code);
      expect(await rows.first('rows')).toBe(0);
    },
  );

  it('is null for every other operation', async () => {
    const { accessToken } = await issue(service);
    const call = { ...post({ plate: 'AB123CD' }), headers: bearer(accessToken) };
    expect(await trailOf('/api/v1/parking/check-plate', call)).toMatchObject({ action: null, target: null });
  });
});
