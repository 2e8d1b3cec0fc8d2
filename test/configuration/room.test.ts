import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { Service } from '../support/service.ts';
import { CITY, inRome, issuePathsOf, mustPut, PATH, put } from './support.ts';

const MAX_AREAS = 2_000;
const MAX_OF_OTHER_KINDS = 1_000;
const MAX_DAILY_CHANGES = 200;
const NOON = Date.UTC(2026, 2, 10, 12);

beforeEach(async () => {
  await freshDatabase({});
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  await mustPut(CITY);
});
afterEach(() => void vi.useRealTimers());

const area = (code: string) => ({ code, name: code, area_type: 'street' });
const source = (code: string) => ({ code, name: code, category: 'app' });
const type = (code: string) => ({ code, name: code });

describe('A municipality has room for', () => {
  it.each([
    [`${MAX_AREAS} areas`, 'areas', MAX_AREAS - 2, area],
    [`${MAX_OF_OTHER_KINDS} sources`, 'sources', MAX_OF_OTHER_KINDS - 1, source],
    [`${MAX_OF_OTHER_KINDS} types`, 'subscription_types', MAX_OF_OTHER_KINDS - 1, type],
  ])('%s', async (_, list, left, item) => {
    const items = Array.from({ length: left }, (__, index) => item(`N${index}`));
    expect(await mustPut(inRome({ [list]: items }))).toMatchObject({ created: left });
    expect(issuePathsOf(await put(inRome({ [list]: [item('L')] })))).toEqual([`municipalities.0.${list}`]);
    // What is there can be changed all the same.
    const changed = { ...item('N0'), name: 'changed' };
    expect(await mustPut(inRome({ [list]: [changed] }))).toMatchObject({ updated: 1 });
  });

  it('1 MiB as it is answered', async () => {
    const paid_hours = Array.from({ length: 50 }, (_, index) => ({
      days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'holiday'],
      from: `08:${10 + index}`,
      to: '24:00',
    }));
    const areas = (from: number) =>
      Array.from({ length: 110 }, (_, index) => ({ ...area(`N${from + index}`), paid_hours }));
    expect((await put(inRome({ areas: areas(0) }))).status).toBe(200);
    expect(issuePathsOf(await put(inRome({ areas: areas(1_000) })))).toEqual(['municipalities.0']);
  });
});

describe('On a day a municipality', () => {
  const changes = async (count: number) => {
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
       insert into configuration_versions (municipality_id, recorded_at, record)
       select municipality_id, recorded_at - i, record from configuration_versions, n`,
    )
      .bind(count)
      .run();
  };

  it(`changes ${MAX_DAILY_CHANGES} times, its creation among them, then no more until midnight (UTC)`, async () => {
    await changes(MAX_DAILY_CHANGES - 2);
    expect(await mustPut(inRome({ name: 'Last' }))).toMatchObject({ updated: 1 });
    const refused = await put(inRome({ name: 'Too late' }));
    expect([refused.status, refused.body.error]).toMatchObject([429, { code: 'RATE_LIMIT_EXCEEDED' }]);
    expect(refused.headers.get('Retry-After')).toBe(String((12 * HOUR_MS) / 1_000));
    // What changes nothing is no change, and a dry run changes nothing.
    expect(await mustPut(inRome({ name: 'Last' }))).toMatchObject({ updated: 0 });
    const dry = await new Service().call(`${PATH}?dry_run=true`, {
      method: 'PUT',
      body: inRome({ name: 'Too late' }),
      headers: { Authorization: `Bearer ${env.ADMIN_TOKEN}` },
    });
    expect(dry.status).toBe(200);
    vi.setSystemTime(NOON + DAY_MS / 2);
    expect(await mustPut(inRome({ name: 'Next day' }))).toMatchObject({ updated: 1 });
  });
});
