import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { SECOND_MS } from '../../src/domain/instant.ts';
import { put as putDocument } from '../configuration/support.ts';
import { expectRefusal } from '../conformance/envelope.ts';
import { snapshotsDouble } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import {
  beginAfterTheRun,
  LIST,
  minuteRuns,
  NEIGHBOUR,
  NOW,
  OCCUPANCY,
  put,
  seedCities,
  withoutDatabase,
} from './city.ts';

beforeAll(seedCities);
beginAfterTheRun();

const get = (path: string, service = withoutDatabase()) => service.call(path);
const neighbour = () => get(`${LIST}/${NEIGHBOUR}/occupancy`);
const switched = (isOn: boolean) => put({ services: { public_occupancy: isOn } });

describe('A configuration', () => {
  it('that switches a municipality off or on shows at once, and takes no other city’s snapshot away', async () => {
    expect((await switched(false)).status).toBe(200);
    expectRefusal(await get(OCCUPANCY), 404, 'NOT_FOUND');
    expect((await get(LIST)).body.municipalities).toMatchObject([{ code: NEIGHBOUR }]);
    expect((await neighbour()).status).toBe(200);
    await switched(true);
    expect((await get(OCCUPANCY)).status).toBe(200);
    expect((await get(LIST)).body.municipalities).toMatchObject([{ code: 'H501' }, { code: NEIGHBOUR }]);
  });

  it('that deactivates a city, or a tenant, leaves it private', async () => {
    const alone = { code: 'ALONE', name: 'Alone', timezone: 'Europe/Rome', tenant: 'acme' };
    const path = `${LIST}/ALONE/occupancy`;
    await put({ ...alone, services: { public_occupancy: true } });
    expect((await get(path)).status).toBe(200);
    await put({ code: 'ALONE', active: false });
    expectRefusal(await get(path), 404, 'NOT_FOUND');
    await put({ code: 'ALONE', active: true });
    expect((await get(path)).status).toBe(200);

    const tenant = (active: boolean) => putDocument({ tenants: [{ code: 'acme', active }] });
    await tenant(false);
    expect((await get(LIST)).body.municipalities).toEqual([]);
    expectRefusal(await get(path), 404, 'NOT_FOUND');
    await tenant(true);
    expect((await get(OCCUPANCY)).status).toBe(200);
    await put({ code: 'ALONE', active: false });
  });

  it('shows within seconds to an isolate that has asked before', async () => {
    const service = withoutDatabase();
    expect((await get(OCCUPANCY, service)).status).toBe(200);
    // Another isolate writes: this one does not hear of it.
    await switched(false);
    vi.setSystemTime(NOW + 5 * SECOND_MS);
    expectRefusal(await get(OCCUPANCY, service), 404, 'NOT_FOUND');
    await switched(true);
  });

  it('that KV does not take shows with the next minute’s run', async () => {
    const SNAPSHOTS = snapshotsDouble((run, method) =>
      method === 'put' ? Promise.reject(new Error('KV is full')) : run(),
    );
    await put({ services: { public_occupancy: false } }, new Service({ SNAPSHOTS }));
    expect((await get(OCCUPANCY)).status).toBe(200);
    vi.setSystemTime(NOW + 60 * SECOND_MS);
    await minuteRuns();
    expectRefusal(await get(OCCUPANCY), 404, 'NOT_FOUND');
    await switched(true);
  });
});

describe('The minute’s run', () => {
  it('writes the directory, fails when it cannot, and leaves the snapshots all the same', async () => {
    const SNAPSHOTS = snapshotsDouble((run, method, key) =>
      method === 'put' && key === 'public' ? Promise.reject(new Error('too many writes')) : run(),
    );
    vi.setSystemTime(NOW + 60 * SECOND_MS);
    await expect(minuteRuns({ SNAPSHOTS })).rejects.toThrow();
    expect((await get(OCCUPANCY)).body.as_of).toBe('2026-03-07T12:01:00+01:00');
  });

  it('puts no plate and no session into KV, and a public answer has none', async () => {
    const { keys } = await env.SNAPSHOTS.list();
    const stored = await Promise.all(keys.map(({ name }) => env.SNAPSHOTS.get(name)));
    const answers = [
      (await get(OCCUPANCY)).body,
      (await get(OCCUPANCY.replace('occupancy', 'parking-publication-light'))).body,
    ];
    const said = JSON.stringify([keys, stored, answers]);
    expect(said).toContain('available_now');
    expect(said).not.toMatch(/ZQ\d{3}WXK/);
  });
});
