import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CredentialObject } from '../../src/access/credential-object.ts';
import { issueCredential } from '../support/credential.ts';
import { brokenObjects, objectsDouble } from '../support/doubles.ts';
import { seed } from '../support/seed.ts';
import { ADMIN, type Answer, Service } from '../support/service.ts';
import {
  CITIES,
  CREDENTIALS,
  change,
  issue,
  list,
  listed,
  outcomeOf,
  pairOf,
  revoke,
  rotate,
} from './credentials-support.ts';

const service = new Service();
const RATE = { rate_limit: { limit: 1_000, window_seconds: 60 } };

/** In the order in which they can be filled; emptied the other way round. */
const TABLES = ['tenants', 'municipalities', 'areas', 'sources', 'credentials', 'credential_municipalities'];

beforeEach(async () => {
  await emptied();
  await seed({ ...CITIES, subscriptionTypes: [] });
});

async function emptied(): Promise<void> {
  for (const table of ['journal', 'subscription_types', ...TABLES.toReversed()]) {
    await env.DB.prepare(`delete from ${table}`).run();
  }
}

/** What is stored now. @returns puts all of it back, and nothing else, as a restore does */
async function restorePoint(): Promise<() => Promise<void>> {
  const rows = new Map<string, Record<string, unknown>[]>();
  for (const table of TABLES) {
    rows.set(table, (await env.DB.prepare(`select * from ${table}`).all()).results);
  }
  return async () => {
    await emptied();
    for (const [table, its] of rows) {
      for (const row of its) {
        const names = Object.keys(row);
        await env.DB.prepare(`insert into ${table} (${names}) values (${names.map(() => '?')})`)
          .bind(...Object.values(row))
          .run();
      }
    }
  };
}

const shown = async (id: string): Promise<Record<string, unknown> | undefined> =>
  ((await list(service, '?limit=200')).body.credentials as Record<string, unknown>[]).find(
    ({ credential_id }) => credential_id === id,
  );

const reconcile = (by = service): Promise<Answer> =>
  by.call(`${CREDENTIALS}/reconcile`, { method: 'POST', headers: ADMIN });

const alarm = (id: string): Promise<boolean> => runDurableObjectAlarm(env.CREDENTIALS.getByName(id));

