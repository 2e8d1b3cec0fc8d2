import { beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS, LAST_INSTANT } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { CITY, seed } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

const NOW = Date.now();
const YEAR_0 = Date.parse('0000-01-01T00:00:00Z');
const service = new Service();
let credential: TestCredential;

const session = (sessionId: string, startsAt: number, endsAt: number | null) => ({
  ...{ municipalityId: 1, sourceCode: 'app1', sessionId, areaId: 2, plate: 'FAR' },
  startsAt,
  endsAt,
});

beforeAll(async () => {
  // As an older version took them.
  await seed({
    ...CITY,
    parkingSessions: [
      session('from the year 0', YEAR_0, NOW + HOUR_MS),
      session('to the end of time', NOW - HOUR_MS, LAST_INSTANT),
      session('open at the end of time', LAST_INSTANT - HOUR_MS, null),
    ],
  });
  credential = await issueCredential();
});

const FIRST = expect.stringMatching(/^0000-01-01T00:\d\d:\d\d[+-]/);
const LAST = expect.stringMatching(/^9999-12-31T23:59:59[+-]/);

describe('A stored date at the ends of the calendar', () => {
  it('makes no check fail', async () => {
    const { status, body } = await service.post(
      '/api/v2/parking-entitlements/search',
      { plate: 'FAR', area_code: 'P1', event: 'entry' },
      credential.headers,
    );
    expect([status, body], JSON.stringify(body)).toMatchObject([200, { access_granted: true }]);
    expect(body.sessions).toMatchObject([{ ends_at: LAST }, { starts_at: FIRST }]);
  });

  it('makes no list fail', async () => {
    const { status, body } = await service.call(
      '/api/v2/facilities/P1/entitlement-list?municipality_code=H501',
      { headers: credential.headers },
    );
    expect(status).toBe(200);
    const lines = body.lines as { readonly kind?: string; readonly from: string; readonly until: string }[];
    expect(lines.filter(({ kind }) => kind === 'session').map(({ from, until }) => [from, until])).toEqual(
      expect.arrayContaining([
        [FIRST, expect.any(String)],
        [expect.any(String), LAST],
      ]),
    );
  });

  it('makes no export fail', async () => {
    const { status, body } = await service.call('/api/v2/admin/plates/export', {
      method: 'POST',
      headers: ADMIN,
      body: { tenant: 'acme', plate: 'FAR' },
    });
    expect([status, body.sessions]).toMatchObject([200, [{ starts_at: FIRST }, { ends_at: LAST }, {}]]);
  });
});

describe('An instant that is sent', () => {
  it.each([
    ['1969-12-31T23:59:59.999Z', 422, 'CHECKED_AT_OUT_OF_RANGE'],
    ['9999-12-31T23:59:59.999-00:01', 422, 'CHECKED_AT_OUT_OF_RANGE'],
    ['9999-12-31T23:59:59.999Z', 422, 'CHECKED_AT_IN_FUTURE'],
    ['10000-01-01T00:00:00Z', 422, 'INVALID_REQUEST'],
  ])('as checked_at %s is a %i %s', async (checked_at, status, code) => {
    const answer = await service.post(
      '/api/v2/parking-entitlements/search',
      { plate: 'FAR', checked_at },
      credential.headers,
    );
    expect([answer.status, answer.body.error]).toMatchObject([status, { code }]);
  });

  it.each([
    ['1970-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', 0],
    ['1969-12-31T23:59:59.999Z', '2030-01-01T00:00:00Z', 1],
    ['2026-01-01T00:00:00Z', '9999-12-31T23:59:59.999-00:01', 1],
    ['0000-01-01T00:00:00Z', '2030-01-01T00:00:00Z', 1],
  ])('as a session from %s to %s has %i rejected lines', async (starts_at, ends_at, rejected) => {
    const line = { session_id: `${starts_at}${ends_at}`, plate: 'X', area_code: 'P1', starts_at, ends_at };
    const { status, body } = await service.call(
      '/api/v2/imports/sessions?municipality_code=H501&source_code=app1',
      {
        method: 'POST',
        headers: { ...credential.headers, 'Content-Type': 'application/x-ndjson' },
        body: JSON.stringify(line),
      },
    );
    expect([status, body.rejected], JSON.stringify(body)).toEqual([200, rejected]);
  });
});
