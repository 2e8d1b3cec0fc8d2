import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { issueCredential } from '../support/credential.ts';
import { brokenObjects } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { citiesAlone, reconcile, restorePoint } from './restore.ts';
import { issue, outcomeOf, revoke, rotate, shown } from './support.ts';

const service = new Service();

beforeEach(citiesAlone);

describe('Reconciling', () => {
  it('brings every row to what its object holds, and then finds nothing to correct', async () => {
    const [revokedLater, rotatedLater] = [await issue(service), await issue(service), await issue(service)];
    const restore = await restorePoint();
    await revoke(service, revokedLater.credentialId);
    await rotate(service, rotatedLater.credentialId);
    await restore();
    expect((await reconcile(service)).body).toMatchObject({ checked: 3, mended: 2, done: true });
    expect((await shown(service, revokedLater.credentialId))?.status).toBe('revoked');
    expect((await reconcile(service)).body).toMatchObject({ checked: 3, mended: 0, done: true });
  });

  it('goes on where it was, call after call, until it is done', async () => {
    for (let count = 0; count < 65; count++) await issueCredential();
    await env.DB.prepare(`update credentials set name = 'restored', rate_limit = 1`).run();
    const calls = [(await reconcile(service)).body, (await reconcile(service)).body];
    expect(calls).toMatchObject([
      { checked: 60, mended: 60, done: false },
      { checked: 5, mended: 5, done: true },
    ]);
    expect((await reconcile(service)).body).toMatchObject({ checked: 60, mended: 0, done: false });
    expect((await reconcile(service)).body).toMatchObject({ checked: 5, mended: 0, done: true });
  });

  it('is a failure when an object is away, and goes on with the same credentials afterwards', async () => {
    const { credentialId } = await issue(service);
    await env.DB.prepare(`update credentials set name = 'restored'`).run();
    expect((await reconcile(new Service({ CREDENTIALS: brokenObjects() }))).status).toBe(500);
    expect((await reconcile(service)).body).toMatchObject({ checked: 1, mended: 1, done: true });
    expect((await shown(service, credentialId))?.name).toBe('Gate 1');
  });

  it('un-revokes nothing: a row that alone says revoked has its object revoked', async () => {
    const { credentialId, accessToken } = await issue(service);
    await env.DB.prepare('update credentials set revoked_at = 1000').run();
    expect((await reconcile(service)).body).toMatchObject({ mended: 1 });
    expect(await outcomeOf(service, accessToken)).toBe('TOKEN_REVOKED');
    expect((await shown(service, credentialId))?.revoked_at).toBe('1970-01-01T00:00:01.000Z');
  });
});
