import { describe, expect, it } from 'vitest';
import { HOUR_MS, LAST_INSTANT } from '../../src/domain/instant.ts';
import {
  APP1_SESSIONS,
  aSessionLine,
  aSubscriptionLine,
  errorsOf,
  file,
  SUBSCRIPTIONS,
  send,
} from '../imports/support.ts';
import { City, outcomeOf } from '../support/city.ts';
import { configurationVersion } from '../support/past.ts';
import { CITY, MONTHLY, subscribed } from '../support/seed.ts';
import { ADMIN } from '../support/service.ts';

const NOW = Date.now();
const CHECK = '/api/v2/parking-entitlements/search';
const EVIDENCE = '/api/v2/evidence/search';
const recordedAt = NOW - HOUR_MS;

const session = (sessionId: string, startsAt: number, endsAt: number | null) => ({
  ...{ municipalityId: 1, sourceCode: 'app1', sessionId, areaId: 2, plate: 'FAR' },
  ...{ startsAt, endsAt, recordedAt },
});
const always = subscribed('FAR', { startsAt: 0, endsAt: LAST_INSTANT });

const city = new City({
  ...CITY,
  plans: [MONTHLY],
  ...always,
  subscriptions: always.subscriptions.map((one) => ({
    ...one,
    ...{ authorizedFrom: 0, authorizedUntil: LAST_INSTANT, revokedAt: LAST_INSTANT, recordedAt },
  })),
  subscriptionPlates: always.subscriptionPlates.map((one) => ({
    ...one,
    validUntil: LAST_INSTANT,
    recordedAt,
  })),
  parkingSessions: [
    session('to the end of time', NOW - HOUR_MS, LAST_INSTANT),
    session('open at the end of time', LAST_INSTANT - HOUR_MS, null),
  ],
  configurationVersions: [configurationVersion(recordedAt)],
});

const LAST = expect.stringMatching(/^9999-12-31T23:59:59[+-]/);
const at = new Date(NOW).toISOString();
const gate = { plate: 'FAR', area_code: 'P1', event: 'entry' };

describe('A stored date at the end of the calendar', () => {
  it.each<[string, object, object]>([
    [CHECK, gate, { access_granted: true, sessions: [{ ends_at: LAST }] }],
    [
      EVIDENCE,
      { ...gate, at },
      {
        as_known_then: { access_granted: true, has_valid_subscription: true },
        history: [
          { record: { ends_at: null } },
          { record: { ends_at: LAST } },
          { record: { authorized_until: LAST, revoked_at: LAST } },
        ],
      },
    ],
    ['/api/v2/parking/reports/active-by-area', { area_type: 'facility' }, { totals: { active_after_60: 1 } }],
    [
      '/api/v2/parking-meters/subscription-options',
      { plate: 'FAR' },
      { entitlements_count: 1, options_count: 0 },
    ],
    [
      '/api/v2/admin/plates/export',
      { tenant: 'acme', plate: 'FAR' },
      { sessions: [{ ends_at: LAST }, {}], subscriptions: [{ periods: [{ ends_at: LAST }] }] },
    ],
  ])('makes no call of %s fail', async (path, body, right) => {
    const answer = await city.post(path, body, path.includes('/admin/') ? ADMIN : {});
    expect([answer.status, answer.body]).toMatchObject([200, right]);
  });
});

/** A form that few clients write. */
const ODD = `${new Date(NOW - HOUR_MS / 2 + HOUR_MS).toISOString().slice(0, 19)},5+01`;
const BEYOND = ['1969-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999-00:01'] as const;

describe('An instant that is sent', () => {
  it.each([
    ['checked_at', CHECK, 'CHECKED_AT_OUT_OF_RANGE', 'CHECKED_AT_IN_FUTURE'],
    ['at', EVIDENCE, 'CHECKED_AT_OUT_OF_RANGE', 'CHECKED_AT_IN_FUTURE'],
    ['known_at', EVIDENCE, 'KNOWN_AT_OUT_OF_RANGE', 'KNOWN_AT_OUT_OF_RANGE'],
  ])('as %s to %s is taken in any form, and refused beyond the ends of the range', async (...of) => {
    const [field, path, outOfRange, inFuture] = of;
    const question = (text: string) => ({ plate: 'FAR', ...(path === EVIDENCE && { at }), [field]: text });
    const { body } = await city.post(path, question(ODD));
    expect(Date.parse(String(body[field]))).toBe(Math.floor((NOW - HOUR_MS / 2) / 1_000) * 1_000 + 500);
    for (const [text, code] of [
      [BEYOND[0], outOfRange],
      [BEYOND[1], outOfRange],
      ['9999-12-31T23:59:59.999Z', inFuture],
      ['10000-01-01T00:00:00Z', 'INVALID_REQUEST'],
    ] as const) {
      expect([text, ...outcomeOf(await city.post(path, question(text)))]).toEqual([text, 422, code]);
    }
  });

  it.each([
    ['9999-12-31T23:59:59,999+00', 201],
    [BEYOND[0], 422],
    [BEYOND[1], 422],
  ])('as expires_at %s of a credential is a %i', async (expires_at, status) => {
    const credential = { tenant: 'acme', name: 'far', scopes: ['report'], municipalities: ['H501'] };
    const answer = await city.post('/api/v2/admin/credentials', { ...credential, expires_at }, ADMIN);
    expect(answer.status).toBe(status);
  });

  it.each(BEYOND)('in a line of an import as %s rejects the line', async (text) => {
    const dated = { starts_at: '1970-01-01T00:00:00Z', ends_at: '9999-12-31T23:59:59,999+00' };
    const titles = [
      ...['authorized_from', 'authorized_until', 'suspended_from', 'revoked_at'].map((name) => ({
        [name]: text,
      })),
      ...['starts_at', 'ends_at'].map((name) => ({ periods: [{ ...dated, [name]: text }] })),
      ...['valid_from', 'valid_until'].map((name) => ({ plates: [{ plate: 'ELSE', [name]: text }] })),
    ];
    const sessions = ['starts_at', 'ends_at', 'cancelled_at'].map((name) => ({ ...dated, [name]: text }));
    for (const [path, lines] of [
      [SUBSCRIPTIONS, [{ periods: [dated] }, ...titles].map(aSubscriptionLine)],
      [APP1_SESSIONS, [dated, ...sessions].map(aSessionLine)],
    ] as const) {
      const answer = await send(city.service, path, file(lines), city.headers);
      expect(errorsOf(answer).map(({ line }) => line)).toEqual(lines.slice(1).map((_, index) => index + 2));
    }
  });
});
