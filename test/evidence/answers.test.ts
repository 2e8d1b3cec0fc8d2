import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { configurationVersion, storeConfiguration, storeImport } from '../support/past.ts';
import { CITY, STREET, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { at, BEGAN, type Body, CHECK, EVIDENCE, iso, JUDGED, LOOKED } from './support.ts';

const AREAS = [...CITY.areas, { ...STREET, id: 3, code: 'CLOSED', active: false }];

const service = new Service();
let credential: TestCredential;

const ask = (body: Body) =>
  at(JUDGED, async () => (await service.post(EVIDENCE, body, credential.headers)).body);
const search = (plate: string, body: Body = {}) => ask({ plate, at: iso(LOOKED), area_code: 'P1', ...body });

beforeAll(async () => {
  await seed({ ...CITY, areas: AREAS });
  credential = await issueCredential({ historicalDaysAllowed: null });
  await storeConfiguration(configurationVersion(BEGAN, { areas: AREAS }));
  // The success 20 minutes before ended no silence: the failure alone names it.
  await storeImport(LOOKED - 50 * MINUTE_MS, 'succeeded');
  await storeImport(LOOKED + MINUTE_MS, 'failed', LOOKED - 20 * MINUTE_MS);
  await env.DB.prepare('update imports set succeeded_before = succeeded_at where outcome = ?')
    .bind('failed')
    .run();
});

describe('The answer', () => {
  it('has every field, in the order of the interface', async () => {
    const answer = await search('NOBODY');
    expect(Object.keys(answer)).toEqual([
      ...['success', 'ok', 'request_id', 'api_version', 'plate', 'timezone', 'municipality', 'area', 'event'],
      ...['at', 'known_at', 'known_since', 'checks_since', 'erased_at', 'generated_at', 'as_known_then'],
      ...['as_known_now', 'differs', 'history_count', 'history', 'sources', 'checks_count', 'checks'],
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
      last_successful_at: null,
    });
    expect(await status(LOOKED)).toMatchObject({ status: 'stale', last_successful_at: success });
    expect(await status(LOOKED + HOUR_MS)).toMatchObject({ status: 'error', last_successful_at: success });
  });

  it('lists the checks of the 24 hours around, refused ones too, and no other plate’s or municipality’s', async () => {
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
    const elsewhere = await check('SEEN', LOOKED);
    await env.DB.prepare(`update calls set municipality_code = 'F205' where id = unhex(?, '-')`)
      .bind(elsewhere.body.request_id)
      .run();
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
