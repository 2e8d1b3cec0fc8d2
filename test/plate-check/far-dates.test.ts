import { describe, expect, it } from 'vitest';
import { HOUR_MS, LAST_INSTANT } from '../../src/domain/instant.ts';
import { errorsOf, file, send } from '../imports/support.ts';
import { City, outcomeOf } from '../support/city.ts';
import { configurationVersion } from '../support/past.ts';
import { CITY, MONTHLY, subscribed } from '../support/seed.ts';
import { ADMIN } from '../support/service.ts';

const NOW = Date.now();
const YEAR_0 = Date.parse('0000-01-01T00:00:00Z');
const CHECK = '/api/v2/parking-entitlements/search';
const EVIDENCE = '/api/v2/evidence/search';
const recordedAt = NOW - HOUR_MS;

const session = (sessionId: string, startsAt: number, endsAt: number | null) => ({
  ...{ municipalityId: 1, sourceCode: 'app1', sessionId, areaId: 2, plate: 'FAR' },
  ...{ startsAt, endsAt, recordedAt },
});
const always = subscribed('FAR', { startsAt: YEAR_0, endsAt: LAST_INSTANT });

// No import accepts these dates.
const city = new City({
  ...CITY,
  plans: [MONTHLY],
  ...always,
  subscriptions: always.subscriptions.map((one) => ({
    ...one,
    ...{ authorizedFrom: YEAR_0, authorizedUntil: LAST_INSTANT, recordedAt },
    ...{ suspendedFrom: LAST_INSTANT - 1, suspendedUntil: LAST_INSTANT, revokedAt: LAST_INSTANT },
  })),
  subscriptionPlates: always.subscriptionPlates.map((one) => ({
    ...one,
    ...{ validFrom: YEAR_0, validUntil: LAST_INSTANT, recordedAt },
  })),
  parkingSessions: [
    session('from the year 0', YEAR_0, NOW + HOUR_MS),
    session('to the end of time', NOW - HOUR_MS, LAST_INSTANT),
    session('open at the end of time', LAST_INSTANT - HOUR_MS, null),
  ],
  configurationVersions: [configurationVersion(recordedAt)],
});

const FIRST = expect.stringMatching(/^0000-01-01T00:\d\d:\d\d[+-]/);
const LAST = expect.stringMatching(/^9999-12-31T23:59:59[+-]/);
const at = new Date(NOW).toISOString();

const ANSWERS: readonly (readonly [string, object, object])[] = [
  [
    CHECK,
    { plate: 'FAR', area_code: 'P1', event: 'entry' },
    { access_granted: true, sessions: [{ ends_at: LAST }, { starts_at: FIRST }] },
  ],
  ['/api/v1/parking/check-plate', { plate: 'FAR' }, { has_valid_parking: true }],
  [
    EVIDENCE,
    { plate: 'FAR', at, area_code: 'P1', event: 'entry' },
    {
      as_known_then: { access_granted: true, has_valid_subscription: true },
      history: [
        { record: { starts_at: FIRST } },
        { record: { ends_at: null } },
        { record: { ends_at: LAST } },
        { record: { authorized_from: FIRST, authorized_until: LAST, revoked_at: LAST } },
      ],
    },
  ],
  [
    '/api/v2/parking/reports/active-by-area',
    { area_type: 'facility' },
    { totals: { active_now: 1, active_after_60: 1 } },
  ],
  [
    '/api/v2/parking-meters/subscription-options',
    { plate: 'FAR' },
    { entitlements_count: 1, options_count: 0 },
  ],
  [
    '/api/v2/admin/plates/export',
    { tenant: 'acme', plate: 'FAR' },
    {
      sessions: [{ starts_at: FIRST }, { ends_at: LAST }, {}],
      subscriptions: [{ suspended_until: LAST, periods: [{ starts_at: FIRST, ends_at: LAST }] }],
    },
  ],
];

describe('A stored date at the ends of the calendar', () => {
  it.each(ANSWERS)('makes no call of %s fail', async (path, body, right) => {
    const answer = await city.post(path, body, path.includes('/admin/') ? ADMIN : {});
    expect([answer.status, answer.body]).toMatchObject([200, right]);
  });
});

