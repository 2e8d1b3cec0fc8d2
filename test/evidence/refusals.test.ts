import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, instant } from '../../src/domain/instant.ts';
import { formatInstant } from '../../src/domain/zoned-time.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { configurationVersion } from '../support/past.ts';
import { CITY, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { at, BEGAN, type Body, EVIDENCE, iso, JUDGED, LOOKED } from './support.ts';

const inRome = (ms: number): string => formatInstant(instant(ms), 'Europe/Rome');
const OUT_OF_RANGE = 'at: the instant is further back than what is kept, or after the year 9999.';
const BEFORE_RECORDS = `known_at: the instant is before the service’s first record of this municipality, ${inRome(BEGAN)}.`;
const service = new Service();
let credential: TestCredential;

beforeAll(async () => {
  await seed({ ...CITY, configurationVersions: [configurationVersion(BEGAN)] });
  credential = await issueCredential({ historicalDaysAllowed: null });
});

describe('A search for evidence is refused', () => {
  const refused = async (body: Body) =>
    await at(JUDGED, () =>
      service.post(EVIDENCE, { plate: 'A', at: iso(LOOKED), ...body }, credential.headers),
    );

  it.each<[number, string, Body, string?]>([
    [422, 'INVALID_REQUEST', { at: '' }],
    [422, 'INVALID_REQUEST', { unknown: 1 }],
    [422, 'INVALID_PLATE', { plate: '-' }],
    [422, 'CHECKED_AT_IN_FUTURE', { at: iso(JUDGED + 5_001) }, 'at: the instant is in the future.'],
    [422, 'CHECKED_AT_OUT_OF_RANGE', { at: iso(JUDGED - 399 * DAY_MS - 1) }, OUT_OF_RANGE],
    [422, 'CHECKED_AT_OUT_OF_RANGE', { at: '9999-12-31T23:59:59-12:00' }, OUT_OF_RANGE],
    [422, 'AREA_CODE_REQUIRED', { event: 'entry' }],
    [403, 'MUNICIPALITY_NOT_ALLOWED', { municipality_code: 'L219', known_at: iso(JUDGED + DAY_MS) }],
    [
      ...([422, 'KNOWN_AT_OUT_OF_RANGE', { known_at: iso(JUDGED + 5_001), area_code: 'NONE' }] as const),
      `known_at: the instant is in the future: it must not be later than now, ${inRome(JUDGED)}.`,
    ],
    [422, 'KNOWN_AT_OUT_OF_RANGE', { known_at: iso(BEGAN - 1) }, BEFORE_RECORDS],
    [422, 'KNOWN_AT_OUT_OF_RANGE', { at: iso(BEGAN - 1) }, BEFORE_RECORDS],
    [
      ...([404, 'AREA_NOT_FOUND', { area_code: 'NONE' }] as const),
      'area_code: no area with this code was ever configured in the municipality.',
    ],
    [
      ...([422, 'FACILITY_REQUIRED', { area_code: 'NONE', event: 'exit' }] as const),
      'area_code: an entry or exit needs a facility, and no area with this code was ever configured in the municipality.',
    ],
  ])('with %i %s for %j, in the words of its own fields', async (status, code, body, message) => {
    const error = { code, ...(message && { message }) };
    expect(await refused(body)).toMatchObject({ status, body: { error } });
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
      "select * from logged_calls where operation = 'evidence' and outcome = 'AREA_NOT_FOUND' and plate_digest is not null",
    ).all();
    expect(results.length).toBeGreaterThan(0);
  });
});
