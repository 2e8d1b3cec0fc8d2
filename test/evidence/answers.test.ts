import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import {
  configurationRow,
  importRow,
  record,
  recordedConfiguration,
  subscriptionRow,
} from '../support/journal.ts';
import { CITY, FACILITY, STREET, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { EVIDENCE, storeSession } from './support.ts';

const CHECK = '/api/v2/parking-entitlements/search';
/** A Saturday morning in Rome, 8:39: an officer looks. */
const LOOKED = Date.UTC(2026, 2, 7, 7, 39);
const BEGAN = LOOKED - 30 * DAY_MS;
/** Two weeks later a clerk judges the objection. */
const JUDGED = LOOKED + 14 * DAY_MS;
const hours = (from: number, until: number) => ({
  starts_at: LOOKED + from * HOUR_MS,
  ends_at: LOOKED + until * HOUR_MS,
});

/** How the facility was configured at first. */
const OLD = { ...FACILITY, name: 'Vecchio', entryGraceMinutes: 60 };

const service = new Service();
let credential: TestCredential;

type Body = Record<string, unknown>;
const iso = (at: number) => new Date(at).toISOString();
const at = async <T>(now: number, work: () => Promise<T>): Promise<T> => {
  vi.useFakeTimers({ toFake: ['Date'], now });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
};
const ask = (body: Body, now = JUDGED) =>
  at(now, async () => (await service.post(EVIDENCE, body, credential.headers)).body);
const search = (plate: string, body: Body = {}) => ask({ plate, at: iso(LOOKED), area_code: 'P1', ...body });

/** What stands behind the place in the answer of a plate check. */
async function checked(plate: string, now: number, body: Body = {}): Promise<Body> {
  const { body: answer } = await at(now, () =>
    new Service().settle(CHECK, {
      method: 'POST',
      body: { plate, area_code: 'P1', ...body },
      headers: credential.headers,
    }),
  );
  const names = Object.keys(answer);
  return Object.fromEntries(Object.entries(answer).slice(names.indexOf('verification_scope')));
}

beforeAll(async () => {
  await seed({
    ...CITY,
    areas: [STREET, OLD, { ...STREET, id: 3, code: 'CLOSED', active: false }],
    subscriptions: [
      {
        id: 1,
        municipalityId: 1,
        subscriptionNumber: 'N1',
        typeId: 1,
        approval: 'approved',
        allAreas: true,
        revokedAt: LOOKED - HOUR_MS,
      },
    ],
    subscriptionPlates: [{ subscriptionId: 1, municipalityId: 1, plate: 'REVOKED' }],
    subscriptionPeriods: [{ subscriptionId: 1, startsAt: BEGAN, endsAt: JUDGED }],
  });
  credential = await issueCredential({ historicalDaysAllowed: null });
  await record(
    configurationRow(BEGAN, { areas: [STREET, OLD, { ...STREET, id: 3, code: 'CLOSED', active: false }] }),
    importRow(LOOKED - 20 * MINUTE_MS, 'succeeded'),
    importRow(LOOKED + MINUTE_MS, 'failed', LOOKED - 20 * MINUTE_MS),
    subscriptionRow(BEGAN, 'N1', 'REVOKED', { periods: [{ starts_at: BEGAN, ends_at: JUDGED }] }),
  );
});
afterEach(() => vi.useRealTimers());

describe('Evidence, as a clerk asks for it', () => {
  it('shows a session that came a minute after the officer', async () => {
    const then = await checked('LATE1', LOOKED);
    await storeSession(LOOKED + MINUTE_MS, {
      session_id: 'late',
      plate: 'LATE1',
      starts_at: LOOKED - 5 * MINUTE_MS,
      ends_at: LOOKED + HOUR_MS,
    });
    const answer = await search('LATE1');
    expect(answer).toMatchObject({
      as_known_then: { has_valid_entitlement: false, access_reason_code: 'NO_VALID_FACILITY_ENTITLEMENT' },
      as_known_now: { has_valid_entitlement: true, access_granted: true },
      differs: true,
      history_count: 1,
      history: [
        {
          recorded_at: '2026-03-07T08:40:00+01:00',
          known_then: false,
          kind: 'parking_session',
          source_code: 'app1',
          key: 'late',
          late_by_seconds: 360,
          record: {
            session_id: 'late',
            plate: 'LATE1',
            area_code: 'P1',
            starts_at: '2026-03-07T08:34:00+01:00',
          },
        },
      ],
      checks_count: 1,
      checks: [
        {
          at: '2026-03-07T08:39:00+01:00',
          operation: 'plate_check',
          credential_id: credential.credentialId,
          outcome: 'NO_VALID_FACILITY_ENTITLEMENT',
        },
      ],
    });
    expect(answer.as_known_then).toEqual(then);
    expect(answer.as_known_now).toEqual(await checked('LATE1', JUDGED, { checked_at: iso(LOOKED) }));
  });

  it('shows a session that was extended', async () => {
    await storeSession(LOOKED - 2 * HOUR_MS, { session_id: 'ext', plate: 'EXT1', ...hours(-2, -1) });
    const then = await checked('EXT1', LOOKED);
    await storeSession(LOOKED + HOUR_MS, { session_id: 'ext', plate: 'EXT1', ...hours(-2, 1) });
    const answer = await search('EXT1');
    expect(answer).toMatchObject({
      as_known_then: { access_reason_code: 'SESSION_EXPIRED' },
      as_known_now: { access_granted: true },
      history_count: 2,
      history: [
        { known_then: true, late_by_seconds: 0 },
        { known_then: false, late_by_seconds: 3 * 3600 },
      ],
    });
    expect(answer.as_known_then).toEqual(then);
  });

  it('shows a plate that was corrected by a digit, on both plates', async () => {
    await storeSession(LOOKED - HOUR_MS, { session_id: 'typo', plate: 'TYPO8', ...hours(-1, 1) });
    await storeSession(LOOKED + 3 * DAY_MS, { session_id: 'typo', plate: 'TYPOB', ...hours(-1, 1) });
    expect(await search('TYPOB')).toMatchObject({
      as_known_then: { access_granted: false },
      as_known_now: { access_granted: true },
      history: [{ record: { plate: 'TYPOB' }, known_then: false }],
    });
    const left = await search('TYPO8');
    expect(left).toMatchObject({
      as_known_then: { access_granted: true },
      as_known_now: { access_granted: false },
      history_count: 2,
      history: [
        { record: { plate: 'TYPO8' }, known_then: true },
        { record: { session_id: 'typo', plate: null }, known_then: false, late_by_seconds: null },
      ],
    });
    expect(JSON.stringify(left)).not.toContain('TYPOB');
  });

  it('shows a subscription that was revoked afterwards, for the time before', async () => {
    await record(
      subscriptionRow(LOOKED + DAY_MS, 'N1', 'REVOKED', {
        revoked_at: LOOKED - HOUR_MS,
        periods: [{ starts_at: BEGAN, ends_at: JUDGED }],
      }),
    );
    expect(await search('REVOKED')).toMatchObject({
      as_known_then: { has_valid_subscription: true, subscriptions: [{ reason_code: 'VALID_SUBSCRIPTION' }] },
      as_known_now: {
        has_valid_subscription: false,
        subscriptions: [{ reason_code: 'SUBSCRIPTION_REVOKED' }],
      },
      differs: true,
      history_count: 2,
      history: [
        {
          kind: 'subscription',
          source_code: null,
          key: 'N1',
          late_by_seconds: null,
          record: { plates: [{ plate: 'REVOKED' }] },
        },
        { record: { revoked_at: iso(LOOKED - HOUR_MS).replace('06:39:00.000Z', '07:39:00+01:00') } },
      ],
    });
  });

  it('judges by the tolerance of then, and names the area as it was called then', async () => {
    const { name, entryGraceMinutes } = FACILITY;
    await env.DB.prepare('update areas set name = ?1, entry_grace_minutes = ?2 where id = 2')
      .bind(name, entryGraceMinutes)
      .run();
    await record(configurationRow(LOOKED + MINUTE_MS));
    await storeSession(LOOKED - HOUR_MS, { session_id: 'early', plate: 'EARLY1', ...hours(0.5, 1) });
    const answer = await search('EARLY1', { event: 'entry' });
    expect(answer).toMatchObject({
      area: { code: 'P1', name: 'Parcheggio Centro' },
      as_known_then: {
        access_granted: true,
        access_control: { entry_grace_minutes: 60 },
        sessions: [{ area: { name: 'Vecchio' } }],
      },
      as_known_now: {
        access_granted: false,
        access_reason_code: 'SESSION_NOT_STARTED',
        sessions: [{ area: { name: 'Parcheggio Centro' } }],
      },
      differs: true,
    });
  });
});

describe('The answer', () => {
  it('has every field, in the order of the interface', async () => {
    const answer = await search('NOBODY');
    expect(Object.keys(answer)).toEqual([
      ...['success', 'ok', 'request_id', 'api_version', 'plate', 'timezone', 'municipality', 'area', 'event'],
      ...['at', 'known_at', 'known_since', 'checks_since', 'generated_at', 'as_known_then', 'as_known_now'],
      ...['differs', 'history_count', 'history', 'sources', 'checks_count', 'checks'],
    ]);
    expect(answer).toMatchObject({
      api_version: '1.0',
      at: '2026-03-07T08:39:00+01:00',
      known_at: '2026-03-07T08:39:00+01:00',
      generated_at: '2026-03-21T08:39:00+01:00',
      differs: false,
      history: [],
      checks: [],
    });
  });

  it('judges the sources as they were at known_at', async () => {
    const status = async (knownAt: number) =>
      ((await search('A', { known_at: iso(knownAt) })).sources as Body[])[0];
    const success = '2026-03-07T08:19:00+01:00';
    expect(await status(LOOKED - HOUR_MS)).toEqual({
      code: 'app1',
      name: 'App One',
      status: 'never',
      last_successful_at: null,
    });
    expect(await status(LOOKED - 10 * MINUTE_MS)).toMatchObject({
      status: 'fresh',
      last_successful_at: success,
    });
    expect(await status(LOOKED)).toMatchObject({ status: 'stale', last_successful_at: success });
    expect(await status(LOOKED + HOUR_MS)).toMatchObject({ status: 'error', last_successful_at: success });
  });

  it('knows the areas of a very large municipality that have no room in its row', async () => {
    const whole = recordedConfiguration();
    const [street, ...others] = whole.areas;
    const row = configurationRow(LOOKED + 2 * MINUTE_MS);
    await record(
      { ...row, record: JSON.stringify({ ...whole, areas: [street], further_rows: 1 }) },
      { ...row, key: 'areas 1', record: JSON.stringify({ areas: others }) },
      configurationRow(LOOKED + 3 * MINUTE_MS),
    );
    const answer = await search('A', { known_at: iso(LOOKED + 2 * MINUTE_MS), event: 'entry' });
    expect(answer.as_known_then).toMatchObject({ access_control: { area_code: 'P1' } });
  });

  it('says which error a check would have got', async () => {
    const answers = async (body: Body) => ask({ plate: 'A', at: iso(LOOKED), ...body });
    expect(await answers({ area_code: 'CLOSED' })).toMatchObject({
      as_known_then: { refused: 'AREA_NOT_FOUND' },
      as_known_now: { refused: 'AREA_NOT_FOUND' },
      differs: false,
    });
    expect(await answers({ area_code: 'S1', event: 'entry' })).toMatchObject({
      as_known_then: { refused: 'FACILITY_REQUIRED' },
    });
    await env.DB.prepare('update municipalities set plate_check_enabled = 0').run();
    expect(await answers({ area_code: 'S1' })).toMatchObject({
      as_known_then: { verification_scope: 'area' },
      as_known_now: { refused: 'SERVICE_DISABLED' },
      differs: true,
    });
    await env.DB.prepare('update municipalities set plate_check_enabled = 1').run();
  });

  it('lists the checks of the 24 hours around, refused ones too, and no other plate’s', async () => {
    const check = (plate: string, now: number, path = CHECK, body: Body = {}) =>
      at(now, () =>
        new Service().settle(path, { method: 'POST', body: { plate, ...body }, headers: credential.headers }),
      );
    await check('SEEN', LOOKED - DAY_MS - 1);
    await check('SEEN', LOOKED - DAY_MS);
    await check('SEEN', LOOKED, '/api/v1/parking/check-plate');
    await check('SEEN', LOOKED + 1, CHECK, { area_code: 'NONE' });
    await check('OTHER', LOOKED);
    await check('SEEN', LOOKED + DAY_MS);
    const answer = await search('seen', { area_code: 'S1' });
    expect((answer.checks as Body[]).map(({ operation, outcome }) => [operation, outcome])).toEqual([
      ['plate_check', 'OK'],
      ['plate_check_v1', 'OK'],
      ['plate_check', 'AREA_NOT_FOUND'],
    ]);
    expect(answer.checks_count).toBe(3);
    const renewed = new Service({ DIGEST_KEY: `a-new-key-in-front-of-the-one-before,${env.DIGEST_KEY}` });
    const { body } = await at(JUDGED, () =>
      renewed.post(EVIDENCE, { plate: 'SEEN', at: iso(LOOKED) }, credential.headers),
    );
    expect(body.checks_count).toBe(3);
  });
});

describe('A search for evidence is refused', () => {
  const refused = async (body: Body, now = JUDGED) =>
    await at(now, () => service.post(EVIDENCE, { plate: 'A', at: iso(LOOKED), ...body }, credential.headers));

  it.each([
    [422, 'INVALID_REQUEST', { at: '' }],
    [422, 'INVALID_REQUEST', { unknown: 1 }],
    [422, 'INVALID_PLATE', { plate: '-' }],
    [422, 'CHECKED_AT_IN_FUTURE', { at: iso(JUDGED + 5_001) }],
    [422, 'CHECKED_AT_OUT_OF_RANGE', { at: iso(JUDGED - 399 * DAY_MS - 1) }],
    [422, 'AREA_CODE_REQUIRED', { event: 'entry' }],
    [403, 'MUNICIPALITY_NOT_ALLOWED', { municipality_code: 'L219', known_at: iso(JUDGED + DAY_MS) }],
    [422, 'KNOWN_AT_OUT_OF_RANGE', { known_at: iso(JUDGED + 5_001), area_code: 'NONE' }],
    [422, 'KNOWN_AT_OUT_OF_RANGE', { known_at: iso(BEGAN - 1) }],
    [422, 'KNOWN_AT_OUT_OF_RANGE', { at: iso(BEGAN - 1) }],
    [404, 'AREA_NOT_FOUND', { area_code: 'NONE' }],
    [422, 'FACILITY_REQUIRED', { area_code: 'NONE', event: 'exit' }],
  ])('with %i %s for %j', async (status, code, body) => {
    expect(await refused(body)).toMatchObject({ status, body: { error: { code } } });
  });

  it('not for a clock that is 5 s ahead: that is now', async () => {
    const { body } = await refused({ at: iso(JUDGED + 5_000), known_at: iso(JUDGED + 5_000) });
    expect(body).toMatchObject({ at: '2026-03-21T08:39:00+01:00', known_at: '2026-03-21T08:39:00+01:00' });
  });

  it('not for a known_at at the very start of the records, nor before at', async () => {
    expect((await refused({ known_at: iso(BEGAN) })).status).toBe(200);
  });

  it('as our failure while DIGEST_KEY is not usable', async () => {
    const broken = new Service({ DIGEST_KEY: 'short' });
    const { status } = await at(JUDGED, () =>
      broken.post(EVIDENCE, { plate: 'A', at: iso(LOOKED) }, credential.headers),
    );
    expect(status).toBe(500);
  });

  it('and carries the plate’s digest itself, once the municipality was chosen', async () => {
    await at(JUDGED, () =>
      new Service().settle(EVIDENCE, {
        method: 'POST',
        body: { plate: 'MINE', at: iso(LOOKED), area_code: 'NONE' },
        headers: credential.headers,
      }),
    );
    const { results } = await env.DB.prepare(
      "select * from call_log where operation = 'evidence' and outcome = 'AREA_NOT_FOUND' and plate_digest is not null",
    ).all();
    expect(results.length).toBeGreaterThan(0);
  });
});
