import { beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { City, outcomeOf } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { CITY, FACILITY, ROME, STREET } from '../support/seed.ts';
import type { Service } from '../support/service.ts';

const NOW = Date.UTC(2026, 2, 7, 11);
const city = new City(
  {
    ...CITY,
    municipalities: [
      ROME,
      { ...ROME, id: 2, code: 'OTHER' },
      { ...ROME, id: 3, code: 'OFF', plateCheckEnabled: false },
    ],
    areas: [
      STREET,
      FACILITY,
      { ...STREET, id: 3, code: 'CLOSED', active: false },
      { ...FACILITY, id: 4, code: 'CLOSED-P', active: false },
      { ...FACILITY, id: 5, code: 'ELSEWHERE', municipalityId: 2 },
    ],
  },
  { now: NOW },
);
let threeCities: Record<string, string>;

beforeAll(async () => {
  threeCities = (await issueCredential({}, [1, 2, 3])).headers;
});

const search = (body: unknown, headers = {}, to?: Service) =>
  city.post('/api/v2/parking-entitlements/search', body, headers, to);
const at = (ms: number) => new Date(ms).toISOString();

describe('The plate check refuses', () => {
  it.each(['', '[]', 'null', '{', '{"plate":"A"} x'])('the body %j with 400 INVALID_JSON', async (body) => {
    const answer = await search(body, { 'Content-Type': 'application/json' });
    expect(outcomeOf(answer)).toEqual([400, 'INVALID_JSON']);
  });

  it.each<[string, object, object[]]>([
    ['no plate', {}, [{ path: 'plate', message: 'is required' }]],
    ['a plate of null', { plate: null }, [{ path: 'plate', message: 'must be a text' }]],
    [
      'an instant without offset',
      { plate: 'A', checked_at: '2026-03-07T10:00:00' },
      [{ path: 'checked_at', message: expect.stringContaining('ISO 8601') }],
    ],
    [
      'an instant that is a number',
      { plate: 'A', checked_at: NOW },
      [{ path: 'checked_at', message: 'must be a text' }],
    ],
    [
      'another event',
      { plate: 'A', event: 'leave' },
      [{ path: 'event', message: 'must be one of: verify, entry, exit' }],
    ],
    [
      'all that is wrong at once',
      { plate: 1, area_code: 5, municipality_code: [], checked_at: 2 },
      ['plate', 'municipality_code', 'area_code', 'checked_at'].map((path) => ({ path })),
    ],
  ])('%s with 422 INVALID_REQUEST, naming the field', async (_, body, issues) => {
    const answer = await search(body);
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatchObject({ code: 'INVALID_REQUEST', details: { issues } });
  });

  /** Each case has what the next one refuses as well: the first of them wins. */
  const future = at(NOW + 5_001);
  const tooOld = at(NOW - DAY_MS - 5 * MINUTE_MS - 1);
  it.each<[string, number, object]>([
    ['INVALID_REQUEST', 422, { plate: '\u{fb01}', checked_at: 'x' }],
    ['INVALID_PLATE', 422, { plate: '\u{fb01}', checked_at: future }],
    ['CHECKED_AT_IN_FUTURE', 422, { plate: 'A', checked_at: future, event: 'entry' }],
    ['CHECKED_AT_OUT_OF_RANGE', 422, { plate: 'A', checked_at: tooOld, event: 'exit' }],
    ['AREA_CODE_REQUIRED', 422, { plate: 'A', event: 'entry' }],
    ['MUNICIPALITY_REQUIRED', 422, { plate: 'A', area_code: 'NONE' }],
    ['MUNICIPALITY_NOT_ALLOWED', 403, { plate: 'A', municipality_code: 'NONE', area_code: 'NONE' }],
    ['SERVICE_DISABLED', 403, { plate: 'A', municipality_code: 'OFF', area_code: 'NONE' }],
    ['AREA_NOT_FOUND', 404, { plate: 'A', municipality_code: 'H501', area_code: 'NONE' }],
    ['FACILITY_REQUIRED', 422, { plate: 'A', municipality_code: 'H501', area_code: 'NONE', event: 'exit' }],
  ])('with %s before what comes behind it', async (code, status, body) => {
    const answer = await search(body, threeCities);
    expect(outcomeOf(answer)).toEqual([status, code]);
  });

  it.each([
    ['verify', 'CLOSED', 404, 'AREA_NOT_FOUND'],
    ['verify', 'ELSEWHERE', 404, 'AREA_NOT_FOUND'],
    ['entry', 'S1', 422, 'FACILITY_REQUIRED'],
    ['exit', 'CLOSED-P', 422, 'FACILITY_REQUIRED'],
    ['entry', 'ELSEWHERE', 422, 'FACILITY_REQUIRED'],
  ])('%s with the area %s with %i %s', async (event, area_code, status, code) => {
    const answer = await search({ plate: 'A', area_code, event });
    expect(outcomeOf(answer)).toEqual([status, code]);
  });

  it('in V1 an area that is unknown or inactive with 404', async () => {
    for (const area_code of ['NONE', 'CLOSED']) {
      const answer = await city.post('/api/v1/parking/check-plate', { plate: 'A', area_code });
      expect(outcomeOf(answer)).toEqual([404, 'AREA_NOT_FOUND']);
    }
  });

  it.each<[number | null, number, boolean]>([
    [1, DAY_MS + 5 * MINUTE_MS, true],
    [1, DAY_MS + 5 * MINUTE_MS + 1, false],
    [500, 399 * DAY_MS + 1, false],
  ])('with %s historical days an instant %i ms ago: %s', async (historicalDaysAllowed, ago, admitted) => {
    const { headers } = await issueCredential({ historicalDaysAllowed });
    const answer = await search({ plate: 'A', checked_at: at(NOW - ago) }, headers);
    expect(outcomeOf(answer)).toEqual(admitted ? [200, undefined] : [422, 'CHECKED_AT_OUT_OF_RANGE']);
  });
});