const CODES = {
  checked_at: { OUT_OF_RANGE: 'CHECKED_AT_OUT_OF_RANGE', IN_FUTURE: 'CHECKED_AT_IN_FUTURE' },
  at: { OUT_OF_RANGE: 'CHECKED_AT_OUT_OF_RANGE', IN_FUTURE: 'CHECKED_AT_IN_FUTURE' },
  known_at: { OUT_OF_RANGE: 'KNOWN_AT_OUT_OF_RANGE', IN_FUTURE: 'KNOWN_AT_OUT_OF_RANGE' },
} as const;
/** A form that few clients write. */
const ODD = `${new Date(NOW - HOUR_MS / 2 + HOUR_MS).toISOString().slice(0, 19)},5+01`;
const BEYOND = ['1969-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999-00:01'] as const;

describe('An instant that is sent', () => {
  it.each([
    ['checked_at', CHECK],
    ['checked_at', '/api/v1/parking/check-plate'],
    ['at', EVIDENCE],
    ['known_at', EVIDENCE],
  ] as const)('as %s to %s is taken in any form, and refused beyond the ends of the range', async (...of) => {
    const [field, path] = of;
    const question = (text: string) => ({ plate: 'FAR', ...(path === EVIDENCE && { at }), [field]: text });
    const { body } = await city.post(path, question(ODD));
    expect(Date.parse(String(body[field]))).toBe(Math.floor((NOW - HOUR_MS / 2) / 1_000) * 1_000 + 500);
    for (const [text, code] of [
      [BEYOND[0], CODES[field].OUT_OF_RANGE],
      [BEYOND[1], CODES[field].OUT_OF_RANGE],
      ['9999-12-31T23:59:59.999Z', CODES[field].IN_FUTURE],
      ['10000-01-01T00:00:00Z', 'INVALID_REQUEST'],
    ] as const) {
      expect([text, ...outcomeOf(await city.post(path, question(text)))]).toEqual([text, 422, code]);
    }
  });

  it.each([
    ['1970-01-01T00:00:00Z', 201],
    ['9999-12-31T23:59:59,999+00', 201],
    [BEYOND[0], 422],
    [BEYOND[1], 422],
  ])('as expires_at %s of a credential is a %i', async (expires_at, status) => {
    const credential = { tenant: 'acme', name: 'far', scopes: ['report'], municipalities: ['H501'] };
    const answer = await city.post('/api/v2/admin/credentials', { ...credential, expires_at }, ADMIN);
    expect(answer.status).toBe(status);
  });

  /** The paths of the fields for which an import of these lines rejects one. */
  async function rejectedFields(kind: string, lines: readonly object[]) {
    const path = `/api/v2/imports/${kind}?municipality_code=H501&source_code=app1`;
    const answer = await send(city.service, path, file(lines), city.headers);
    expect(answer.status).toBe(200);
    return errorsOf(answer).map(({ message }) => message.split(':')[0]);
  }

  it.each(BEYOND)('in a line of an import as %s rejects the line', async (text) => {
    const dated = { starts_at: '1970-01-01T00:00:00Z', ends_at: '9999-12-31T23:59:59,999+00' };
    const title = {
      ...{ subscription_number: 'far', type: 'RES', approval: 'approved', areas: 'all' },
      ...{ authorized_from: dated.starts_at, authorized_until: dated.ends_at, revoked_at: dated.ends_at },
      ...{ suspended_from: dated.starts_at, suspended_until: dated.ends_at },
      periods: [dated],
      plates: [{ plate: 'ELSE', valid_from: dated.starts_at, valid_until: dated.ends_at }],
    };
    const fields = ['authorized_from', 'authorized_until', 'suspended_from', 'suspended_until', 'revoked_at'];
    const wrong = [
      ...fields.map((field) => ({ [field]: text })),
      ...['starts_at', 'ends_at'].map((field) => ({ periods: [{ ...dated, [field]: text }] })),
      ...['valid_from', 'valid_until'].map((field) => ({ plates: [{ plate: 'ELSE', [field]: text }] })),
    ];
    const lines = wrong.map((changed) => ({ ...title, ...changed }));
    expect(await rejectedFields('subscriptions', [title, ...lines])).toEqual([
      ...fields,
      ...['periods.0.starts_at', 'periods.0.ends_at', 'plates.0.valid_from', 'plates.0.valid_until'],
    ]);
    const session = { session_id: 'far', plate: 'X', area_code: 'P1', ...dated };
    const sessions = ['starts_at', 'ends_at', 'cancelled_at'].map((field) => ({ ...session, [field]: text }));
    const fieldsOfSession = await rejectedFields('sessions', [session, ...sessions]);
    expect(fieldsOfSession).toEqual(['starts_at', 'ends_at', 'cancelled_at']);
  });
});
