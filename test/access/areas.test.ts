import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ENTITLED_CITY } from '../suites/entitled-city.ts';
import { PLATE } from '../suites/right-answers.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { FACILITY, STREET, SUBSCRIPTION, seed } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';

const service = new Service();
const SCOPES = ['plate_check', 'entitlement_list', 'patrol'];
const NOW = Date.now();
const at = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString();

let gate: TestCredential;
let street: TestCredential;
let free: TestCredential;

beforeAll(async () => {
  await seed(ENTITLED_CITY);
  await seed({
    areas: [
      { ...FACILITY, id: 3, code: 'OLD', active: false },
      { ...STREET, id: 4, code: 'S2' },
    ],
  });
  gate = await issueCredential({ scopes: SCOPES, areas: ['P1', 'OLD', 'GONE'] });
  street = await issueCredential({ scopes: SCOPES, areas: ['S1'] });
  free = await issueCredential({ scopes: SCOPES });
});

const setService = (on: boolean) =>
  env.DB.prepare('update municipalities set plate_check_enabled = ? where id = 1').bind(Number(on)).run();
beforeEach(() => setService(true));

const outcome = ({ status, body }: Answer): string =>
  status === 200 ? 'OK' : `${status} ${(body.error as { code: string }).code}`;

describe.each([
  ['2.0', '/api/v2/parking-entitlements/search'],
  ['2.0 by its alias', '/api/v2/parking/check-plate'],
  ['V1', '/api/v1/parking/check-plate'],
])('A plate check %s by a credential that is bound to areas', (version, path) => {
  const check = async (credential: TestCredential, body: object, to = service) =>
    outcome(await to.post(path, { plate: PLATE, ...body }, credential.headers));

  // The first fault of each row decides; the next rows take it away.
  it.each([
    ['an invalid plate', { plate: '!' }, '422 INVALID_PLATE'],
    ['a time in the future', { checked_at: at(5) }, '422 CHECKED_AT_IN_FUTURE'],
    ['a time too far back', { checked_at: at(-3 * 1_440) }, '422 CHECKED_AT_OUT_OF_RANGE'],
    ['no area', {}, '422 AREA_CODE_REQUIRED'],
    ['no area, and blanks', { area_code: '  ' }, '422 AREA_CODE_REQUIRED'],
    [
      'a city that is not its own',
      { area_code: 'S1', municipality_code: 'X' },
      '403 MUNICIPALITY_NOT_ALLOWED',
    ],
    ['another area', { area_code: 'S1' }, '403 AREA_FORBIDDEN'],
    ['its area in another case', { area_code: 'p1' }, '403 AREA_FORBIDDEN'],
    ['its own inactive area', { area_code: 'OLD' }, '404 AREA_NOT_FOUND'],
    ['its own area that is not there any more', { area_code: 'GONE' }, '404 AREA_NOT_FOUND'],
    ['its own area', { area_code: 'P1' }, 'OK'],
  ])('with %s', async (_, body, expected) => {
    expect(await check(gate, body)).toBe(expected);
  });

  it('is refused for the service before the area', async () => {
    await setService(false);
    expect(await check(gate, { area_code: 'S1' })).toBe('403 SERVICE_DISABLED');
  });

  it('costs one where the area is another', async () => {
    const limited = await issueCredential({ scopes: SCOPES, areas: ['P1'], rateLimit: 2 });
    const outcomes = [];
    for (let calls = 0; calls < 3; calls += 1) outcomes.push(await check(limited, { area_code: 'S1' }));
    expect(outcomes).toEqual(['403 AREA_FORBIDDEN', '403 AREA_FORBIDDEN', '429 RATE_LIMIT_EXCEEDED']);
  });

  it('is as it was for one that is bound to none', async () => {
    expect(await check(free, {})).toBe('OK');
    expect(await check(free, { area_code: 'S1' })).toBe('OK');
    expect(await check(free, { area_code: 'NONE' })).toBe('404 AREA_NOT_FOUND');
  });

  if (version !== 'V1') {
    it.each(['entry', 'exit'])('for %s too', async (event) => {
      expect(await check(gate, { event })).toBe('422 AREA_CODE_REQUIRED');
      expect(await check(gate, { event, area_code: 'S1' })).toBe('403 AREA_FORBIDDEN');
      expect(await check(street, { event, area_code: 'S1' })).toBe('422 FACILITY_REQUIRED');
      expect(await check(gate, { event, area_code: 'OLD' })).toBe('422 FACILITY_REQUIRED');
      expect(await check(gate, { event, area_code: 'P1' })).toBe('OK');
    });
  }
});

