import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { readSnapshot } from '../../src/core/snapshots/snapshot-store.ts';
import { instant, SECOND_MS } from '../../src/domain/instant.ts';
import { snapshotsDouble } from '../support/doubles.ts';
import { ADMIN, Service } from '../support/service.ts';
import { beginWithEmptyCity, minuteRuns, NOW, report, SNAPSHOT } from './city.ts';

beginWithEmptyCity();

describe('A change of the configuration', () => {
  const put = (municipality: object, service = new Service()) =>
    service.call('/api/v2/admin/configuration', {
      method: 'PUT',
      headers: ADMIN,
      body: { municipalities: [{ code: 'H501', ...municipality }] },
    });
  const area = (capacity: number) => ({ areas: [{ code: 'S1', capacity }] });
  const capacity = async () => ((await report()).body.rows as { capacity: number }[])[0]?.capacity;

  it('leaves a new snapshot of its municipality, and shows at once', async () => {
    await minuteRuns();
    expect(await capacity()).toBe(40);
    expect((await put(area(41))).status).toBe(200);
    const fromKv = await readSnapshot(env.SNAPSHOTS, 'H501', instant(Date.now()));
    expect(fromKv?.areas.find(({ code }) => code === 'S1')?.capacity).toBe(41);
    expect(await capacity()).toBe(41);
    expect((await put(area(40))).status).toBe(200);
    expect(await capacity()).toBe(40);
  });

  it('that changes nothing leaves the snapshot', async () => {
    await minuteRuns();
    await put(area(40));
    expect(await env.SNAPSHOTS.get(SNAPSHOT)).not.toBeNull();
  });

  it('is made though KV cannot be reached, and shows after 120 s', async () => {
    await minuteRuns();
    const SNAPSHOTS = snapshotsDouble(() => Promise.reject(new Error('KV is away')));
    expect((await put(area(42), new Service({ SNAPSHOTS }))).status).toBe(200);
    expect(await capacity()).toBe(40);
    vi.setSystemTime(NOW + 120 * SECOND_MS + 1);
    expect(await capacity()).toBe(42);
    await put(area(40));
  });

  it('that switches the report off refuses it, and one that switches it on again is believed', async () => {
    await minuteRuns();
    await put({ services: { report: false } });
    expect((await report()).body.error).toMatchObject({ code: 'SERVICE_DISABLED' });
    await minuteRuns();
    expect((await report()).body.error).toMatchObject({ code: 'SERVICE_DISABLED' });
    await env.DB.prepare('update municipalities set report_enabled = 1').run();
    // The snapshot says no: only the database may.
    expect((await report()).status).toBe(200);
  });

  it('that disables the tenant shows with the minute’s next snapshot', async () => {
    await minuteRuns();
    const tenant = (isActive: boolean) =>
      new Service().call('/api/v2/admin/configuration', {
        method: 'PUT',
        headers: ADMIN,
        body: { tenants: [{ code: 'acme', active: isActive }] },
      });
    await tenant(false);
    await minuteRuns();
    expect((await report()).body.error).toMatchObject({ code: 'TENANT_DISABLED' });
    await tenant(true);
    await minuteRuns();
    expect((await report()).status).toBe(200);
  });
});
