import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { ENTITLED_CITY } from '../suites/entitled-city.ts';
import { PLATE } from '../suites/right-answers.ts';
import { City, outcomeOf } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { FACILITY } from '../support/seed.ts';

const city = new City({
  ...ENTITLED_CITY,
  areas: [...ENTITLED_CITY.areas, { ...FACILITY, id: 3, code: 'OLD', active: false }],
});
const SCOPES = ['plate_check', 'entitlement_list', 'patrol'];
const at = (minutes: number): string => new Date(Date.now() + minutes * MINUTE_MS).toISOString();

/** Headers of a credential that is bound to these areas, of which one has gone since. */
const boundTo = async (...areas: readonly string[]) =>
  (await issueCredential({ scopes: SCOPES, areas })).headers;
const gate = () => boundTo('P1', 'OLD', 'GONE');

const setService = (on: boolean) =>
  env.DB.prepare('update municipalities set plate_check_enabled = ? where id = 1').bind(Number(on)).run();
beforeEach(() => setService(true));

describe.each([
  ['2.0', '/api/v2/parking-entitlements/search'],
  ['2.0 by its alias', '/api/v2/parking/check-plate'],
  ['V1', '/api/v1/parking/check-plate'],
])('A plate check %s by a credential that is bound to areas', (version, path) => {
  const check = async (headers: Record<string, string>, body: object) =>
    outcomeOf(await city.post(path, { plate: PLATE, ...body }, headers));

  // The first fault of each row decides; the next rows take it away.
  it.each([
    ['an invalid plate', { plate: '!' }, [422, 'INVALID_PLATE']],
    ['a time in the future', { checked_at: at(5) }, [422, 'CHECKED_AT_IN_FUTURE']],
    ['a time too far back', { checked_at: at(-3 * 1_440) }, [422, 'CHECKED_AT_OUT_OF_RANGE']],
    ['no area', { area_code: '  ' }, [422, 'AREA_CODE_REQUIRED']],
    [
      'a city that is not its own',
      { area_code: 'S1', municipality_code: 'X' },
      [403, 'MUNICIPALITY_NOT_ALLOWED'],
    ],
    ['another area', { area_code: 'S1' }, [403, 'AREA_FORBIDDEN']],
    ['its area in another case', { area_code: 'p1' }, [403, 'AREA_FORBIDDEN']],
    ['its own inactive area', { area_code: 'OLD' }, [404, 'AREA_NOT_FOUND']],
    ['its own area that is not there any more', { area_code: 'GONE' }, [404, 'AREA_NOT_FOUND']],
    ['its own area', { area_code: 'P1' }, [200, undefined]],
  ])('with %s', async (_, body, expected) => {
    expect(await check(await gate(), body)).toEqual(expected);
  });

  it('is refused for the service before the area', async () => {
    await setService(false);
    expect(await check(await gate(), { area_code: 'S1' })).toEqual([403, 'SERVICE_DISABLED']);
  });

  if (version !== 'V1') {
    it.each(['entry', 'exit'])('for %s too', async (event) => {
      const atGate = await gate();
      expect(await check(atGate, { event })).toEqual([422, 'AREA_CODE_REQUIRED']);
      expect(await check(atGate, { event, area_code: 'S1' })).toEqual([403, 'AREA_FORBIDDEN']);
      expect(await check(await boundTo('S1'), { event, area_code: 'S1' })).toEqual([
        422,
        'FACILITY_REQUIRED',
      ]);
      expect(await check(atGate, { event, area_code: 'OLD' })).toEqual([422, 'FACILITY_REQUIRED']);
    });
  }
});

describe('The entitlement list of a credential that is bound to areas', () => {
  const list = async (area: string, query = '') =>
    outcomeOf(
      await city.service.call(`/api/v2/facilities/${area}/entitlement-list${query}`, {
        headers: await gate(),
      }),
    );

  it.each([
    ['P1', '', [200, undefined]],
    ['OLD', '', [404, 'AREA_NOT_FOUND']],
    ['S1', '', [403, 'AREA_FORBIDDEN']],
    ['NONE', '?cursor=made-up', [403, 'AREA_FORBIDDEN']],
    ['NONE', '?municipality_code=X', [403, 'MUNICIPALITY_NOT_ALLOWED']],
    ['NONE', '?limit=0', [422, 'INVALID_REQUEST']],
  ])('of %s%s is %j', async (area, query, expected) => {
    expect(await list(area, query)).toEqual(expected);
  });

  it('is refused for the service before the area', async () => {
    await setService(false);
    expect(await list('S1')).toEqual([403, 'SERVICE_DISABLED']);
  });
});

describe('A patrol by a credential that is bound to areas', () => {
  const patrol = async (headers: Record<string, string>, ...checks: readonly object[]) => {
    const numbered = checks.map((check, index) => ({ id: String(index), plate: PLATE, ...check }));
    const { status, body } = await city.post('/api/v2/patrol/checks', { checks: numbered }, headers);
    expect(status).toBe(200);
    return body.results as {
      finding?: string;
      refused?: { code: string };
      doubts?: { code: string; area?: { code: string } }[];
    }[];
  };

  it('refuses the items of other areas alone, after the faults of their fields', async () => {
    const results = await patrol(
      await gate(),
      { area_code: 'S1', plate: '!' },
      { area_code: 'S1', seen_at: at(5) },
      { area_code: 'S1', seen_at: at(-3 * 1_440) },
      ...['S1', 'NONE', 'GONE', 'P1'].map((area_code) => ({ area_code })),
    );
    expect(results.map(({ refused, finding }) => refused?.code ?? finding)).toEqual([
      ...['INVALID_PLATE', 'CHECKED_AT_IN_FUTURE', 'CHECKED_AT_OUT_OF_RANGE', 'AREA_FORBIDDEN'],
      ...['AREA_FORBIDDEN', 'AREA_NOT_FOUND', 'entitled'],
    ]);
  });

  it('hears of a right in another area only where that is its own', async () => {
    const areasIn = async (headers: Record<string, string>) => {
      const [result] = await patrol(headers, { plate: 'STREET', area_code: 'P1' });
      return result?.doubts?.flatMap(({ code, area }) =>
        code === 'VALID_IN_OTHER_AREA' ? [area?.code] : [],
      );
    };
    expect(await areasIn(city.headers)).toEqual(['S1']);
    expect(await areasIn(await gate())).toEqual([]);
    expect(await areasIn(await boundTo('P1', 'S1'))).toEqual(['S1']);
  });
});
