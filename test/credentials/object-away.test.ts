import { beforeAll, describe, expect, it } from 'vitest';
import { brokenObjects, objectsDouble } from '../support/doubles.ts';
import { seed } from '../support/seed.ts';
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

const service = new Service();

beforeAll(() => seed(CITIES));

describe('While the object of a credential cannot be reached', () => {
  const cutOff = new Service({ CREDENTIALS: brokenObjects() });

  it('a revocation fails and changes nothing, and the same once more holds', async () => {
    const { credentialId, accessToken } = await known();
    const before = await storedRow(credentialId);
    const failed = await revoke(cutOff, credentialId);
    expect([failed.status, failed.body.error]).toEqual([
      500,
      expect.objectContaining({ code: 'TEMPORARY_ERROR' }),
    ]);
    expect(await storedRow(credentialId)).toEqual(before);
    expect(await everywhere(accessToken)).toEqual(['200', '200']);
    const repeated = await revoke(service, credentialId);
    expect([repeated.status, repeated.body.status]).toEqual([200, 'revoked']);
    expect(await everywhere(accessToken)).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED']);
  });

  it('a change fails and changes nothing, and the same once more holds', async () => {
    const { credentialId, accessToken } = await known();
    const before = await storedRow(credentialId);
    expect((await change(cutOff, credentialId, { scopes: ['report'] })).status).toBe(500);
    expect(await storedRow(credentialId)).toEqual(before);
    expect(await everywhere(accessToken)).toEqual(['200', '200']);
    expect((await change(service, credentialId, { scopes: ['report'] })).status).toBe(200);
    expect(await everywhere(accessToken)).toEqual(['SCOPE_NOT_ALLOWED', 'SCOPE_NOT_ALLOWED']);
  });

  it('a rotation fails without a pair, and the next one gives one that passes', async () => {
    const old = await known();
    const failed = await rotate(cutOff, old.credentialId, { overlap_seconds: 60 });
    expect(failed.status).toBe(500);
    expect(JSON.stringify(failed.body)).not.toContain('pev_');
    const next = pairOf(await rotate(service, old.credentialId, { overlap_seconds: 60 }));
    expect(await everywhere(next.accessToken)).toEqual(['200', '200']);
    expect(await everywhere(old.accessToken)).toEqual(['200', '200']);
  });
});

it('A rotation that breaks off before its object has it shows nothing of itself', async () => {
  const { credentialId, accessToken, body } = await issue(service);
  let trips = 0;
  const CREDENTIALS = objectsDouble(async (run) => {
    trips += 1;
    return trips > 1 ? Promise.reject(new Error('away')) : run();
  });
  expect((await rotate(new Service({ CREDENTIALS }), credentialId)).status).toBe(500);
  expect(await outcomeOf(service, accessToken)).toBe('200');
  const { success, ok, request_id, access_token, api_key, ...fields } = body;
  expect(await shown(service, credentialId)).toEqual(fields);
});
