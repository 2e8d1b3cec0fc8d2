import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CredentialObject } from '../../src/serving/access/credential-object.ts';
import { Service } from '../support/service.ts';
import { citiesAlone } from './restore.ts';
import { alarm, change, issue, list, listed, outcomeOf, pairOf, revoke, rotate, shown } from './support.ts';

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

  it('a revocation holds, and the object writes its row by itself once there is room', async () => {
    const { credentialId, accessToken } = await issue(service);
    await full();
    try {
      expect((await revoke(service, credentialId)).body.status).toBe('revoked');
      expect(await outcomeOf(service, accessToken)).toBe('TOKEN_REVOKED');
      for (let failures = 1; failures <= 3; failures++) {
        expect(await alarm(credentialId)).toBe(true);
        expect((await shown(service, credentialId))?.status).toBe('active');
      }
    } finally {
      await roomAgain();
    }
    expect(await alarm(credentialId)).toBe(true);
    expect((await shown(service, credentialId))?.status).toBe('revoked');
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
  });

  it('a change that overtakes a slow write of the row is not undone by it', async () => {
    const { credentialId } = await issue(service);
    const early = await runInDurableObject(
      env.CREDENTIALS.getByName(credentialId),
      (object: CredentialObject) => object.read(),
    );
    await change(service, credentialId, { name: 'newer' });
    const { writeCredentialRow } = await import('../../src/serving/access/credential-row-table.ts');
    await writeCredentialRow(env.DB, early ?? expect.fail('there is a credential'));
    expect(await shown(service, credentialId)).toMatchObject({ name: 'newer', municipalities: ['H501'] });
  });
});
