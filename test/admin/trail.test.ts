import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { CITIES, CREDENTIALS, issue, REQUEST } from '../credentials/support.ts';
import { databaseDouble } from '../support/doubles.ts';
import { seed, TENANT } from '../support/seed.ts';
import { ADMIN, bearer, type Call, Service } from '../support/service.ts';

/**
 * The trail of the administrator's calls: each write's row in the call log says what was done to what, whether it was
 * answered or refused.
 */

const CONFIGURATION = '/api/v2/admin/configuration';
const UNKNOWN_ID = '0123456789abcdef01234567';
/** For what stands around the calls that are looked at, each of which has an isolate of its own. */
const service = new Service();

beforeAll(() => seed({ ...CITIES, tenants: [...CITIES.tenants, { ...TENANT, id: 3, code: 'gamma' }] }));

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
const area = { areas: [{ code: 'S1', name: 'Via', area_type: 'street' }] };

describe('A credential’s trail', () => {
  it('says that it was issued, and has its id', async () => {
    const answer = await new Service().settle(CREDENTIALS, { ...post(REQUEST), headers: ADMIN });
    const { request_id: requestId, credential_id: id } = answer.body;
    const { body } = await service.call(`/api/v2/admin/calls/${String(requestId)}`, { headers: ADMIN });
    expect(body.call).toMatchObject({
      action: 'credential.issue',
      target: id,
      tenant: 'acme',
      municipality_code: 'H501',
      outcome: 'OK',
    });
  });

  it.each<[string, (id: string) => readonly [string, Call]]>([
    ['credential.change', (id) => [`/${id}`, patch({ name: 'Gate 2' })]],
    ['credential.rotate', (id) => [`/${id}/rotate`, post({})]],
    ['credential.revoke', (id) => [`/${id}/revoke`, post()]],
  ])('says %s, of which credential and of whose', async (action, call) => {
    const { credentialId } = await issue(service);
    const [path, sent] = call(credentialId);
    expect(await trailOf(CREDENTIALS + path, sent)).toEqual({
      action,
      target: credentialId,
      tenant: 'acme',
      municipality_code: 'H501',
      outcome: 'OK',
    });
  });

  it('names no municipality where the credential has several', async () => {
    const { credentialId } = await issue(service, { municipalities: ['H501', 'L219'] });
    const trail = await trailOf(`${CREDENTIALS}/${credentialId}`, patch({ name: 'Gate 2' }));
    expect(trail).toMatchObject({ target: credentialId, tenant: 'acme', municipality_code: null });
  });

  it.each<[string, string, Call, Partial<Trail>]>([
    ['an issue without a tenant', '', post({}), { action: 'credential.issue', target: null, tenant: null }],
    [
      'an issue for a city that there is not',
      '',
      post({ ...REQUEST, municipalities: ['NONE'] }),
      { action: 'credential.issue', target: null, tenant: 'acme', municipality_code: 'NONE' },
    ],
    [
      'a change of what there is not',
      `/${UNKNOWN_ID}`,
      patch({ name: 'x' }),
      { action: 'credential.change', target: UNKNOWN_ID, outcome: 'NOT_FOUND' },
    ],
    [
      'a rotation with a field that is wrong',
      `/${UNKNOWN_ID}/rotate`,
      post({ overlap_seconds: -1 }),
      { action: 'credential.rotate', target: UNKNOWN_ID, outcome: 'INVALID_REQUEST' },
    ],
    [
      'a revocation of what there is not',
      `/${UNKNOWN_ID}/revoke`,
      post(),
      { action: 'credential.revoke', target: UNKNOWN_ID, outcome: 'NOT_FOUND' },
    ],
  ])('has %s, which is refused', async (_, path, call, expected) => {
    expect(await trailOf(CREDENTIALS + path, call)).toMatchObject(expected);
  });

  it('has a call that failed on our side', async () => {
    const DB = databaseDouble({
      around: (run, sql) => (/"calls"|call_log/.test(sql) ? run() : Promise.reject(new Error('D1 is away'))),
    });
    const { credentialId } = await issue(service);
    const trail = await trailOf(`${CREDENTIALS}/${credentialId}/revoke`, post(), new Service({ DB }));
    expect(trail).toMatchObject({
      action: 'credential.revoke',
      target: credentialId,
      outcome: 'TEMPORARY_ERROR',
    });
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

describe('A backup’s trail', () => {
  it.each([
    ['a token', 'pev_at_0123456789', 'pev_***'],
    ['a long text', 'x'.repeat(5_000), 'x'.repeat(520)],
  ])('has no more of a path than it may: %s', async (_, code, target) => {
    const log = vi.spyOn(console, 'log');
    const trail = await trailOf(`/api/v2/admin/municipalities/${code}/backup`, {});
    expect(trail).toMatchObject({ action: 'municipality.backup', target });
    expect(JSON.stringify(log.mock.calls)).not.toContain(code);
    log.mockRestore();
  });
});

describe('A municipality’s trail', () => {
  const ofMunicipality = '/api/v2/admin/municipalities/NONE';
  const lines = { headers: { 'Content-Type': 'application/x-ndjson' } };

  it.each<[string, string, Call]>([
    ['municipality.backup', '/backup', {}],
    ['municipality.backup', '/backup?after=made-up', {}],
    ['municipality.restore', '/restore', { ...post('{}'), ...lines }],
    ['municipality.restore', '/restore', post({})],
    ['municipality.discard_restore', '/restore', { method: 'DELETE' }],
  ])('says %s of a call that is refused, and of which municipality: %s %j', async (action, path, call) => {
    expect(await trailOf(ofMunicipality + path, call)).toMatchObject({ action, target: 'NONE' });
  });

  it('says of a backup whose it is', async () => {
    expect(await trailOf('/api/v2/admin/municipalities/H501/backup', {})).toMatchObject({
      ...{ action: 'municipality.backup', target: 'H501', municipality_code: 'H501', outcome: 'OK' },
    });
  });
});

describe('The configuration’s trail', () => {
  it.each<[string, object, Partial<Trail>]>([
    [
      'its municipality and that one’s tenant, whether the document names the tenant',
      { municipalities: [{ code: 'F205', tenant: 'beta', ...area }] },
      { target: 'F205', municipality_code: 'F205', tenant: 'beta' },
    ],
    [
      'or not',
      { municipalities: [{ code: 'F205', ...area }] },
      { target: 'F205', municipality_code: 'F205', tenant: 'beta' },
    ],
    [
      'all of its municipalities, in its order, and their one tenant',
      { municipalities: [{ code: 'L219' }, { code: 'H501' }] },
      { target: 'L219,H501', municipality_code: null, tenant: 'acme' },
    ],
    [
      'no tenant where there are several',
      { municipalities: [{ code: 'F205' }, { code: 'H501' }] },
      { target: 'F205,H501', municipality_code: null, tenant: null },
    ],
    [
      'its tenant where it names no municipality',
      { tenants: [{ code: 'gamma', active: false }] },
      { target: 'gamma', municipality_code: null, tenant: 'gamma' },
    ],
    [
      'its tenants where it names several and no municipality',
      { tenants: [{ code: 'acme' }, { code: 'gamma' }] },
      { target: 'acme,gamma', tenant: null },
    ],
    ['nothing where it names nothing', {}, { target: null, municipality_code: null, tenant: null }],
  ])('names %s', async (_, document, expected) => {
    const trail = await trailOf(CONFIGURATION, put(document));
    expect(trail).toMatchObject({ action: 'configuration.put', outcome: 'OK', ...expected });
  });

  it('names nothing of a document whose form is refused', async () => {
    const document = { municipalities: [{ code: 'F205', active: 7 }, { code: 'H501' }, { code: '' }] };
    expect(await trailOf(CONFIGURATION, put(document))).toEqual({
      action: 'configuration.put',
      target: null,
      tenant: null,
      municipality_code: null,
      outcome: 'INVALID_REQUEST',
    });
  });

  it('has none of a token that somebody took for a code', async () => {
    const { accessToken } = await issue(service);
    const trail = await trailOf(CONFIGURATION, put({ municipalities: [{ code: accessToken }] }));
    expect(trail).toMatchObject({ target: null, municipality_code: null, outcome: 'INVALID_REQUEST' });
  });

  it('has a body that is not a document', async () => {
    const headers = { 'Content-Type': 'application/json' };
    expect(await trailOf(CONFIGURATION, { ...put('['), headers })).toMatchObject({
      action: 'configuration.put',
      target: null,
      outcome: 'INVALID_JSON',
    });
  });

  it('lists the first of thousands of municipalities, and how many more there were', async () => {
    const municipalities = Array.from({ length: 5_000 }, (_, index) => ({ code: `M${10_000 + index}` }));
    const trail = await trailOf(CONFIGURATION, put({ municipalities }));
    expect(trail?.outcome).toBe('INVALID_REQUEST');
    expect(trail?.target).toMatch(/^M10000,M10001,.*,M10070,\+4929$/);
  });
});

describe('The trail of the administrator’s calls', () => {
  const storedOf = (outcome: string) =>
    env.DB.prepare('select count(*) as rows from logged_calls where outcome = ?').bind(outcome).first('rows');

  it.each([
    [CREDENTIALS],
    [`${CREDENTIALS}?limit=0`],
    [`${CONFIGURATION}?municipality_code=H501`],
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
      expect(await storedOf(code)).toBe(0);
    },
  );

  it('is the same in the structured line as in the row', async () => {
    const { credentialId } = await issue(service);
    const log = vi.spyOn(console, 'log');
    await new Service().settle(`${CREDENTIALS}/${credentialId}/revoke`, { ...post(), headers: ADMIN });
    const lines = log.mock.calls.map(([text]) => JSON.parse(String(text)));
    log.mockRestore();
    expect(lines).toMatchObject([
      { action: 'credential.revoke', target: credentialId, tenant: 'acme', municipality_code: 'H501' },
    ]);
  });

  it('is null for every other operation', async () => {
    const { accessToken } = await issue(service);
    const call = { ...post({ plate: 'AB123CD' }), headers: bearer(accessToken) };
    expect(await trailOf('/api/v1/parking/check-plate', call)).toMatchObject({ action: null, target: null });
  });
});
