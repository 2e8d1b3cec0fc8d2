import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { SECOND_MS } from '../../src/domain/instant.ts';
import { put } from '../configuration/support.ts';
import { snapshotsDouble } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { beginWithEmptyCity, configure, minuteRuns, NOW, report, SNAPSHOT, withoutDatabase } from './city.ts';

beginWithEmptyCity();

describe('A change of the configuration', () => {
  const area = (capacity: number) => ({ areas: [{ code: 'S1', capacity }] });
  const capacity = async (service?: Service) =>
    ((await report(service)).body.rows as { capacity: number }[])[0]?.capacity;

  it('leaves a new snapshot of its municipality, and shows at once', async () => {
    await minuteRuns();
    expect(await capacity(withoutDatabase())).toBe(40);
    expect((await configure(area(41))).status).toBe(200);
    expect(await capacity(withoutDatabase())).toBe(41);
    await configure(area(40));
  });

  it('is made though KV cannot be reached, and shows after 120 s', async () => {
    await minuteRuns();
    const SNAPSHOTS = snapshotsDouble(() => Promise.reject(new Error('KV is away')));
    expect((await configure(area(42), new Service({ SNAPSHOTS }))).status).toBe(200);
    expect(await capacity()).toBe(40);
    vi.setSystemTime(NOW + 120 * SECOND_MS + 1);
    expect(await capacity()).toBe(42);
    await configure(area(40));
    expect(await env.SNAPSHOTS.get(SNAPSHOT)).not.toBeNull();
  });

  it('that switches the report off refuses it, and one that switches it on again is believed', async () => {
    await minuteRuns();
    await configure({ services: { report: false } });
    expect((await report()).body.error).toMatchObject({ code: 'SERVICE_DISABLED' });
    await env.DB.prepare('update municipalities set report_enabled = 1').run();
    // The snapshot says no: only the database may.
    expect((await report()).status).toBe(200);
  });

  it('that disables the tenant is told before one that switches the municipality off', async () => {
    const change = async (tenant: boolean, municipality: boolean) => {
      await put({ tenants: [{ code: 'acme', active: tenant }] });
      await env.DB.prepare('update municipalities set active = ? where id = 1').bind(+municipality).run();
      return (await report()).body.error;
    };
    expect(await change(false, false)).toMatchObject({ code: 'TENANT_DISABLED' });
    expect(await change(true, false)).toMatchObject({ code: 'MUNICIPALITY_NOT_ALLOWED' });
    expect(await change(true, true)).toBeUndefined();
  });

  it('that disables the tenant shows with the minute’s next snapshot', async () => {
    const tenant = async (active: boolean) => {
      await put({ tenants: [{ code: 'acme', active }] });
      await minuteRuns();
    };
    await tenant(false);
    expect((await report()).body.error).toMatchObject({ code: 'TENANT_DISABLED' });
    await tenant(true);
    expect((await report()).status).toBe(200);
  });
});
