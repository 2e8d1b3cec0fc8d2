import { env } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, it } from 'vitest';
import { credentials } from '../../src/storage/db/schema/index.ts';
import { City } from '../support/city.ts';
import { brokenObjects, databaseDouble, objectsDouble } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import {
  CITIES,
  change,
  everywhere,
  issue,
  known,
  outcomeOf,
  pairOf,
  revoke,
  rotate,
  shown,
  storedRow,
} from './support.ts';

const { service } = new City(CITIES, { anew: true });

describe('Two administrators at once', () => {
  /** A service before each of whose first changes somebody else changes the credential. */
  function overtaken(id: string, times: number): Service {
    let left = times;
    let calls = 0;
    const CREDENTIALS = objectsDouble(async (run) => {
      // A change reads the credential, then hands over what it becomes.
      calls += 1;
      if (calls % 2 === 0 && left-- > 0) {
        await change(service, id, { name: `overtaken ${times - left}` });
      }
      return run();
    });
    return new Service({ CREDENTIALS });
  }

  it('lose no change: the slower one is made again on what the quicker one left', async () => {
    const { credentialId, accessToken } = await known();
    const answer = await change(overtaken(credentialId, 2), credentialId, { scopes: ['report'] });
    expect(answer.body).toMatchObject({ name: 'overtaken 2', scopes: ['report'] });
    expect(await shown(service, credentialId)).toMatchObject({ name: 'overtaken 2', scopes: ['report'] });
    expect(await everywhere(accessToken)).toEqual(['SCOPE_NOT_ALLOWED', 'SCOPE_NOT_ALLOWED']);
  });

  it('who is always slower changes nothing at all', async () => {
    const { credentialId, accessToken } = await known();
    expect((await revoke(overtaken(credentialId, 99), credentialId)).status).toBe(500);
    expect(await shown(service, credentialId)).toMatchObject({ name: 'overtaken 5', status: 'active' });
    expect(await everywhere(accessToken)).toEqual(['200', '200']);
  });

  it('leave the later change in the row, though the earlier one is slow to write it', async () => {
    const { credentialId } = await issue(service);
    let isFirst = true;
    const DB = databaseDouble({
      around: async (run, sql) => {
        if (isFirst && sql.includes('insert into "credentials"')) {
          isFirst = false;
          await change(service, credentialId, { name: 'newer' });
        }
        return run();
      },
    });
    await change(new Service({ DB }), credentialId, { name: 'older' });
    expect(isFirst).toBe(false);
    expect(await shown(service, credentialId)).toMatchObject({ name: 'newer', municipalities: ['H501'] });
  });
});

it('A revocation whose object is away changes nothing, and the same once more holds', async () => {
  const { credentialId, accessToken } = await known();
  const before = await storedRow(credentialId);
  expect((await revoke(new Service({ CREDENTIALS: brokenObjects() }), credentialId)).status).toBe(500);
  expect(await storedRow(credentialId)).toEqual(before);
  expect(await everywhere(accessToken)).toEqual(['200', '200']);
  expect((await revoke(service, credentialId)).body.status).toBe('revoked');
  expect(await everywhere(accessToken)).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED']);
});

it('A revocation whose row cannot be written is a 500 and holds, and is listed once it is sent again', async () => {
  const { credentialId, accessToken } = await issue(service);
  await env.DB.exec(
    "create trigger is_full before update on credentials begin select raise(abort, 'database or disk is full'); end",
  );
  expect((await revoke(service, credentialId)).status).toBe(500);
  expect(await outcomeOf(service, accessToken)).toBe('TOKEN_REVOKED');
  expect((await shown(service, credentialId))?.status).toBe('active');
  await env.DB.exec('drop trigger is_full');
  expect((await revoke(service, credentialId)).status).toBe(200);
  expect((await shown(service, credentialId))?.status).toBe('revoked');
});

describe('Over a database that was restored to an earlier state', () => {
  /** @returns puts back the rows of credentials as they are now, and no other */
  async function restorePoint(): Promise<() => Promise<void>> {
    const orm = drizzle(env.DB);
    const rows = await orm.select().from(credentials);
    return async () => {
      await orm.delete(credentials);
      for (const row of rows) await orm.insert(credentials).values(row);
    };
  }

  it('a change revives no old pair, and takes over the whole of what the object holds', async () => {
    const issued = await issue(service, { source_code: 'app1' });
    const restore = await restorePoint();
    const settings = {
      municipalities: ['H501'],
      ip_allowlist: ['203.0.113.0/24'],
      expires_at: '2031-01-01T00:00:00.000Z',
      rate_limit: { limit: 7, window_seconds: 8 },
      historical_days_allowed: 9,
      source_code: null,
    };
    await change(service, issued.credentialId, settings);
    const next = pairOf(await rotate(service, issued.credentialId));
    await restore();
    const answer = await change(service, issued.credentialId, { name: 'new name' });
    expect(answer.body).toMatchObject({ ...settings, name: 'new name' });
    expect(await shown(service, issued.credentialId)).toMatchObject({ ...settings, name: 'new name' });
    expect(await outcomeOf(service, issued.accessToken)).toBe('TOKEN_REVOKED');
    expect(await outcomeOf(service, next.accessToken)).toBe('200');
  });

  it('a revoked credential stays revoked, and is listed so after an empty change or the same again', async () => {
    const { credentialId, accessToken } = await issue(service);
    const restore = await restorePoint();
    const { body } = await revoke(service, credentialId);
    for (const again of [() => change(service, credentialId, {}), () => revoke(service, credentialId)]) {
      await restore();
      expect((await change(service, credentialId, { name: 'harmless' })).status).toBe(422);
      expect((await rotate(service, credentialId)).status).toBe(422);
      expect((await shown(service, credentialId))?.status).toBe('active');
      expect((await again()).status).toBe(200);
      const { revoked_at } = body;
      expect(await shown(service, credentialId)).toMatchObject({ status: 'revoked', revoked_at });
      expect(await outcomeOf(service, accessToken)).toBe('TOKEN_REVOKED');
    }
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

  it('a tenant that was put again has another number, and its credentials find it by its code', async () => {
    const { credentialId, accessToken } = await issue(service);
    await env.DB.batch(
      [
        `update tenants set code = 'another' where code = 'acme'`,
        `insert into tenants (id, code, name, active) values (88, 'acme', 'Acme', 1)`,
        `update municipalities set tenant_id = 88 where code = 'H501'`,
      ].map((sql) => env.DB.prepare(sql)),
    );
    expect((await change(service, credentialId, { name: 'other' })).status).toBe(200);
    expect(await outcomeOf(service, accessToken)).toBe('200');
    expect(await shown(service, credentialId)).toMatchObject({ tenant: 'acme', municipalities: ['H501'] });
  });
});
