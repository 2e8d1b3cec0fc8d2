import { beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS, LAST_INSTANT } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { configurationVersion } from '../support/past.ts';
import { CITY, MONTHLY, seed, subscribed } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

const NOW = Date.now();
const YEAR_0 = Date.parse('0000-01-01T00:00:00Z');
const CHECK = '/api/v2/parking-entitlements/search';
const EVIDENCE = '/api/v2/evidence/search';
const service = new Service();
let credential: TestCredential;

const session = (sessionId: string, startsAt: number, endsAt: number | null) => ({
  ...{ municipalityId: 1, sourceCode: 'app1', sessionId, areaId: 2, plate: 'FAR' },
  startsAt,
  endsAt,
  recordedAt: NOW - HOUR_MS,
});

const FAR_SESSIONS = [
  ['from the year 0', YEAR_0, NOW + HOUR_MS],
  ['to the end of time', NOW - HOUR_MS, LAST_INSTANT],
  ['open at the end of time', LAST_INSTANT - HOUR_MS, null],
] as const;
const ALWAYS = { startsAt: YEAR_0, endsAt: LAST_INSTANT };

beforeAll(async () => {
  // No import accepts these dates.
  const always = subscribed('FAR', ALWAYS);
  await seed({
    ...CITY,
    plans: [MONTHLY],
    ...always,
    subscriptions: always.subscriptions.map((one) => ({
      ...one,
      ...{ authorizedFrom: YEAR_0, authorizedUntil: LAST_INSTANT },
      recordedAt: NOW - HOUR_MS,
      ...{ suspendedFrom: LAST_INSTANT - 1, suspendedUntil: LAST_INSTANT, revokedAt: LAST_INSTANT },
    })),
    subscriptionPlates: always.subscriptionPlates.map((one) => ({
      ...one,
      ...{ validFrom: YEAR_0, validUntil: LAST_INSTANT, recordedAt: NOW - HOUR_MS },
    })),
    parkingSessions: FAR_SESSIONS.map(([id, from, until]) => session(id, from, until)),
    configurationVersions: [configurationVersion(NOW - HOUR_MS)],
  });
  credential = await issueCredential();
});

const FIRST = expect.stringMatching(/^0000-01-01T00:\d\d:\d\d[+-]/);
const LAST = expect.stringMatching(/^9999-12-31T23:59:59[+-]/);

describe('A stored date at the ends of the calendar', () => {
  it('makes no check fail', async () => {
    const { status, body } = await service.post(
      CHECK,
      { plate: 'FAR', area_code: 'P1', event: 'entry' },
      credential.headers,
    );
    expect([status, body], JSON.stringify(body)).toMatchObject([200, { access_granted: true }]);
    expect(body.sessions).toMatchObject([{ ends_at: LAST }, { starts_at: FIRST }]);
  });

  it('makes no check of the first version fail', async () => {
    const { status, body } = await service.post(
      '/api/v1/parking/check-plate',
      { plate: 'FAR' },
      credential.headers,
    );
    expect([status, body], JSON.stringify(body)).toMatchObject([
      200,
      { has_valid_parking: true, sessions: [{ ends_at: LAST }, { starts_at: FIRST }] },
    ]);
  });

  it('makes no evidence fail', async () => {
    const { status, body } = await service.post(
      EVIDENCE,
      { plate: 'FAR', at: new Date(NOW).toISOString(), area_code: 'P1', event: 'entry' },
      credential.headers,
    );
    expect([status, body], JSON.stringify(body)).toMatchObject([
      200,
      { as_known_then: { access_granted: true, has_valid_subscription: true }, differs: false },
    ]);
    expect((body.history as { record: unknown }[]).map(({ record }) => record)).toEqual([
      expect.objectContaining({ starts_at: FIRST }),
      expect.objectContaining({ ends_at: null }),
      expect.objectContaining({ ends_at: LAST }),
      expect.objectContaining({ authorized_from: FIRST, authorized_until: LAST, revoked_at: LAST }),
    ]);
  });

  it('makes no report fail', async () => {
    const { status, body } = await service.post(
      '/api/v2/parking/reports/active-by-area',
      { area_type: 'facility' },
      credential.headers,
    );
    expect([status, body.totals], JSON.stringify(body)).toMatchObject([
      200,
      { active_now: 1, active_after_60: 1 },
    ]);
  });

  it('makes no options fail, whose plans would expire beyond it', async () => {
    const { status, body } = await service.post(
      '/api/v2/parking-meters/subscription-options',
      { plate: 'FAR' },
      credential.headers,
    );
    expect([status, body], JSON.stringify(body)).toMatchObject([
      200,
      { entitlements_count: 1, options_count: 0 },
    ]);
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
    expect(body.subscriptions).toMatchObject([
      { authorized_from: FIRST, suspended_until: LAST, periods: [{ starts_at: FIRST, ends_at: LAST }] },
    ]);
  });
});

