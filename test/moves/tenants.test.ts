import { beforeAll, describe, expect, it } from 'vitest';
import { PATH as CONFIGURATION } from '../configuration/support.ts';
import { check, moveOf, moveWhole, putDocument } from '../databases/nation.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { ADMIN, type Answer, type Service } from '../support/service.ts';
import { type DatabaseName, SEVERAL } from '../support/several.ts';
import { beginMoving, idOf, type Mover, moveThere, settle } from './movers.ts';
import { change, holding, sends, serviceAround } from './round-trips.ts';

let service: Service;
beforeAll(async () => {
  service = await beginMoving();
});

/** Two cities of a tenant of their own. */
async function cities(tenant: string, ...databases: readonly DatabaseName[]): Promise<Mover[]> {
  await putDocument(service, { tenants: [{ code: tenant, name: tenant }] });
  const settling = databases.map(
    (database) => () => settle(service, `${tenant}-${database}`, database, { tenant }),
  );
  const settled: Mover[] = [];
  for (const settleOne of settling) settled.push(await settleOne());
  return settled;
}

const switchTenant = (code: string, active: boolean, by = service): Promise<Answer> =>
  by.call(CONFIGURATION, { method: 'PUT', headers: ADMIN, body: { tenants: [{ code, active }] } });

const statusOf = async ({ headers, code }: Mover): Promise<number> =>
  (await check(service, headers, { plate: 'ANY', municipality_code: code })).status;

/** Whether a city's tenant was active, as the newest version of its configuration in a database says. */
const toldIn = (name: DatabaseName, { code }: Mover) =>
  SEVERAL[name]
    .prepare(
      `select json_extract(record, '$.tenant_active') as active from configuration_versions
       where part = 0 and municipality_id = ${idOf(code)} order by recorded_at desc`,
    )
    .first<number>('active');

/** Since when, by the versions of a city's configuration in a database, its tenant has not been active. */
const switchedOffSince = (name: DatabaseName, { code }: Mover) =>
  SEVERAL[name]
    .prepare(
      `select min(recorded_at) as since from configuration_versions
       where part = 0 and municipality_id = ${idOf(code)} and not json_extract(record, '$.tenant_active')`,
    )
    .first<number>('since');

describe('A tenant that has been switched off', () => {
  it.each(['DB', 'DB_3'] as const)(
    'stays so when a municipality moves to %s from a database that has not heard of it yet',
    async (to) => {
      const tenant = `unheard-${to}`;
      const [atHome, mover, neighbour] = (await cities(tenant, 'DB', 'DB_2', 'DB_3')) as [
        Mover,
        Mover,
        Mover,
      ];
      const statuses = async () => [await statusOf(atHome), await statusOf(mover), await statusOf(neighbour)];
      const breaking = serviceAround((run, { database, sql }) => {
        if (database === 'DB' || !/update "tenants"/i.test(sql)) return run();
        throw new Error('D1_ERROR: the database is away');
      });
      expect((await switchTenant(tenant, false, breaking)).status).toBe(500);
      expect(await statuses()).toEqual([403, 200, 200]);
      await moveWhole(service, mover.code, to);
      expect(await statuses()).toEqual([403, 403, to === 'DB_3' ? 403 : 200]);
      expect(await toldIn(to, mover)).toBe(0);
    },
  );

  it('is so at once while the writes of one of its municipalities are stopped, and after its move', async () => {
    const [mover] = (await cities('stopped', 'DB_2')) as [Mover];
    const held = holding(sends('copyRow'));
    const moving = moveOf(held.service, mover.code, 'DB_3');
    await held.reached;
    expect((await switchTenant('stopped', false)).status).toBe(200);
    expect(await statusOf(mover)).toBe(403);
    const named = { municipalities: [{ code: mover.code, name: 'Another' }] };
    const refused = await service.call(CONFIGURATION, { method: 'PUT', headers: ADMIN, body: named });
    expect([refused.status, refused.body.error]).toMatchObject([503, { code: 'MUNICIPALITY_MOVING' }]);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    held.release();
    await moving;
    await moveThere(service, mover.code, 'DB_3');
    expect([await statusOf(mover), await toldIn('DB_3', mover)]).toEqual([403, 0]);
  });

  it('has been so since that instant also in the new database, though the switch was about to come', async () => {
    const [mover] = (await cities('noted', 'DB_2')) as [Mover];
    const held = holding(sends('pointOn'));
    const moving = moveOf(held.service, mover.code, 'DB_3');
    await held.reached;
    expect((await switchTenant('noted', false)).status).toBe(200);
    const since = await switchedOffSince('DB_2', mover);
    held.release();
    await moving;
    await moveThere(service, mover.code, 'DB_3');
    expect(since).not.toBeNull();
    expect(await switchedOffSince('DB_3', mover)).toBe(since);
  });

  it.each([
    ['from elsewhere to elsewhere', 'DB_2', 'DB_3', 1],
    ['home', 'DB_2', 'DB', 3],
    ['from home', 'DB', 'DB_2', 5],
  ] as const)(
    'is so wherever its municipalities are, before whichever change of a move %s it is switched',
    async (_, from, to, first) => {
      const tenant = `at-once-${from}-${to}`;
      const [mover, neighbour] = (await cities(tenant, from, to)) as [Mover, Mover];
      // Both are odd: it begins where it lives, and goes to and fro.
      for (let at = shortOrThorough(first, 1), isAtEnd = false; !isAtEnd; at += shortOrThorough(9, 1)) {
        const [lives, goes] = at % 2 === 1 ? [from, to] : [to, from];
        const held = holding(change(at));
        const moving = moveOf(held.service, mover.code, goes);
        isAtEnd = await Promise.race([held.reached.then(() => false), moving.then(() => true)]);
        const { status } = await switchTenant(tenant, false);
        held.release();
        await moving;
        await moveOf(service, mover.code, goes);
        expect(status).toBe(200);
        const when = `from ${lives}, before change ${at}`;
        expect([await statusOf(mover), await statusOf(neighbour)], when).toEqual([403, 403]);
        expect(await toldIn(goes, mover), when).toBe(0);
        await switchTenant(tenant, true);
        expect([await statusOf(mover), await statusOf(neighbour)], when).toEqual([200, 200]);
      }
    },
  );
});

describe('What a tenant may store in a day', () => {
  it('is as it was last set, also while the writes of one of its municipalities are stopped', async () => {
    const [mover] = (await cities('raised', 'DB_2')) as [Mover];
    const held = holding(sends('copyRow'));
    const moving = moveOf(held.service, mover.code, 'DB_3');
    await held.reached;
    await putDocument(service, { tenants: [{ code: 'raised', daily_changes: 7 }] });
    held.release();
    await moving;
    await moveThere(service, mover.code, 'DB_3');
    const set = await SEVERAL.DB_3.prepare(`select daily_changes from tenants where code = 'raised'`).first();
    expect(set).toEqual({ daily_changes: 7 });
  });
});
