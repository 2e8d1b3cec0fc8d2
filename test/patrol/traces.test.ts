import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { issueCredential, type TestCredential } from '../support/credential.ts';
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

describe('A plate that a patrol asks about', () => {
  it('shows in evidence with its finding, and no other plate does', async () => {
    const { body } = await patrol({ plate: 'ABC0DEF' });
    expect(body.results).toMatchObject([{ doubts: [{ code: 'SIMILAR_PLATE_ENTITLED' }] }]);
    expect(await checksOf('ABC0DEF')).toEqual([{ request_id: body.request_id, outcome: 'officer_decides' }]);
    expect(await checksOf('ABCODEF')).toEqual([]);
  });

  it('is exported and erased as that of a plate check', async () => {
    const { body } = await patrol({ plate: 'MINE1' });
    const person = { tenant: 'acme', plate: 'MINE1' };
    const exported = await post('/api/v2/admin/plates/export', person, ADMIN);
    expect(exported.body.calls).toMatchObject([{ operation: 'patrol', request_id: body.request_id }]);
    const erased = await post('/api/v2/admin/plates/erase', person, ADMIN);
    expect(erased.body).toMatchObject({ erased: { calls: 1 } });
    expect(await checksOf('MINE1')).toEqual([]);
  });
});