const ENDS = [
  ['1969-12-31T23:59:59.999Z', 'OUT_OF_RANGE'],
  ['9999-12-31T23:59:59.999-00:01', 'OUT_OF_RANGE'],
  ['9999-12-31T23:59:59.999Z', 'IN_FUTURE'],
  ['10000-01-01T00:00:00Z', 'INVALID_REQUEST'],
  ['-000001-12-31T23:59:59Z', 'INVALID_REQUEST'],
] as const;
const CODES = {
  checked_at: { OUT_OF_RANGE: 'CHECKED_AT_OUT_OF_RANGE', IN_FUTURE: 'CHECKED_AT_IN_FUTURE' },
  at: { OUT_OF_RANGE: 'CHECKED_AT_OUT_OF_RANGE', IN_FUTURE: 'CHECKED_AT_IN_FUTURE' },
  known_at: { OUT_OF_RANGE: 'KNOWN_AT_OUT_OF_RANGE', IN_FUTURE: 'KNOWN_AT_OUT_OF_RANGE' },
} as const;

describe('An instant that is sent', () => {
  it.each([
    ['checked_at', CHECK],
    ['checked_at', '/api/v1/parking/check-plate'],
    ['at', EVIDENCE],
    ['known_at', EVIDENCE],
  ] as const)('as %s to %s is refused beyond the ends of the range', async (field, path) => {
    for (const [text, why] of ENDS) {
      const code = why === 'INVALID_REQUEST' ? why : CODES[field][why];
      const at = path === EVIDENCE ? { at: new Date(NOW).toISOString() } : {};
      const question = { plate: 'FAR', ...at, [field]: text };
      const { status, body } = await service.post(path, question, credential.headers);
      expect([text, status, body.error]).toMatchObject([text, 422, { code }]);
    }
  });

  it.each([
    ['1970-01-01T00:00:00Z', 201, 'the range’s first instant'],
    ['9999-12-31T23:59:59.999Z', 201, 'the last one'],
    ['1969-12-31T23:59:59.999Z', 422, 'before it'],
    ['9999-12-31T23:59:59.999-00:01', 422, 'behind it'],
    ['10000-01-01T00:00:00Z', 422, 'in a year of five digits'],
  ])('as expires_at %s of a credential is a %i: %s', async (expires_at, status) => {
    const answer = await service.post(
      '/api/v2/admin/credentials',
      { tenant: 'acme', name: 'far', scopes: ['report'], municipalities: ['H501'], expires_at },
      ADMIN,
    );
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  });

  it.each([
    ['authorized_from', {}],
    ['authorized_until', {}],
    ['suspended_from', {}],
    ['suspended_until', { suspended_from: '1970-01-01T00:00:00Z' }],
    ['revoked_at', {}],
    ['periods.starts_at', {}],
    ['periods.ends_at', {}],
    ['plates.valid_from', {}],
    ['plates.valid_until', {}],
  ])('as %s of a subscription is taken at the ends of the range, and not beyond', async (field, changed) => {
    const isStart = /from$|starts_at$|revoked/.test(field);
    const cases: readonly (readonly [string, 0 | 1])[] = [
      [isStart ? '1970-01-01T00:00:00Z' : '9999-12-31T23:59:59.999Z', 0],
      ['1969-12-31T23:59:59.999Z', 1],
      ['0000-01-01T00:00:00Z', 1],
      ['9999-12-31T23:59:59.999-00:01', 1],
    ];
    const lines = cases.map(([text], index) => {
      const [list, inner = ''] = field.split('.');
      const dated = { starts_at: '2026-01-01T00:00:00Z', ends_at: '2027-01-01T00:00:00Z' };
      return {
        ...{ subscription_number: `${field} ${index}`, type: 'RES', approval: 'approved', areas: 'all' },
        plates: [{ plate: 'ELSE', ...(list === 'plates' && { [inner]: text }) }],
        periods: list === 'periods' ? [{ ...dated, [inner]: text }] : [],
        ...(inner === '' && { ...changed, [field]: text }),
      };
    });
    for (const [index, line] of lines.entries()) {
      const { status, body } = await service.call('/api/v2/imports/subscriptions?municipality_code=H501', {
        method: 'POST',
        headers: { ...credential.headers, 'Content-Type': 'application/x-ndjson' },
        body: JSON.stringify(line),
      });
      expect([cases[index], status, body.rejected], JSON.stringify(body)).toEqual([
        ...[cases[index], 200, cases[index]?.[1]],
      ]);
    }
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
