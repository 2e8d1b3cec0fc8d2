import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { objectsDouble } from '../support/doubles.ts';
import { seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { CITIES, change, everywhere, known, revoke, shown, storedRow } from './support.ts';

const service = new Service();

beforeAll(() => seed(CITIES));

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
    expect(await storedRow(credentialId)).toMatchObject({
      name: 'overtaken 2',
      scopes: '["report"]',
      version: 4,
    });
    expect(await everywhere(accessToken)).toEqual(['SCOPE_NOT_ALLOWED', 'SCOPE_NOT_ALLOWED']);
  });

  it('who is always slower changes nothing at all', async () => {
    const { credentialId, accessToken } = await known();
    expect((await revoke(overtaken(credentialId, 99), credentialId)).status).toBe(500);
    expect(await storedRow(credentialId)).toMatchObject({ name: 'overtaken 5', revoked_at: null });
    const municipalities = await env.DB.prepare(
      'select municipality_id from credential_municipalities where credential_id = ?',
    )
      .bind(credentialId)
      .all();
    expect(municipalities.results).toEqual([{ municipality_id: 1 }]);
    expect(await everywhere(accessToken)).toEqual(['200', '200']);
  });

  it('many of them, each with one field, leave a credential with all of them', async () => {
    const { credentialId, accessToken } = await known();
    const answers = await Promise.all([
      change(service, credentialId, { name: 'many' }),
      change(service, credentialId, { historical_days_allowed: 9 }),
      change(service, credentialId, { municipalities: ['H501', 'L219'] }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await shown(service, credentialId)).toMatchObject({
      name: 'many',
      historical_days_allowed: 9,
      municipalities: ['H501', 'L219'],
    });
    expect(await everywhere(accessToken)).toEqual(['MUNICIPALITY_REQUIRED', 'MUNICIPALITY_REQUIRED']);
  });
});