describe('The entitlement list of a credential that is bound to areas', () => {
  const list = async ({ headers }: TestCredential, area: string, query = '') =>
    outcome(await service.call(`/api/v2/facilities/${area}/entitlement-list${query}`, { headers }));

  it.each([
    ['P1', '', 'OK'],
    ['OLD', '', '404 AREA_NOT_FOUND'],
    ['GONE', '', '404 AREA_NOT_FOUND'],
    ['S1', '', '403 AREA_FORBIDDEN'],
    ['NONE', '?cursor=made-up', '403 AREA_FORBIDDEN'],
    ['NONE', '?municipality_code=X', '403 MUNICIPALITY_NOT_ALLOWED'],
    ['NONE', '?limit=0', '422 INVALID_REQUEST'],
  ])('of %s%s is %s', async (area, query, expected) => {
    expect(await list(gate, area, query)).toBe(expected);
  });

  it('is refused for the service before the area', async () => {
    await setService(false);
    expect(await list(gate, 'S1')).toBe('403 SERVICE_DISABLED');
  });
});

describe('A patrol by a credential that is bound to areas', () => {
  const patrol = async (credential: TestCredential, checks: readonly object[]) => {
    const { status, body } = await service.post(
      '/api/v2/patrol/checks',
      { checks: checks.map((check, index) => ({ id: String(index), plate: PLATE, ...check })) },
      credential.headers,
    );
    expect(status).toBe(200);
    return body.results as {
      finding?: string;
      refused?: { code: string };
      doubts?: { code: string; area?: { code: string } }[];
    }[];
  };

  it('refuses the items of other areas alone, after the faults of their fields', async () => {
    const results = await patrol(gate, [
      { area_code: 'S1', plate: '!' },
      { area_code: 'S1', seen_at: at(5) },
      { area_code: 'S1', seen_at: at(-3 * 1_440) },
      { area_code: 'S1' },
      { area_code: 'NONE' },
      { area_code: 'GONE' },
      { area_code: 'P1' },
    ]);
    expect(results.map(({ refused, finding }) => refused?.code ?? finding)).toEqual([
      ...['INVALID_PLATE', 'CHECKED_AT_IN_FUTURE', 'CHECKED_AT_OUT_OF_RANGE', 'AREA_FORBIDDEN'],
      ...['AREA_FORBIDDEN', 'AREA_NOT_FOUND', 'entitled'],
    ]);
  });

  it('hears of a right in another area only where that is its own', async () => {
    const areasIn = async (credential: TestCredential) => {
      const [result] = await patrol(credential, [{ plate: 'STREET', area_code: 'P1' }]);
      return (result?.doubts ?? [])
        .filter(({ code }) => code === 'VALID_IN_OTHER_AREA')
        .map(({ area }) => area?.code);
    };
    expect(await areasIn(free)).toEqual(['S1']);
    expect(await areasIn(gate)).toEqual([]);
    expect(await areasIn(await issueCredential({ scopes: SCOPES, areas: ['P1', 'S1'] }))).toEqual(['S1']);
  });

  it('hears of its own area, however many others a subscription has', async () => {
    const others = Array.from({ length: 6 }, (_, index) => ({
      ...STREET,
      id: 10 + index,
      code: `A${index}`,
    }));
    await seed({
      areas: others,
      subscriptions: [
        {
          ...SUBSCRIPTION,
          id: 50,
          subscriptionNumber: 'WIDE',
          areas: [...others.map(({ code }) => code), 'S2'],
        },
      ],
      subscriptionPlates: [{ subscriptionId: 50, municipalityId: 1, plate: 'WIDE' }],
      subscriptionPeriods: [{ subscriptionId: 50, startsAt: NOW - 3_600_000, endsAt: NOW + 3_600_000 }],
    });
    const own = await issueCredential({ scopes: SCOPES, areas: ['P1', 'S2'] });
    const [result] = await patrol(own, [{ plate: 'WIDE', area_code: 'P1' }]);
    expect(result?.doubts).toContainEqual(
      expect.objectContaining({ code: 'VALID_IN_OTHER_AREA', area: expect.objectContaining({ code: 'S2' }) }),
    );
  });
});
