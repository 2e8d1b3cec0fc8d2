import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { cityWithAPlate, makeCalls } from '../admin/plates-city.ts';
import { ERASE, EXPORT, exportOf } from '../admin/plates-support.ts';
import { issueCredential } from '../support/credential.ts';
import { countedBindings } from '../support/doubles.ts';
import { ADMIN, Service } from '../support/service.ts';

type Body = Record<string, unknown>;
const city = cityWithAPlate();
const exported = (plate: string) => exportOf(city.service, plate);

describe('The export', () => {
  it('holds all that a tenant has of a plate, and no other plate', async () => {
    await makeCalls(city);
    const answer = await exported(' erase 1');
    expect(answer).toMatchObject({
      sessions: [
        {
          municipality_code: 'H501',
          source_code: 'app1',
          session_id: 'one',
          plate: 'ERASE1',
          area_code: 'P1',
        },
        { session_id: 'two' },
      ],
      subscriptions: [
        {
          municipality_code: 'H501',
          subscription_number: 'N1',
          type: 'RES',
          areas: 'all',
          plates: [{ plate: 'ERASE1' }],
        },
      ],
      next: null,
    });
    expect((answer.history as Body[]).map(({ key, kind }) => [kind, key])).toEqual([
      ['parking_session', 'one'],
      ['parking_session', 'three'],
      ['parking_session', 'two'],
      ['subscription', 'N1'],
    ]);
    expect((answer.calls as Body[]).map(({ operation }) => operation).sort()).toEqual([
      'plate_check',
      'subscription_options',
    ]);
    expect(JSON.stringify(answer)).not.toContain('OTHER1');
    expect(JSON.stringify(answer)).not.toContain('plate_digest');
  });

  it('goes on where it was, a thousand at a time, in three round trips', async () => {
    const many = `with recursive n(value) as (select 1 union all select value + 1 from n where value < 2100) select value from n`;
    await env.DB.prepare(
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
        select 1, 'app1', 'many ' || value, 2, 'MANY1', value, value + 1, value from (${many})`,
    ).run();
    const { cost, bindings } = countedBindings();
    const counted = new Service(bindings);
    const ids: unknown[] = [];
    let after: unknown = null;
    do {
      Object.assign(cost, { roundTrips: 0 });
      const { body } = await counted.post(EXPORT, { tenant: 'acme', plate: 'MANY1', after }, ADMIN);
      expect(cost.roundTrips).toBeLessThanOrEqual(3);
      ids.push(...(body.sessions as Body[]).map(({ session_id }) => session_id));
      after = body.next;
    } while (after !== null);
    expect([ids.length, new Set(ids).size]).toEqual([2100, 2100]);
  });

  it.each([{}, { tenant: null }, { tenant: ' ' }])('is of an office’s own tenant with %j', async (named) => {
    const office = await issueCredential({ scopes: ['office'] });
    for (const path of [EXPORT, ERASE]) {
      const { status } = await city.post(path, { ...named, plate: 'NONE1' }, office.headers);
      expect(status, path).toBe(200);
      const missing = await city.post(path, { ...named, plate: 'NONE1' }, ADMIN);
      expect(missing.body, path).toMatchObject({
        error: { details: { issues: [{ path: 'tenant', message: 'is required' }] } },
      });
    }
  });

  it('begins where a blank `after` is sent', async () => {
    const [absent, blank] = [
      await city.post(EXPORT, { tenant: 'acme', plate: 'AB123CD' }, ADMIN),
      await city.post(EXPORT, { tenant: 'acme', plate: 'AB123CD', after: ' ' }, ADMIN),
    ];
    expect({ ...blank.body, request_id: null }).toEqual({ ...absent.body, request_id: null });
  });

  it.each([
    [{ tenant: 'nobody', plate: 'A' }, 'INVALID_REQUEST', 'tenant'],
    [{ tenant: 'acme', plate: 'A', after: '[1]' }, 'INVALID_REQUEST', 'after'],
    [{ tenant: 'acme', plate: '-' }, 'INVALID_PLATE', null],
  ])('refuses %j', async (body, code, path) => {
    const answer = (await city.post(EXPORT, body, ADMIN)).body;
    expect(answer).toMatchObject({ error: { code, ...(path && { details: { issues: [{ path }] } }) } });
  });
});
