import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { refreshSnapshots } from '../../src/core/snapshots/refresh.ts';
import { instant } from '../../src/domain/instant.ts';
import { citiesWithAPlate, credential, hour, makeCalls } from '../admin/plates-city.ts';
import {
  ERASE,
  EXPORT,
  eraseAll,
  exportOf,
  importLines,
  NOTHING,
  spells,
  textsKept,
  textsOfAllTables,
} from '../admin/plates-support.ts';
import { ADMIN, Service } from '../support/service.ts';

const service = new Service();
const exported = (plate: string) => exportOf(service, plate);
const erased = (plate: string) => eraseAll(service, plate);
const imported = (what: 'sessions' | 'subscriptions', ...lines: readonly object[]) =>
  importLines(service, credential.headers, what, lines);

citiesWithAPlate();

describe('The erasure', () => {
  it('leaves the plate in no text of any table, value of KV, object’s storage or whole call, however it was spelled', async () => {
    await makeCalls();
    await refreshSnapshots(env, () => instant(Date.now()));
    await env.DB.prepare('delete from parking_sessions where municipality_id = 2').run();
    const holding = async () => (await textsKept()).filter(([, text]) => spells(text, 'ERASE1'));
    expect(new Set((await holding()).map(([where]) => where))).toEqual(
      new Set([
        'parking_sessions.plate',
        'subscription_plates.plate',
        'past_parking_sessions.plate',
        'calls.request',
        'calls.response',
      ]),
    );
    expect(await erased('erase 1')).toEqual({
      sessions: 2,
      subscriptions: 1,
      history: 4,
      payments: 0,
      calls: 7,
    });
    expect(await holding()).toEqual([]);
    const before = await textsOfAllTables();
    expect(await erased('ERASE1')).toEqual(NOTHING);
    expect(await textsOfAllTables()).toEqual(before);
  });

  it('takes nothing of another tenant’s', async () => {
    await erased('ERASE1');
    expect(await exportOf(service, 'ERASE1', 'other')).toMatchObject({
      sessions: [{ session_id: 'theirs' }],
    });
  });

  it('is a change of its own, before which nothing is known any more, and changes no instant of what is stored', async () => {
    const instants = async () => {
      const tables = ['parking_sessions', 'past_parking_sessions', 'subscriptions'];
      const read = await env.DB.batch(
        tables.map((table) => env.DB.prepare(`select * from ${table} order by id`)),
      );
      return read.map(({ results }) =>
        (results as Record<string, unknown>[]).map((row) => [row.recorded_at, row.replaced_at]),
      );
    };
    const changed = async () => {
      const { results } = await env.DB.prepare(
        `select id, past_since, (select max(recorded_at) from changes where municipality_id = municipalities.id) as last
         from municipalities order by id`,
      ).all<{ past_since: number; last: number | null }>();
      return results;
    };
    const [before, [ours, theirs]] = [await instants(), await changed()];
    await erased('ERASE1');
    const [after, others] = await changed();
    expect(after?.last).toBeGreaterThan(ours?.last ?? 0);
    expect(after?.past_since).toBe(after?.last);
    expect(others).toEqual(theirs);
    expect(await instants()).toEqual(before);
    await erased('ERASE1');
    expect(await changed()).toEqual([after, others]);
  });

  it('is lifted where the person comes back: what was erased stays so, and what is sent is stored', async () => {
    await erased('ERASE1');
    const lifted = await service.post(ERASE, { tenant: 'acme', plate: 'ERASE1', lift: true }, ADMIN);
    expect(lifted.body).toMatchObject({ erased: NOTHING, next: null });
    expect(await exported('ERASE1')).toMatchObject({ sessions: [] });
    const line = {
      ...{ session_id: 'back', plate: 'ERASE1', area_code: 'P1' },
      ...{ starts_at: new Date(hour.startsAt).toISOString(), ends_at: new Date(hour.endsAt).toISOString() },
    };
    expect(await imported('sessions', line)).toMatchObject({ created: 1, erased: 0 });
    expect(await exported('ERASE1')).toMatchObject({ sessions: [{ session_id: 'back' }] });
  });

  it('continues after a position alone, and knows no other text', async () => {
    const goOn = (text: string) =>
      service.post(ERASE, { tenant: 'acme', plate: 'ERASE1', after: text }, ADMIN);
    expect((await goOn(`tenant-${'0'.repeat(32)}`)).body).toMatchObject({ next: null });
    expect((await goOn('made-up')).body.error).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('is our failure while DIGEST_KEY is not usable', async () => {
    const broken = new Service({ DIGEST_KEY: 'short' });
    expect((await broken.post(ERASE, { tenant: 'acme', plate: 'A' }, ADMIN)).status).toBe(500);
    expect((await broken.post(EXPORT, { tenant: 'acme', plate: 'A' }, ADMIN)).status).toBe(500);
  });
});