describe('Over a database that was restored to an earlier state', () => {
  it('a harmless change revives no token and no old pair', async () => {
    const rotatedAway = await issue(service, RATE);
    const restore = await restorePoint();
    const next = pairOf(await rotate(service, rotatedAway.credentialId));
    await restore();
    expect((await change(service, rotatedAway.credentialId, { name: 'harmless' })).status).toBe(200);
    expect(await outcomeOf(service, rotatedAway.accessToken)).toBe('TOKEN_REVOKED');
    expect(await outcomeOf(service, next.accessToken)).toBe('200');
    // The row says the same to a gate whose object is away.
    const fallingBack = new Service({ CREDENTIALS: brokenObjects() });
    expect(await outcomeOf(fallingBack, rotatedAway.accessToken)).toBe('TOKEN_REVOKED');
    expect(await outcomeOf(fallingBack, next.accessToken)).toBe('200');
  });

  it('a revoked credential stays revoked, and is listed so after the first attempt to change it', async () => {
    const { credentialId, accessToken } = await issue(service);
    const restore = await restorePoint();
    const { body } = await revoke(service, credentialId);
    await restore();
    expect((await shown(credentialId))?.status).toBe('active');
    expect((await change(service, credentialId, { name: 'harmless' })).status).toBe(422);
    expect((await rotate(service, credentialId)).status).toBe(422);
    expect((await revoke(service, credentialId)).body.revoked_at).toBe(body.revoked_at);
    expect(await shown(credentialId)).toMatchObject({ status: 'revoked', revoked_at: body.revoked_at });
    expect(await outcomeOf(service, accessToken)).toBe('TOKEN_REVOKED');
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
    expect(await shown(credentialId)).toMatchObject({ ...settings, name: 'new name' });
  });

  it('municipalities that it does not know drop out, and the rest holds', async () => {
    await env.DB.prepare(`update municipalities set code = 'LATER' where code = 'L219'`).run();
    const { credentialId, accessToken } = await issue(service, { municipalities: ['H501', 'LATER'] });
    expect(await outcomeOf(service, accessToken)).toBe('MUNICIPALITY_REQUIRED');
    await env.DB.prepare(`update municipalities set code = 'L219' where code = 'LATER'`).run();
    const answer = await change(service, credentialId, { source_code: null });
    expect([answer.status, answer.body.municipalities]).toEqual([200, ['H501']]);
    expect((await shown(credentialId))?.municipalities).toEqual(['H501']);
    expect(await outcomeOf(service, accessToken)).toBe('200');
  });

  it('a credential that was issued later is revoked by its id, and listed from then on', async () => {
    const restore = await restorePoint();
    const { credentialId, accessToken } = await issue(service, { name: 'Later' });
    await restore();
    expect(await outcomeOf(service, accessToken)).toBe('200');
    expect(await shown(credentialId)).toBeUndefined();
    expect((await revoke(service, credentialId)).body.status).toBe('revoked');
    expect(await outcomeOf(service, accessToken)).toBe('TOKEN_REVOKED');
    expect(await shown(credentialId)).toMatchObject({ name: 'Later', status: 'revoked' });
  });

  it('one of a tenant that it does not know is revoked all the same, and listed once the tenant is there', async () => {
    const { credentialId, accessToken } = await issue(service, { tenant: 'beta', municipalities: ['F205'] });
    const tenant = await env.DB.prepare(`select * from tenants where code = 'beta'`).first();
    await env.DB.batch([
      env.DB.prepare('delete from credential_municipalities'),
      env.DB.prepare('delete from credentials'),
      env.DB.prepare('delete from sources where municipality_id = 3'),
      env.DB.prepare('delete from municipalities where id = 3'),
      env.DB.prepare(`delete from tenants where code = 'beta'`),
    ]);
    expect((await revoke(service, credentialId)).body.status).toBe('revoked');
    expect(await outcomeOf(service, accessToken)).toBe('TOKEN_REVOKED');
    await env.DB.prepare('insert into tenants (id, code, name, active) values (77, ?, ?, 1)')
      .bind(tenant?.code, tenant?.name)
      .run();
    expect(await alarm(credentialId)).toBe(true);
    expect(await shown(credentialId)).toMatchObject({
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
    expect(await outcomeOf(service, accessToken)).toBe('MUNICIPALITY_NOT_ALLOWED');
    expect((await reconcile()).body).toMatchObject({ checked: 1, mended: 1 });
    expect(await outcomeOf(service, accessToken)).toBe('200');
    expect(await shown(credentialId)).toMatchObject({ tenant: 'acme', municipalities: ['H501'] });
  });

  it('an id that no object and no row knows is a 404', async () => {
    const unknown = '0'.repeat(24);
    for (const answer of [
      await revoke(service, unknown),
      await rotate(service, unknown),
      await change(service, unknown, {}),
    ]) {
      expect(answer.status).toBe(404);
    }
  });
});

describe('Reconciling', () => {
  it('brings every row to what its object holds, and then finds nothing to mend', async () => {
    const [revokedLater, rotatedLater, untouched] = [
      await issue(service),
      await issue(service),
      await issue(service),
    ];
    const restore = await restorePoint();
    await revoke(service, revokedLater.credentialId);
    const next = pairOf(await rotate(service, rotatedLater.credentialId));
    await restore();
    expect((await reconcile()).body).toMatchObject({ checked: 3, mended: 2, done: true });
    expect((await shown(revokedLater.credentialId))?.status).toBe('revoked');
    const fallingBack = new Service({ CREDENTIALS: brokenObjects() });
    expect(await outcomeOf(fallingBack, revokedLater.accessToken)).toBe('TOKEN_REVOKED');
    expect(await outcomeOf(fallingBack, rotatedLater.accessToken)).toBe('TOKEN_REVOKED');
    expect(await outcomeOf(fallingBack, next.accessToken)).toBe('200');
    expect(await outcomeOf(fallingBack, untouched.accessToken)).toBe('200');
    expect((await reconcile()).body).toMatchObject({ checked: 3, mended: 0, done: true });
  });

  it('goes on where it was, call after call, until it is done', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 65; count++) ids.push((await issueCredential()).credentialId);
    await env.DB.prepare(`update credentials set name = 'restored'`).run();
    for (const id of ids)
      await env.DB.prepare('update credentials set rate_limit = 1 where id = ?').bind(id).run();
    const calls = [(await reconcile()).body, (await reconcile()).body];
    expect(calls).toMatchObject([
      { checked: 60, mended: 60, done: false },
      { checked: 5, mended: 5, done: true },
    ]);
    expect((await reconcile()).body).toMatchObject({ checked: 60, mended: 0, done: false });
    expect((await reconcile()).body).toMatchObject({ checked: 5, mended: 0, done: true });
  });

  it('is a failure when an object is away, and goes on with the same credentials afterwards', async () => {
    const { credentialId } = await issue(service);
    await env.DB.prepare(`update credentials set name = 'restored'`).run();
    expect((await reconcile(new Service({ CREDENTIALS: brokenObjects() }))).status).toBe(500);
    expect((await reconcile()).body).toMatchObject({ checked: 1, mended: 1, done: true });
    expect((await shown(credentialId))?.name).toBe('Gate 1');
  });

  it('un-revokes nothing: a row that alone says revoked has its object revoked', async () => {
    const { credentialId, accessToken } = await issue(service);
    await env.DB.prepare('update credentials set revoked_at = 1000').run();
    expect((await reconcile()).body).toMatchObject({ mended: 1 });
    expect(await outcomeOf(service, accessToken)).toBe('TOKEN_REVOKED');
    expect((await shown(credentialId))?.revoked_at).toBe('1970-01-01T00:00:01.000Z');
  });
});

