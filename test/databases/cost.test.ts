import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { readDirectory } from '../../src/storage/databases/directory-store.ts';
import worker from '../../src/worker.ts';
import { countedBindings } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { beginNation, CITIES, check, MILANO, type Nation, plateOf, ROMA } from './nation.ts';

let nation: Nation;

beforeAll(async () => {
  nation = await beginNation();
});

describe('A municipality', () => {
  it.each(CITIES)('$name costs a warm check one object call and one round trip, and no KV', async (where) => {
    const { cost, bindings } = countedBindings({ DB_2: env.SECOND, DB_3: env.THIRD });
    const counted = new Service(bindings);
    const costs = [];
    for (const [headers, named] of [
      [nation.all, { municipality_code: where.code }],
      [nation.ownOf(where), { municipality_code: where.code }],
      [nation.ownOf(where), {}],
    ] as const) {
      const body = { ...named, plate: plateOf(where), area_code: 'P1', event: 'entry' };
      await check(counted, headers, body);
      Object.assign(cost, { roundTrips: 0, rowsRead: 0, objectCalls: 0, kvCalls: 0 });
      expect((await check(counted, headers, body)).status).toBe(200);
      costs.push({ ...cost });
    }
    for (const one of costs) expect(one).toMatchObject({ roundTrips: 1, objectCalls: 1, kvCalls: 0 });
    // As in one database: where none is named, the credential's links are read too. Elsewhere its code is known by then.
    const [named, ownNamed, unnamed = 0] = costs.map(({ rowsRead }) => rowsRead);
    expect(ownNamed).toBe(named);
    expect(unnamed).toBeLessThanOrEqual((named ?? 0) + (where === ROMA ? 2 : 0));
  });

  it('costs a fresh isolate one read of KV, then one round trip', async () => {
    const { cost, bindings } = countedBindings({ DB_2: env.SECOND, DB_3: env.THIRD });
    const body = { plate: plateOf(MILANO), municipality_code: MILANO.code };
    await vi.waitFor(async () => expect(await readDirectory(env.SNAPSHOTS)).toHaveLength(2));
    expect((await check(new Service(bindings), nation.all, body)).status).toBe(200);
    expect(cost).toMatchObject({ roundTrips: 1, objectCalls: 1, kvCalls: 1 });
  });

  it('is found where the home points while KV knows nothing, and once found costs no more', async () => {
    await env.SNAPSHOTS.delete('databases');
    const { cost, bindings } = countedBindings({ DB_2: env.SECOND, DB_3: env.THIRD });
    const fresh = new Service(bindings);
    const body = { plate: plateOf(MILANO), municipality_code: MILANO.code };
    for (const roundTrips of [2, 1]) {
      Object.assign(cost, { roundTrips: 0 });
      expect((await check(fresh, nation.all, body)).body).toMatchObject({ has_valid_entitlement: true });
      expect(cost.roundTrips).toBe(roundTrips);
    }
  });
});

describe('The minute’s run', () => {
  it('makes the snapshots of all databases in as many values as those of one', async () => {
    const { cost, bindings } = countedBindings({ DB_2: env.SECOND, DB_3: env.THIRD });
    await worker.scheduled(createScheduledController({ cron: '* * * * *' }), { ...env, ...bindings });
    expect(cost.kvCalls).toBe(1 + 3 + 1);
    const listed = await nation.service.call('/api/v2/public/municipalities');
    expect((listed.body.municipalities as unknown[]).length).toBe(3);
    for (const where of CITIES) {
      const shown = await nation.service.call(`/api/v2/public/municipalities/${where.code}/occupancy`);
      expect(shown.body).toMatchObject({
        municipality: { code: where.code },
        areas: [{ available_now: 299 }, {}],
      });
    }
  });
});
