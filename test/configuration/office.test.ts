import { beforeAll, describe, expect, it } from 'vitest';
import { CITIES, wrongPaths } from '../credentials/support.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { configurationVersion } from '../support/past.ts';
import { seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { PATH } from './support.ts';

const service = new Service();
let office: TestCredential;

beforeAll(async () => {
  await seed({
    ...CITIES,
    configurationVersions: CITIES.municipalities.map((municipality) => ({
      ...configurationVersion(0, { municipality }),
      municipalityId: municipality.id,
    })),
  });
  office = await issueCredential({ scopes: ['office'] });
});

const put = (body: object) => service.call(PATH, { method: 'PUT', body, headers: office.headers });
const cityWith = (changed: object) => ({ municipalities: [{ code: 'H501', ...changed }] });

describe('An office’s document', () => {
  it('may be what it got: what stands already is no change', async () => {
    const got = await service.call(`${PATH}?municipality_code=H501`, { headers: office.headers });
    const { status, body } = await put(got.body.configuration as object);
    expect([status, body]).toMatchObject([200, { created: 0, updated: 0 }]);
  });

  it('changes its cities, those too that its credential does not name', async () => {
    const { status, body } = await put({ municipalities: [{ code: 'L219', name: 'Torino 2' }] });
    expect([status, body]).toMatchObject([200, { updated: 1 }]);
  });

  it.each([
    ['active', cityWith({ active: false }), 'municipalities.0.active'],
    ['a tenant’s name', { tenants: [{ code: 'acme', name: 'Mine' }] }, 'tenants.0.name'],
    ['a tenant’s active', { tenants: [{ code: 'acme', active: false }] }, 'tenants.0.active'],
  ])('may not change what is the administrator’s: %s', async (_, document, path) => {
    const answer = await put(document);
    expect(wrongPaths(answer)).toEqual([path]);
    expect(JSON.stringify(answer.body)).toContain('only the administrator may change this');
  });

  it.each([
    ['another tenant', { tenants: [{ code: 'beta' }] }, 'TENANT_NOT_ALLOWED'],
    ['another tenant for its city', cityWith({ tenant: 'beta' }), 'TENANT_NOT_ALLOWED'],
    ['another’s city', { municipalities: [{ code: 'F205', name: 'X' }] }, 'MUNICIPALITY_NOT_ALLOWED'],
    [
      'a new city',
      { municipalities: [{ code: 'NEW', name: 'X', timezone: 'Europe/Rome', tenant: 'acme' }] },
      'MUNICIPALITY_NOT_ALLOWED',
    ],
  ])('may not name %s', async (_, document, code) => {
    const { status, body } = await put(document);
    expect([status, body.error]).toMatchObject([403, { code }]);
  });
});
