import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { configurationVersion, storeConfiguration } from '../support/past.ts';
import { seed } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';
import { A_STREET, NOW, SEEN } from './street.ts';

const service = new Service();
let credential: TestCredential;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  return () => vi.useRealTimers();
});

beforeAll(async () => {
  await seed(A_STREET);
  credential = await issueCredential();
  await storeConfiguration(configurationVersion(0, A_STREET));
});

const post = (path: string, body: object, headers: Record<string, string> = credential.headers) =>
  service.settle(path, { method: 'POST', body, headers });
const patrol = (...checks: object[]) =>
  post('/api/v2/patrol/checks', {
    checks: checks.map((check, index) => ({ id: String(index), area_code: 'S1', seen_at: SEEN, ...check })),
  });
/** What evidence says of who asked about a plate. */
const checksOf = async (plate: string) => {
  const { body } = await post('/api/v2/evidence/search', { plate, at: SEEN });
  expect(body.error).toBeUndefined();
  return (body.checks as { request_id: string; outcome: string }[]).map(({ request_id, outcome }) => ({
    request_id,
    outcome,
  }));
};

describe('Whoever is asked about in a patrol can see that', () => {
  it('as another reading of a plate, entitled or not', async () => {
    const { body } = await patrol({ plate: 'HEREE', alternatives: ['HERE', 'HEREEE'] });
    const traced = [{ request_id: body.request_id, outcome: 'ALTERNATIVE' }];
    expect([await checksOf('HERE'), await checksOf('HEREEE')]).toEqual([traced, traced]);
    expect(await checksOf('HEREE')).toEqual([{ request_id: body.request_id, outcome: 'officer_decides' }]);
  });

  it('once, however often a sighting names it, and not for what is no plate', async () => {
    const { body } = await patrol({ plate: 'TWICE', alternatives: ['TW1CE', 'tw-1ce', 'TWICE', '--', ''] });
    expect(await checksOf('TW1CE')).toEqual([{ request_id: body.request_id, outcome: 'ALTERNATIVE' }]);
    expect(await checksOf('TWICE')).toEqual([{ request_id: body.request_id, outcome: 'no_entitlement' }]);
  });

  it('also where the sighting itself is refused', async () => {
    const { body } = await patrol(
      { plate: 'LOST', area_code: 'NONE', alternatives: ['L0ST'] },
      { plate: '--', alternatives: ['UNREAD'] },
    );
    const traced = [{ request_id: body.request_id, outcome: 'ALTERNATIVE' }];
    expect([await checksOf('L0ST'), await checksOf('UNREAD')]).toEqual([traced, traced]);
  });

  it('as a plate one slip away, where the answer told its right, and nowhere else', async () => {
    const told = await patrol({ plate: 'ABC0DEF' });
    expect(await checksOf('ABCODEF')).toEqual([{ request_id: told.body.request_id, outcome: 'ALTERNATIVE' }]);
    await patrol({ plate: 'ABC0DEF', area_code: 'S2' }, { plate: 'ABC0DEF', area_code: 'S4' });
    expect(await checksOf('ABCODEF')).toHaveLength(1);
    expect(await checksOf('ABCDDEF')).toEqual([]);
  });

  it('once, where a plate one slip away was named as well', async () => {
    const before = await checksOf('ABCODEF');
    await patrol({ plate: 'ABC0DEF', alternatives: ['ABCODEF'] });
    expect(await checksOf('ABCODEF')).toHaveLength(before.length + 1);
  });

  it('and has it exported and erased as a plate check', async () => {
    const { body } = await patrol({ plate: 'MINE1', alternatives: ['M1NE1'] });
    const person = { tenant: 'acme', plate: 'M1NE1' };
    const exported = await post('/api/v2/admin/plates/export', person, ADMIN);
    expect(exported.body.calls).toMatchObject([{ operation: 'patrol', request_id: body.request_id }]);
    const erased = await post('/api/v2/admin/plates/erase', person, ADMIN);
    expect(erased.body).toMatchObject({ erased: { calls: 1 } });
    expect(await checksOf('M1NE1')).toEqual([]);
  });
});
