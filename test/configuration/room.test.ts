import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  MAX_AREAS,
  MAX_AREAS_READ,
  MAX_DAILY_CONFIGURATIONS,
  MAX_MUNICIPALITIES,
  MAX_PAID_SPANS,
  MAX_PAID_SPANS_TOGETHER,
  MAX_SOURCES,
  MAX_TENANTS,
  MAX_TYPES,
} from '../../src/office/configuration/limits.ts';
import { MAX_CREDENTIALS } from '../../src/office/credentials/credentials-table.ts';
import { ADMIN, Service } from '../support/service.ts';
import { CITY, inRome, issuePathsOf, mustPut, put } from './support.ts';

beforeAll(() => mustPut(CITY));

const counted = async (table: string): Promise<number> =>
  (await env.DB.prepare(`select count(*) as rows from ${table}`).first<{ rows: number }>())?.rows ?? 0;

const COUNTED = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)';

/** Copies a row of a table, under other codes, until there are so many rows. */
async function fill(table: string, total: number, of: string): Promise<void> {
  const where = `${table === 'tenants' || table === 'municipalities' ? 'code' : `municipality_id = ${IN_ROME} and code`} = ?`;
  const row = await env.DB.prepare(`select * from ${table} where ${where}`).bind(of).first();
  const columns = Object.keys(row ?? expect.fail(of)).filter((name) => name !== 'id');
  const values = columns.map((name) => (name === 'code' ? `'X' || i` : `r.${name}`));
  await env.DB.prepare(
    `${COUNTED} insert into ${table} (${columns}) select ${values} from n, ${table} r where ${where}`,
  )
    .bind(total - (await counted(table)), of)
    .run();
}

const IN_ROME = `(select id from municipalities where code = 'H501')`;
const area = (code: string) => ({ code, name: code, area_type: 'street' });
const source = (code: string) => ({ code, name: code, category: 'app' });
const type = (code: string) => ({ code, name: code });

describe('A municipality has room for', () => {
  it.each([
    [`${MAX_AREAS} areas`, 'areas', MAX_AREAS, 'S1', area],
    [`${MAX_SOURCES} sources`, 'sources', MAX_SOURCES, 'app1', source],
    [`${MAX_TYPES} types`, 'subscription_types', MAX_TYPES, 'RES', type],
  ])('%s', async (_, list, most, of, item) => {
    await fill(list, most - 1, of);
    const last = inRome({ [list]: [item('L')] });
    expect(await mustPut(last)).toMatchObject({ created: 1 });
    expect(issuePathsOf(await put(inRome({ [list]: [item('L'), item('M')] })))).toEqual([
      `municipalities.0.${list}`,
    ]);
    // What is there can be changed all the same.
    const changed = { ...item('L'), name: 'changed' };
    expect(await mustPut(inRome({ [list]: [changed] }))).toMatchObject({ updated: 1 });
    await env.DB.prepare(`delete from ${list} where code like 'X%'`).run();
  });
});

it(`The areas of a municipality have room for ${MAX_PAID_SPANS_TOGETHER} entries of paid hours together`, async () => {
  const hours = (count: number) =>
    Array(count).fill({ days: ['mon', 'holiday'], from: '08:00', to: '20:00' });
  const paid = (code: string, count: number) => inRome({ areas: [{ code, paid_hours: hours(count) }] });
  const others = (await counted('areas')) - 1;
  await mustPut(paid('P1', 0));
  await mustPut(paid('S1', MAX_PAID_SPANS));
  await fill('areas', others + MAX_PAID_SPANS_TOGETHER / MAX_PAID_SPANS, 'S1');
  expect(issuePathsOf(await put(paid('P1', 1)))).toEqual(['municipalities.0.areas']);
  // What is there can be changed all the same, and what goes makes room.
  const later = { days: ['tue'], from: '08:00', to: '20:00' };
  const changed = [...hours(MAX_PAID_SPANS - 2), later];
  expect(await mustPut(inRome({ areas: [{ code: 'S1', paid_hours: changed }] }))).toMatchObject({
    updated: 1,
  });
  expect(await mustPut(paid('P1', 1))).toMatchObject({ updated: 1 });
  expect(issuePathsOf(await put(paid('P1', 2)))).toEqual(['municipalities.0.areas']);
  await env.DB.prepare(`delete from areas where code like 'X%'`).run();
});

it('The municipalities of one document have room for so many areas together as an isolate can hold', async () => {
  // Several documents may each add as many.
  await fill('areas', MAX_AREAS_READ + 1, 'S1');
  expect(issuePathsOf(await put(inRome({ name: 'Roma 3' })))).toEqual(['municipalities']);
  await env.DB.prepare(`delete from areas where code like 'X%'`).run();
});

