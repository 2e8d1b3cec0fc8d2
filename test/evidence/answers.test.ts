import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { City } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { type CityOfSeed, configurationVersion, storeSession, storeSubscription } from '../support/past.ts';
import { APP_SOURCE, CITY, FACILITY, importEnded, STREET, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { at, BEGAN, type Body, CHECK, EVIDENCE, hours, iso, JUDGED, LOOKED } from './support.ts';

/** What is stored then came too late for the officer. */
const LATE = LOOKED + MINUTE_MS;
const PLATE = 'AB123CD';

const city = new City(
  { ...CITY, configurationVersions: [configurationVersion(BEGAN)] },
  { now: JUDGED, anew: true },
);

async function search(body: Body = {}): Promise<Body> {
  const question = { plate: PLATE, at: iso(LOOKED), area_code: 'P1', ...body };
  const { status, body: answer } = await city.post(EVIDENCE, question);
  expect(status, JSON.stringify(answer)).toBe(200);
  return answer;
}

/** Checks the plate while the clock says so, in an isolate of its own. */
async function check(now: number, body: Body = {}, path = CHECK): Promise<Body> {
  const { headers } = await issueCredential({ historicalDaysAllowed: null });
  const asked = { plate: PLATE, area_code: 'P1', ...body };
  const answer = await at(now, () => city.post(path, asked, headers, new Service()));
  return answer.body;
}

/** A configuration that was another one when the officer looked. */
const configuredThen = (then: CityOfSeed): Promise<void> =>
  seed({
    configurationVersions: [configurationVersion(LOOKED - HOUR_MS, then), configurationVersion(LATE)],
  });

const session = (from: number, until: number, changed: object = {}) => ({
  ...{ session_id: 's', plate: PLATE, area_code: 'P1' },
  ...{ ...hours(from, until), ...changed },
});
const inStreet = { area_code: 'S1' };
const title = (plates: readonly string[], changed: object = {}) => ({
  ...{ number: 'N1', plates, periods: [hours(-1, 1)], ...changed },
});

describe('Evidence', () => {
  it('has every field, in the order of the interface', async () => {
    const answer = await search();
    expect(Object.keys(answer)).toEqual([
      ...['success', 'ok', 'request_id', 'api_version', 'plate', 'timezone', 'municipality', 'area', 'event'],
      ...['at', 'known_at', 'known_since', 'checks_since', 'erased_at', 'generated_at', 'as_known_then'],
      ...['as_known_now', 'differs', 'history_count', 'history', 'sources', 'checks_count', 'checks'],
    ]);
    expect(answer).toMatchObject({
      ...{ api_version: '1.0', differs: false, history: [], checks: [] },
      ...{ at: '2026-03-07T08:39:00+01:00', known_at: '2026-03-07T08:39:00+01:00' },
      generated_at: '2026-03-21T08:39:00+01:00',
    });
  });

  it('shows a session that came a minute after the officer: each verdict is what a check has answered', async () => {
    const verdictOf = (answer: Body) => {
      const names = Object.keys(answer);
      return Object.fromEntries(Object.entries(answer).slice(names.indexOf('verification_scope')));
    };
    const then = await check(LOOKED);
    await storeSession(LATE, session(-0.25, 1));
    const answer = await search();
    expect(answer).toMatchObject({
      as_known_then: { has_valid_entitlement: false, access_reason_code: 'NO_VALID_FACILITY_ENTITLEMENT' },
      as_known_now: { has_valid_entitlement: true, access_granted: true },
      differs: true,
      history_count: 1,
      history: [
        {
          ...{ recorded_at: '2026-03-07T08:40:00+01:00', known_then: false, late_by_seconds: 960 },
          ...{ kind: 'parking_session', source_code: 'app1', key: 's' },
          record: { session_id: 's', plate: PLATE, area_code: 'P1', starts_at: '2026-03-07T08:24:00+01:00' },
        },
      ],
      checks_count: 1,
      checks: [
        {
          ...{ request_id: then.request_id, at: '2026-03-07T08:39:00+01:00', operation: 'plate_check' },
          ...{ credential_id: expect.any(String), outcome: 'NO_VALID_FACILITY_ENTITLEMENT' },
        },
      ],
    });
    expect(answer.as_known_then).toEqual(verdictOf(then));
    expect(answer.as_known_now).toEqual(verdictOf(await check(JUDGED, { checked_at: iso(LOOKED) })));
  });

  it('shows a plate that was corrected by a digit, on both plates', async () => {
    await storeSession(LOOKED - HOUR_MS, session(-1, 1, { plate: 'TYPO8' }));
    await storeSession(LOOKED + 3 * DAY_MS, session(-1, 1, { plate: 'TYPOB' }));
    expect(await search({ plate: 'TYPOB' })).toMatchObject({
      as_known_then: { access_granted: false },
      as_known_now: { access_granted: true },
      history: [{ record: { plate: 'TYPOB' }, known_then: false, late_by_seconds: null, replaced_at: null }],
    });
    const left = await search({ plate: 'TYPO8' });
    expect(left).toMatchObject({
      as_known_then: { access_granted: true },
      as_known_now: { access_granted: false },
      history_count: 1,
      history: [{ record: { plate: 'TYPO8' }, known_then: true, replaced_at: '2026-03-10T08:39:00+01:00' }],
    });
    expect(JSON.stringify(left)).not.toContain('TYPOB');
  });

  it('shows a subscription that was revoked afterwards, for the time before', async () => {
    await storeSubscription(BEGAN, title([PLATE]));
    await storeSubscription(LOOKED + DAY_MS, title([PLATE], { revokedAt: LOOKED - HOUR_MS }));
    const version = { kind: 'subscription', source_code: null, key: 'N1', late_by_seconds: null };
    expect(await search()).toMatchObject({
      as_known_then: { has_valid_subscription: true, subscriptions: [{ reason_code: 'VALID_SUBSCRIPTION' }] },
      as_known_now: {
        has_valid_subscription: false,
        subscriptions: [{ reason_code: 'SUBSCRIPTION_REVOKED' }],
      },
      differs: true,
      history: [
        { ...version, record: { plates: [{ plate: PLATE }], revoked_at: null } },
        { ...version, record: { revoked_at: '2026-03-07T07:39:00+01:00' } },
      ],
    });
  });

  it('judges by the tolerance of then, and names the area as it was called then', async () => {
    await configuredThen({ areas: [STREET, { ...FACILITY, name: 'Vecchio', entryGraceMinutes: 60 }] });
    await storeSession(LOOKED - HOUR_MS, session(0.5, 1));
    expect(await search({ event: 'entry' })).toMatchObject({
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

  it('has the sources that were configured at known_at, as fresh as they were', async () => {
    const source = (code: string, changed: object = {}) => ({ ...APP_SOURCE, code, ...changed });
    await configuredThen({
      sources: [source('app1'), source('meters', { isSystem: true }), source('off', { active: false })],
    });
    // The success 20 minutes before ended no silence: the failure alone names it.
    const last = LOOKED - 20 * MINUTE_MS;
    const failure = { outcome: 'failed' as const, succeededAt: last, succeededBefore: last, isKept: true };
    await seed({
      imports: [importEnded(LOOKED - 50 * MINUTE_MS, { isKept: true }), importEnded(LATE, failure)],
    });
    const sources = async (knownAt: number) =>
      ((await search({ known_at: iso(knownAt) })).sources as Body[]).map((one) => [one.code, one.status]);
    const others = [
      ['meters', 'native'],
      ['off', 'never'],
    ];
    expect(await sources(LOOKED - 51 * MINUTE_MS)).toEqual([['app1', 'never'], ...others]);
    expect(await sources(LOOKED - 10 * MINUTE_MS)).toEqual([['app1', 'fresh'], ...others]);
    expect(await sources(LOOKED)).toEqual([['app1', 'stale'], ...others]);
    expect((await search({ known_at: iso(LOOKED + HOUR_MS) })).sources).toEqual([
      {
        ...{ code: 'app1', name: 'App One', status: 'error' },
        last_successful_at: '2026-03-07T08:19:00+01:00',
      },
    ]);
  });

  it('lists the checks of the 24 hours around, refused ones too, and no other plate’s or municipality’s', async () => {
    await check(LOOKED - DAY_MS - 1);
    await check(LOOKED - DAY_MS);
    await check(LOOKED, {}, '/api/v1/parking/check-plate');
    await check(LOOKED + 1, { area_code: 'NONE' });
    await check(LOOKED, { plate: 'OTHER' });
    await check(LOOKED + DAY_MS);
    const elsewhere = await check(LOOKED);
    await env.DB.prepare(`update calls set municipality_code = 'F205' where id = unhex(?, '-')`)
      .bind(elsewhere.request_id)
      .run();
    const answer = await search({ plate: 'ab-123 cd', ...inStreet });
    expect((answer.checks as Body[]).map(({ operation, outcome }) => [operation, outcome])).toEqual([
      ['plate_check', 'NO_VALID_FACILITY_ENTITLEMENT'],
      ['plate_check_v1', 'OK'],
      ['plate_check', 'AREA_NOT_FOUND'],
    ]);
    expect(answer.checks_count).toBe(3);
    const renewed = new Service({ DIGEST_KEY: `a-new-key-in-front-of-the-one-before,${env.DIGEST_KEY}` });
    const { body } = await city.post(EVIDENCE, { plate: PLATE, at: iso(LOOKED) }, {}, renewed);
    expect(body.checks_count).toBe(3);
  });
});

describe('The two verdicts differ', () => {
  it.each<[string, () => Promise<void>, Body]>([
    ['has_valid_entitlement', () => storeSession(LATE, session(-1, 1, inStreet)), inStreet],
    [
      'has_valid_parking',
      async () => {
        await storeSession(LATE, session(-1, 1, inStreet));
        await storeSubscription(BEGAN, title([PLATE]));
      },
      inStreet,
    ],
    [
      'has_valid_subscription',
      async () => {
        await storeSession(BEGAN, session(-1, 1, inStreet));
        await storeSubscription(BEGAN, title([PLATE]));
        await storeSubscription(LATE, title([]));
      },
      inStreet,
    ],
    ['access_reason_code', () => storeSession(LATE, session(-2, -1)), {}],
    ['access_granted', () => configuredThen({ areas: [STREET, { ...STREET, id: 2, code: 'P1' }] }), {}],
  ])('where %s is another', async (field, happens, body) => {
    await happens();
    const { as_known_then, as_known_now, differs } = await search(body);
    expect((as_known_then as Body)[field]).not.toBe((as_known_now as Body)[field]);
    expect(differs).toBe(true);
  });

  it('not where more is listed and nothing of that is valid, or where a name is another', async () => {
    await configuredThen({ areas: [{ ...STREET, name: 'Vecchia' }, FACILITY] });
    await storeSession(BEGAN, session(-1, 1, inStreet));
    await storeSession(LATE, session(-2, -1, { ...inStreet, session_id: 'more' }));
    expect(await search(inStreet)).toMatchObject({
      as_known_then: { sessions_count: 1, sessions: [{ area: { name: 'Vecchia' } }] },
      as_known_now: { sessions_count: 2, sessions: [{ area: { name: STREET.name } }, {}] },
      differs: false,
    });
  });

  it.each<[string, CityOfSeed, Body]>([
    ['SERVICE_DISABLED', { municipality: { plateCheckEnabled: false }, areas: [STREET] }, {}],
    ['MUNICIPALITY_NOT_ALLOWED', { municipality: { active: false, plateCheckEnabled: false } }, {}],
    ['AREA_NOT_FOUND', { areas: [STREET, { ...FACILITY, active: false }] }, {}],
    ['AREA_NOT_FOUND', { areas: [STREET] }, {}],
    ['FACILITY_REQUIRED', { areas: [STREET, { ...FACILITY, active: false }] }, { event: 'entry' }],
    ['FACILITY_REQUIRED', { areas: [STREET] }, { event: 'exit' }],
  ])('where a check would have been refused then, with %s, in %j', async (refused, then, body) => {
    await configuredThen(then);
    expect(await search(body)).toMatchObject({
      as_known_then: { refused },
      as_known_now: { verification_scope: 'area' },
      differs: true,
    });
  });

  it('where a check would be refused with another code today', async () => {
    await configuredThen({ municipality: { plateCheckEnabled: false } });
    expect(await search({ ...inStreet, event: 'entry' })).toMatchObject({
      as_known_then: { refused: 'SERVICE_DISABLED' },
      as_known_now: { refused: 'FACILITY_REQUIRED' },
      differs: true,
    });
  });
});
