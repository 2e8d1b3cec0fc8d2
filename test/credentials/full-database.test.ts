import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { databaseDouble } from '../support/doubles.ts';
import { ADMIN, Service } from '../support/service.ts';
import { citiesAlone } from './restore.ts';
import { CREDENTIALS, change, issue, outcomeOf, pairOf, REQUEST, revoke, rotate, shown } from './support.ts';

const service = new Service();

beforeEach(citiesAlone);

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

  it('a revocation is a 500 and holds, and is listed once it is sent again', async () => {
    const { credentialId, accessToken } = await issue(service);
    await full();
    try {
      expect((await revoke(service, credentialId)).status).toBe(500);
      expect(await outcomeOf(service, accessToken)).toBe('TOKEN_REVOKED');
      expect((await shown(service, credentialId))?.status).toBe('active');
    } finally {
      await roomAgain();
    }
    expect((await revoke(service, credentialId)).status).toBe(200);
    expect((await shown(service, credentialId))?.status).toBe('revoked');
  });

  it('no credential and no pair is shown', async () => {
    const { credentialId } = await issue(service);
    await full();
    try {
      for (const answer of [
        await service.call(CREDENTIALS, { method: 'POST', headers: ADMIN, body: REQUEST }),
        await rotate(service, credentialId),
      ]) {
        expect(answer.status).toBe(500);
        expect(JSON.stringify(answer.body)).not.toContain('pev_');
      }
    } finally {
      await roomAgain();
    }
    expect(pairOf(await rotate(service, credentialId)).accessToken).toBeDefined();
  });

  it('a change that overtakes a slow write of the row is not undone by it', async () => {
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