describe('A day has room for so many configurations of a municipality', () => {
  const recordToday = (rows: number) =>
    env.DB.prepare(
      `${COUNTED} insert into configuration_versions (municipality_id, recorded_at, part, record)
        select ${IN_ROME}, ? - i, 0, '{}' from n`,
    )
      .bind(rows, Date.now() - 60_000)
      .run();

  it('and then takes what switches off alone', async () => {
    await env.DB.prepare('delete from configuration_versions').run();
    await recordToday(MAX_DAILY_CONFIGURATIONS - 1);
    expect(await mustPut(inRome({ name: 'Last' }))).toMatchObject({ updated: 1 });
    expect(issuePathsOf(await put(inRome({ name: 'Too late' })))).toEqual(['municipalities.0']);
    expect(issuePathsOf(await put(inRome({ active: false, name: 'Too late' })))).toEqual([
      'municipalities.0',
    ]);
    expect(await mustPut(inRome({ name: 'Last' }))).toMatchObject({ updated: 0 });
    expect(await mustPut(inRome({ areas: [{ code: 'P1', active: false }] }))).toMatchObject({ updated: 1 });
    expect(await mustPut(inRome({ active: false }))).toMatchObject({ updated: 1 });
    expect(issuePathsOf(await put(inRome({ active: true })))).toEqual(['municipalities.0']);
  });

  it('also where its tenant is switched, which records them all', async () => {
    const tenant = (active: boolean) => ({ tenants: [{ code: 'acme', active }] });
    const recorded = () => counted('configuration_versions');
    await env.DB.prepare('delete from configuration_versions').run();
    await recordToday(MAX_DAILY_CONFIGURATIONS - 2);
    expect(await mustPut(tenant(false))).toMatchObject({ updated: 1 });
    expect(await mustPut(tenant(true))).toMatchObject({ updated: 1 });
    expect(await recorded()).toBe(MAX_DAILY_CONFIGURATIONS);
    expect(await mustPut(tenant(true))).toMatchObject({ updated: 0 });
    expect(await mustPut(tenant(false))).toMatchObject({ updated: 1 });
    expect(issuePathsOf(await put(tenant(true)))).toEqual(['tenants.0']);
    expect(await recorded()).toBe(MAX_DAILY_CONFIGURATIONS + 1);
    await env.DB.prepare('update configuration_versions set recorded_at = recorded_at - 86400000').run();
    expect(await mustPut(tenant(true))).toMatchObject({ updated: 1 });
    await recordToday(MAX_DAILY_CONFIGURATIONS);
  });

  it('and again each day', async () => {
    await env.DB.prepare('update configuration_versions set recorded_at = recorded_at - 86400000').run();
    expect(await mustPut(inRome({ active: true }))).toMatchObject({ updated: 1 });
  });
});

describe('The service has room for', () => {
  it(`${MAX_TENANTS} tenants`, async () => {
    await fill('tenants', MAX_TENANTS - 1, 'acme');
    expect(await mustPut({ tenants: [{ code: 'last', name: 'x' }] })).toMatchObject({ created: 1 });
    expect(issuePathsOf(await put({ tenants: [{ code: 'more', name: 'x' }] }))).toEqual(['tenants']);
  });

  it(`${MAX_MUNICIPALITIES} municipalities`, async () => {
    const city = (code: string) => ({
      municipalities: [{ code, name: 'x', timezone: 'Europe/Rome', tenant: 'acme' }],
    });
    await fill('municipalities', MAX_MUNICIPALITIES - 1, 'H501');
    expect(await mustPut(city('last'))).toMatchObject({ created: 1 });
    expect(issuePathsOf(await put(city('more')))).toEqual(['municipalities']);
  });
});

it(`A tenant has room for ${MAX_CREDENTIALS} credentials, and another tenant then for its own`, async () => {
  const issue = (tenant: string) =>
    new Service().post(
      '/api/v2/admin/credentials',
      { tenant, name: 'x', scopes: ['report'], municipalities: [tenant === 'acme' ? 'H501' : 'O1'] },
      ADMIN,
    );
  await env.DB.prepare(`delete from municipalities where code like 'X%'`).run();
  await mustPut({ municipalities: [{ code: 'O1', name: 'x', timezone: 'Europe/Rome', tenant: 'X1' }] });
  const { body } = await issue('acme');
  const { results } = await env.DB.prepare('select * from credentials').all();
  const columns = Object.keys(results[0] ?? expect.fail('no credential'));
  const values = columns.map((name) => (name === 'id' ? `printf('%024x', i)` : `c.${name}`));
  await env.DB.prepare(
    `${COUNTED} insert into credentials (${columns}) select ${values} from n, credentials c where c.id = ?`,
  )
    .bind(MAX_CREDENTIALS - 2, body.credential_id)
    .run();
  expect((await issue('acme')).status).toBe(201);
  expect(issuePathsOf(await issue('acme'))).toEqual(['tenant']);
  expect((await issue('X1')).status).toBe(201);
});
