import { expect, it } from 'vitest';
import { DAY_MS, instant } from '../../src/domain/instant.ts';
import { formatInstant } from '../../src/domain/zoned-time.ts';
import { City, outcomeOf } from '../support/city.ts';
import { configurationVersion } from '../support/past.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { BEGAN, type Body, EVIDENCE, iso, JUDGED, LOOKED } from './support.ts';

const city = new City({ ...CITY, configurationVersions: [configurationVersion(BEGAN)] }, { now: JUDGED });
const search = (body: Body, service = city.service) =>
  city.post(EVIDENCE, { plate: 'A', at: iso(LOOKED), ...body }, {}, service);

const inRome = (ms: number): string => formatInstant(instant(ms), 'Europe/Rome');
const IN_FUTURE = 'The instant asked about is in the future.';
const OUT_OF_RANGE = 'The instant asked about is too far in the past, or after the year 9999.';
const BEFORE_RECORDS = `known_at: what was known before ${inRome(BEGAN)} is not kept, or was never recorded.`;
const AFTER_NOW = `known_at: the instant is in the future: it must not be later than now, ${inRome(JUDGED)}.`;

it.each<[number, string, Body, string?]>([
  [422, 'INVALID_REQUEST', { at: '' }],
  [422, 'INVALID_REQUEST', { unknown: 1 }],
  [422, 'INVALID_PLATE', { plate: '-' }],
  [422, 'CHECKED_AT_IN_FUTURE', { at: iso(JUDGED + 5_001) }, IN_FUTURE],
  [422, 'CHECKED_AT_OUT_OF_RANGE', { at: iso(JUDGED - 399 * DAY_MS - 1) }, OUT_OF_RANGE],
  [422, 'CHECKED_AT_OUT_OF_RANGE', { at: '9999-12-31T23:59:59-12:00' }, OUT_OF_RANGE],
  [422, 'AREA_CODE_REQUIRED', { event: 'entry' }],
  [403, 'MUNICIPALITY_NOT_ALLOWED', { municipality_code: 'L219', known_at: iso(JUDGED + DAY_MS) }],
  [422, 'KNOWN_AT_OUT_OF_RANGE', { known_at: iso(JUDGED + 5_001), area_code: 'NONE' }, AFTER_NOW],
  [422, 'KNOWN_AT_OUT_OF_RANGE', { known_at: iso(BEGAN - 1) }, BEFORE_RECORDS],
  [422, 'KNOWN_AT_OUT_OF_RANGE', { at: iso(BEGAN - 1) }, BEFORE_RECORDS],
  [404, 'AREA_NOT_FOUND', { area_code: 'NONE' }],
  [422, 'FACILITY_REQUIRED', { area_code: 'NONE', event: 'exit' }],
])(
  'A search is refused with %i %s for %j, in the words of its own fields',
  async (status, code, body, message) => {
    const error = { code, ...(message && { message }) };
    expect(await search(body)).toMatchObject({ status, body: { error } });
  },
);

it('A clock that is 5 s ahead is taken as now', async () => {
  const { body } = await search({ at: iso(JUDGED + 5_000), known_at: iso(JUDGED + 5_000) });
  expect(body).toMatchObject({ at: '2026-03-21T08:39:00+01:00', known_at: '2026-03-21T08:39:00+01:00' });
});

it('The very start of the records is known, and may lie before what is judged', async () => {
  expect((await search({ known_at: iso(BEGAN) })).status).toBe(200);
});

it('A search is our failure while DIGEST_KEY is not usable', async () => {
  expect(outcomeOf(await search({}, new Service({ DIGEST_KEY: 'short' })))).toEqual([500, 'TEMPORARY_ERROR']);
});
