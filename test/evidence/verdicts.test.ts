import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import {
  type CityOfSeed,
  configurationVersion,
  storeConfiguration,
  storeImport,
  storeSession,
  storeSubscription,
} from '../support/past.ts';
import { APP_SOURCE, CITY, FACILITY, RESIDENTS, STREET, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { BEGAN, type Body, EVIDENCE, hours, iso, JUDGED, LOOKED } from './support.ts';

/** What is stored then came too late for the officer. */
const LATE = LOOKED + MINUTE_MS;
const PLATE = 'AB123CD';

const service = new Service();
let credential: TestCredential;
const session = (session_id: string, from: number, until: number, area_code = 'P1') => ({
  ...{ session_id, plate: PLATE, area_code },
  ...hours(from, until),
});

/** A configuration that was another one when the officer looked. */
async function configuredThen(city: CityOfSeed): Promise<void> {
  await storeConfiguration(configurationVersion(LOOKED - HOUR_MS, city), configurationVersion(LATE));
}

async function search(body: Body = {}): Promise<Body> {
  vi.useFakeTimers({ toFake: ['Date'], now: JUDGED });
  const question = { plate: PLATE, at: iso(LOOKED), area_code: 'P1', ...body };
  const { status, body: answer } = await service.post(EVIDENCE, question, credential.headers);
  expect(status).toBe(200);
  return answer;
}

beforeAll(async () => {
  await seed({ ...CITY, subscriptionTypes: [RESIDENTS] });
  credential = await issueCredential({ historicalDaysAllowed: null });
});
beforeEach(async () => {
  const tables = [
    ...['configuration_versions', 'imports', 'past_parking_sessions', 'parking_sessions', 'calls'],
    ...['past_subscription_plates', 'subscription_plates', 'past_subscriptions', 'subscriptions'],
  ];
  await env.DB.batch(tables.map((table) => env.DB.prepare(`delete from ${table}`)));
  await storeConfiguration(configurationVersion(BEGAN));
});
afterEach(() => vi.useRealTimers());

/** A subscription that the officer could see. */
const held = () => storeSubscription(BEGAN, { number: 'N1', plates: [PLATE], periods: [hours(-1, 1)] });

/** The same, which the plate has left since. */
async function heldThen(): Promise<void> {
  await held();
  await storeSubscription(LATE, { number: 'N1', plates: [], periods: [hours(-1, 1)] });
}

describe('The two verdicts differ', () => {
  it.each<[string, () => Promise<void>, Body]>([
    ['has_valid_entitlement', () => storeSession(LATE, session('s', -1, 1, 'S1')), { area_code: 'S1' }],
    [
      'has_valid_parking',
      async () => {
        await storeSession(LATE, session('s', -1, 1, 'S1'));
        await held();
      },
      { area_code: 'S1' },
    ],
    [
      'has_valid_subscription',
      async () => {
        await storeSession(BEGAN, session('s', -1, 1, 'S1'));
        await heldThen();
      },
      { area_code: 'S1' },
    ],
    [
      'access_granted',
      async () => {
        await configuredThen({ areas: [STREET, { ...FACILITY, entryGraceMinutes: 60 }] });
        await storeSession(BEGAN, session('s', 0.5, 1));
      },
      {},
    ],
    ['access_reason_code', () => storeSession(LATE, session('s', -2, -1)), {}],
  ])('where %s is another', async (field, happens, body) => {
    await happens();
    const { as_known_then, as_known_now, differs } = await search(body);
    expect((as_known_then as Body)[field]).not.toBe((as_known_now as Body)[field]);
    expect(differs).toBe(true);
  });

  it('where the area was a street then, and is a facility now', async () => {
    await configuredThen({ areas: [STREET, { ...STREET, id: 2, code: 'P1' }] });
    const { as_known_then, differs } = await search();
    expect(as_known_then).not.toHaveProperty('access_granted');
    expect(differs).toBe(true);
  });

  it('not where more is listed, and nothing of that is valid', async () => {
    await storeSession(LATE, session('s', -2, -1, 'S1'));
    expect(await search({ area_code: 'S1' })).toMatchObject({
      as_known_then: { sessions_count: 0 },
      as_known_now: { sessions_count: 1 },
      differs: false,
    });
  });

  it('not where a name is another', async () => {
    await configuredThen({ areas: [STREET, { ...FACILITY, name: 'Vecchio' }] });
    await storeSession(BEGAN, session('s', -1, 1));
    expect(await search()).toMatchObject({
      as_known_then: { sessions: [{ area: { name: 'Vecchio' } }] },
      as_known_now: { sessions: [{ area: { name: FACILITY.name } }] },
      differs: false,
    });
  });
});

describe('A check would have been refused then', () => {
  it.each<[string, CityOfSeed, Body]>([
    ['SERVICE_DISABLED', { municipality: { plateCheckEnabled: false } }, {}],
    ['SERVICE_DISABLED', { municipality: { plateCheckEnabled: false }, areas: [STREET] }, {}],
    ['MUNICIPALITY_NOT_ALLOWED', { municipality: { active: false, plateCheckEnabled: false } }, {}],
    ['AREA_NOT_FOUND', { areas: [STREET, { ...FACILITY, active: false }] }, {}],
    ['AREA_NOT_FOUND', { areas: [STREET] }, {}],
    ['FACILITY_REQUIRED', { areas: [STREET, { ...FACILITY, active: false }] }, { event: 'entry' }],
    ['FACILITY_REQUIRED', { areas: [STREET] }, { event: 'exit' }],
    ['FACILITY_REQUIRED', { areas: [STREET, { ...STREET, id: 2, code: 'P1' }] }, { event: 'entry' }],
  ])('with %s in %j', async (refused, city, body) => {
    await configuredThen(city);
    expect(await search(body)).toMatchObject({
      as_known_then: { refused },
      as_known_now: { verification_scope: 'area' },
      differs: true,
    });
  });

  it('and would be today, with another code', async () => {
    await configuredThen({ municipality: { plateCheckEnabled: false } });
    const answer = await search({ area_code: 'S1', event: 'entry' });
    expect(answer).toMatchObject({
      as_known_then: { refused: 'SERVICE_DISABLED' },
      as_known_now: { refused: 'FACILITY_REQUIRED' },
      differs: true,
    });
  });
});

it('The sources are those that were configured then, as fresh as they were', async () => {
  const source = (code: string, changed: object = {}) => ({ ...APP_SOURCE, code, name: code, ...changed });
  await configuredThen({
    sources: [source('app1'), source('meters', { isSystem: true }), source('off', { active: false })],
  });
  await storeImport(LOOKED - MINUTE_MS, 'succeeded');
  await storeImport(LATE, 'failed');
  const { sources } = await search();
  expect((sources as Body[]).map(({ code, status }) => [code, status])).toEqual([
    ['app1', 'fresh'],
    ['meters', 'native'],
    ['off', 'never'],
  ]);
});