describe('While the database takes no change of a credential', () => {
  const full = () =>
    env.DB.batch(
      ['insert', 'update'].map((what) =>
        env.DB.prepare(
          `create trigger full_${what} before ${what} on credentials begin select raise(abort, 'database or disk is full'); end`,
        ),
      ),
    );
  const roomAgain = () =>
    env.DB.batch(['insert', 'update'].map((what) => env.DB.prepare(`drop trigger full_${what}`)));

  it('a revocation holds, and the object writes its row by itself once there is room', async () => {
    const { credentialId, accessToken } = await issue(service);
    await full();
    try {
      expect((await revoke(service, credentialId)).body.status).toBe('revoked');
      expect(await outcomeOf(service, accessToken)).toBe('TOKEN_REVOKED');
      for (let failures = 1; failures <= 3; failures++) {
        expect(await alarm(credentialId)).toBe(true);
        expect((await shown(credentialId))?.status).toBe('active');
      }
    } finally {
      await roomAgain();
    }
    expect(await alarm(credentialId)).toBe(true);
    expect((await shown(credentialId))?.status).toBe('revoked');
    expect(await alarm(credentialId)).toBe(false);
  });

  it('a new credential and a new pair pass, and are listed once there is room', async () => {
    const old = await issue(service);
    await full();
    const issued = await issue(service, { name: 'Issued meanwhile' });
    const rotated = pairOf(await rotate(service, old.credentialId));
    await roomAgain();
    for (const { accessToken } of [issued, rotated]) {
      expect(await outcomeOf(service, accessToken)).toBe('200');
    }
    expect(await outcomeOf(service, old.accessToken)).toBe('TOKEN_REVOKED');
    await Promise.all([alarm(issued.credentialId), alarm(old.credentialId)]);
    expect(listed(await list(service, '?limit=200'), 'name')).toEqual(['Gate 1', 'Issued meanwhile']);
    const fallingBack = new Service({ CREDENTIALS: brokenObjects() });
    expect(await outcomeOf(fallingBack, rotated.accessToken)).toBe('200');
  });

  it('a change that overtakes a slow write of the row is not undone by it', async () => {
    const { credentialId } = await issue(service);
    const early = await runInDurableObject(
      env.CREDENTIALS.getByName(credentialId),
      (object: CredentialObject) => object.read(),
    );
    await change(service, credentialId, { name: 'newer' });
    const { writeCredentialRow } = await import('../../src/access/credential-row-table.ts');
    await writeCredentialRow(env.DB, early ?? expect.fail('there is a credential'));
    expect(await shown(credentialId)).toMatchObject({ name: 'newer', municipalities: ['H501'] });
  });
});

it('A rotation that breaks off before it has ended the old pair shows nothing of itself', async () => {
  const { credentialId, accessToken, body } = await issue(service);
  let trips = 0;
  const CREDENTIALS = objectsDouble(async (run) => {
    trips += 1;
    return trips > 2 ? Promise.reject(new Error('away')) : run();
  });
  expect((await rotate(new Service({ CREDENTIALS }), credentialId)).status).toBe(500);
  await alarm(credentialId);
  expect(await outcomeOf(service, accessToken)).toBe('200');
  const { success, ok, request_id, access_token, api_key, ...fields } = body;
  expect(await shown(credentialId)).toEqual(fields);
});
