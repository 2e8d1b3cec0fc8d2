import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { Service } from '../support/service.ts';
import { type DatabaseName, SEVERAL } from '../support/several.ts';
import {
  beginNation,
  CITIES,
  check,
  credentialFor,
  MILANO,
  type Nation,
  options,
  plateOf,
  putDocument,
  ROMA,
  report,
  TORINO,
} from './nation.ts';

let nation: Nation;

beforeAll(async () => {
  nation = await beginNation();
});

const countIn = async (name: DatabaseName, table: string): Promise<number> =>
  (await SEVERAL[name].prepare(`select count(*) as n from ${table}`).first<{ n: number }>())?.n ?? 0;

describe('A municipality', () => {
  it('has everything in the database that its document named, and its ids from nowhere else', async () => {
    for (const { database } of CITIES) {
      for (const table of ['areas', 'sources', 'parking_sessions', 'subscriptions', 'plans']) {
        expect([database, table, await countIn(database, table)]).toEqual([
          database,
          table,
          table === 'areas' ? 2 : 1,
        ]);
      }
    }
    const ids = await Promise.all(
      CITIES.map(({ database }) => SEVERAL[database].prepare('select id from areas').raw<[number]>()),
    );
    expect(new Set(ids.flat(2)).size).toBe(6);
    expect(await countIn('DB_2', 'credentials')).toBe(0);
    const rows = (name: DatabaseName) =>
      SEVERAL[name].prepare('select id, tenant_id from municipalities where code = ?').bind('L219').first();
    expect(await rows('DB_2')).toEqual(await rows('DB'));
  });

  it.each(CITIES)('$name is checked, sold to and reported on, named or not', async (where) => {
    const plate = plateOf(where);
    const place = { municipality: { code: where.code, name: where.name } };
    for (const asking of [nation.service, new Service(SEVERAL)]) {
      for (const [headers, body] of [
        [nation.all, { municipality_code: where.code }],
        [nation.ownOf(where), {}],
        [nation.ownOf(where), {}],
      ] as const) {
        expect(
          (await check(asking, headers, { ...body, plate, area_code: 'P1', event: 'entry' })).body,
        ).toMatchObject({
          ...place,
          access_granted: true,
          access_reason_code: 'VALID_SESSION_AND_SUBSCRIPTION',
        });
        expect((await options(asking, headers, { ...body, plate })).body).toMatchObject({
          ...place,
          result_code: 'OPTIONS_AVAILABLE',
        });
        expect((await report(asking, headers, body)).body).toMatchObject({
          ...place,
          totals: { active_now: 1 },
        });
      }
      const elsewhere = CITIES.filter(({ code }) => code !== where.code);
      for (const { code } of elsewhere) {
        const { body } = await check(asking, nation.all, { plate, municipality_code: code });
        expect(body).toMatchObject({ has_valid_entitlement: false, municipality: { code } });
        const refused = await check(asking, nation.ownOf(where), { plate, municipality_code: code });
        expect([refused.status, refused.body.error]).toMatchObject([
          403,
          { code: 'MUNICIPALITY_NOT_ALLOWED' },
        ]);
      }
    }
  });

  it('must be named where the credential leaves a choice between databases', async () => {
    const { body } = await check(nation.service, nation.all, { plate: 'X' });
    expect(body.error).toMatchObject({ code: 'MUNICIPALITY_REQUIRED' });
  });

  it('must be named whichever of the credential’s is switched off, but in the report, which takes the active one', async () => {
    const both = await credentialFor(nation.service, [ROMA.code, TORINO.code]);
    const put = (code: string, active: boolean) =>
      putDocument(nation.service, { municipalities: [{ code, active }] });
    for (const [off, on] of [
      [ROMA, TORINO],
      [TORINO, ROMA],
    ] as const) {
      await put(off.code, false);
      for (const ask of [check, options]) {
        expect((await ask(nation.service, both, { plate: plateOf(on) })).body.error).toMatchObject({
          code: 'MUNICIPALITY_REQUIRED',
        });
      }
      expect((await report(nation.service, both, {})).body).toMatchObject({
        municipality: { code: on.code },
      });
      expect(
        (await check(nation.service, both, { plate: plateOf(on), municipality_code: on.code })).body,
      ).toMatchObject({ has_valid_entitlement: true, municipality: { code: on.code } });
      const refused = await check(nation.service, both, { plate: 'X', municipality_code: off.code });
      expect(refused.body.error).toMatchObject({ code: 'MUNICIPALITY_NOT_ALLOWED' });
      await put(off.code, true);
    }
    expect((await report(nation.service, both, {})).body.error).toMatchObject({
      code: 'MUNICIPALITY_REQUIRED',
    });
  });
});

describe('A database that should hold a municipality', () => {
  it('and has no row of it is a failure, never a negative', async () => {
    await env.THIRD.prepare('update municipalities set code = ? where code = ?')
      .bind('GONE', MILANO.code)
      .run();
    for (const asking of [nation.service, new Service(SEVERAL)]) {
      for (const [headers, body] of [
        [nation.all, { municipality_code: MILANO.code }],
        [nation.ownOf(MILANO), {}],
      ] as const) {
        const answers = [
          await check(asking, headers, { ...body, plate: 'X' }),
          await options(asking, headers, { ...body, plate: 'X' }),
        ];
        for (const { status } of answers) expect(status).toBe(500);
      }
    }
    await env.THIRD.prepare('update municipalities set code = ? where code = ?')
      .bind(MILANO.code, 'GONE')
      .run();
    expect(
      (await check(nation.service, nation.all, { plate: 'X', municipality_code: MILANO.code })).status,
    ).toBe(200);
  });
});
