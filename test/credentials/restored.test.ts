import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { Service } from '../support/service.ts';
import { citiesAlone, restorePoint } from './restore.ts';
import {
  change,
  everywhere,
  type Issued,
  issue,
  known,
  outcomeOf,
  pairOf,
  revoke,
  rotate,
  shown,
  storedRow,
} from './support.ts';

const service = new Service();
const RATE = { rate_limit: { limit: 1_000, window_seconds: 60 } };

beforeEach(citiesAlone);

describe('Over a database that was restored to an earlier state', () => {
  it('a harmless change revives no token and no old pair', async () => {
    const rotatedAway = await issue(service, RATE);
    const restore = await restorePoint();
    const next = pairOf(await rotate(service, rotatedAway.credentialId));
    await restore();
    expect((await change(service, rotatedAway.credentialId, { name: 'harmless' })).status).toBe(200);
    expect(await outcomeOf(service, rotatedAway.accessToken)).toBe('TOKEN_REVOKED');
    expect(await outcomeOf(service, next.accessToken)).toBe('200');
  });

  it('a revoked credential stays revoked, and is listed so after an empty change', async () => {
    const { credentialId, accessToken } = await issue(service);
    const restore = await restorePoint();
    const { body } = await revoke(service, credentialId);
    for (const again of [() => change(service, credentialId, {}), () => revoke(service, credentialId)]) {
      await restore();
      expect((await change(service, credentialId, { name: 'harmless' })).status).toBe(422);
      expect((await rotate(service, credentialId)).status).toBe(422);
      expect((await shown(service, credentialId))?.status).toBe('active');
      expect((await again()).status).toBe(200);
      expect(await shown(service, credentialId)).toMatchObject({
        status: 'revoked',
        revoked_at: body.revoked_at,
      });
      expect(await outcomeOf(service, accessToken)).toBe('TOKEN_REVOKED');
    }
  });

  it('a change takes over the whole of what the object holds before it applies itself', async () => {
    const { credentialId } = await issue(service, { source_code: 'app1' });
    const restore = await restorePoint();
    const settings = {
      scopes: ['report'],
      municipalities: ['H501', 'L219'],
      ip_allowlist: ['203.0.113.0/24'],
      expires_at: '2031-01-01T00:00:00.000Z',
      rate_limit: { limit: 7, window_seconds: 8 },
      historical_days_allowed: 9,
      source_code: null,
    };
    await change(service, credentialId, settings);
    await restore();
    const answer = await change(service, credentialId, { name: 'new name' });
    expect(answer.body).toMatchObject({ ...settings, name: 'new name' });
    expect(await shown(service, credentialId)).toMatchObject({ ...settings, name: 'new name' });
  });

  it('municipalities that it does not know are not listed, and the rest is', async () => {
    await env.DB.prepare(`update municipalities set code = 'LATER' where code = 'L219'`).run();
    const { credentialId } = await issue(service, { municipalities: ['H501', 'LATER'] });
    await env.DB.prepare(`update municipalities set code = 'L219' where code = 'LATER'`).run();
    expect((await change(service, credentialId, {})).status).toBe(200);
    expect((await shown(service, credentialId))?.municipalities).toEqual(['H501']);
  });

  it('a row that alone says revoked is written as its object says', async () => {
    const { credentialId, accessToken } = await issue(service);
    await env.DB.prepare('update credentials set revoked_at = 1000').run();
    expect((await change(service, credentialId, {})).body.status).toBe('active');
    expect(await outcomeOf(service, accessToken)).toBe('200');
    expect((await shown(service, credentialId))?.status).toBe('active');
  });

  it('a credential that was issued later is revoked by its id, and listed from then on', async () => {
    const restore = await restorePoint();
    const { credentialId, accessToken } = await issue(service, { name: 'Later' });
    await restore();
    expect(await outcomeOf(service, accessToken)).toBe('200');
    expect(await shown(service, credentialId)).toBeUndefined();
    expect((await revoke(service, credentialId)).body.status).toBe('revoked');
    expect(await outcomeOf(service, accessToken)).toBe('TOKEN_REVOKED');
    expect(await shown(service, credentialId)).toMatchObject({ name: 'Later', status: 'revoked' });
  });

  it('one of a tenant that it does not know is revoked all the same, and listed once the tenant is there', async () => {
    const { credentialId, accessToken } = await issue(service, { tenant: 'beta', municipalities: ['F205'] });
    const tenant = await env.DB.prepare(`select * from tenants where code = 'beta'`).first();
    await env.DB.batch([
      env.DB.prepare('delete from credential_municipalities'),
      env.DB.prepare('delete from credentials'),
      env.DB.prepare('delete from sources where municipality_id = 3'),
      env.DB.prepare('delete from configuration_versions where municipality_id = 3'),
      env.DB.prepare('delete from municipalities where id = 3'),
      env.DB.prepare(`delete from tenants where code = 'beta'`),
    ]);
    expect((await revoke(service, credentialId)).status).toBe(500);
    expect(await outcomeOf(service, accessToken)).toBe('TOKEN_REVOKED');
    await env.DB.prepare('insert into tenants (id, code, name, active) values (77, ?, ?, 1)')
      .bind(tenant?.code, tenant?.name)
      .run();
    expect((await change(service, credentialId, {})).status).toBe(200);
    expect(await shown(service, credentialId)).toMatchObject({
      tenant: 'beta',
      status: 'revoked',
      municipalities: [],
    });
  });

  it('a tenant that was put again has another number, and its credentials find it by its code', async () => {
    const { credentialId, accessToken } = await issue(service);
    await env.DB.batch([
      env.DB.prepare(`update tenants set code = 'another' where code = 'acme'`),
      env.DB.prepare(`insert into tenants (id, code, name, active) values (88, 'acme', 'Acme', 1)`),
      env.DB.prepare(`update municipalities set tenant_id = 88 where code = 'H501'`),
    ]);
    expect(await outcomeOf(service, accessToken)).toBe('200');
    expect((await change(service, credentialId, { name: 'other' })).status).toBe(200);
    expect(await outcomeOf(service, accessToken)).toBe('200');
    expect(await shown(service, credentialId)).toMatchObject({ tenant: 'acme', municipalities: ['H501'] });
  });
});

describe('A change reaches an object that is ahead of a database restored from an earlier state', () => {
  /** A credential whose row is by so many changes behind its object. */
  async function restored(changes: number): Promise<Issued> {
    const issued = await known();
    const earlier = await storedRow(issued.credentialId);
    for (let left = changes; left > 0; left--) {
      await change(service, issued.credentialId, { name: `later by ${left}` });
    }
    await env.DB.prepare('update credentials set version = ? where id = ?')
      .bind(earlier?.version, issued.credentialId)
      .run();
    return issued;
  }

  it.each([1, 2, 3])('by %i changes', async (changes) => {
    const { credentialId, accessToken } = await restored(changes);
    expect((await revoke(service, credentialId)).status).toBe(200);
    expect(await everywhere(accessToken)).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED']);
  });

  it('so that no isolate takes it for the one that had its number before', async () => {
    const { credentialId, accessToken } = await restored(1);
    expect(await everywhere(accessToken)).toEqual(['200', '200']);
    await change(service, credentialId, { municipalities: ['H501', 'L219'] });
    expect(await everywhere(accessToken)).toEqual(['MUNICIPALITY_REQUIRED', 'MUNICIPALITY_REQUIRED']);
  });
});
