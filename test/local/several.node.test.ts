import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instant } from '../../src/domain/instant.ts';
import { municipalityCodes, readAreas } from '../../tools/local/demo/areas.ts';
import { ordinarySubscriptions } from '../../tools/local/demo/residents.ts';
import { ServiceClient } from '../../tools/local/service-client.ts';
import { freePort } from '../support/free-port.ts';
import { PRINTED, SECRETS, START_MS, type Started, start } from './started.ts';

const CITIES = municipalityCodes(readAreas());
const DATABASES = ['DB', 'DB_2', 'DB_3'];

describe('A start with three databases', () => {
  let started: Started;
  let address: string;
  let administrator: ServiceClient;
  let officer: ServiceClient;

  beforeAll(async () => {
    const port = await freePort();
    const stateDir = mkdtempSync(join(tmpdir(), 'several-'));
    started = await start(port, stateDir, PRINTED, ['--databases', '3']);
    address = `http://localhost:${port}`;
    administrator = new ServiceClient(address, SECRETS.ADMIN_TOKEN);
    const { access_token } = await administrator.succeed('POST', '/api/v2/admin/credentials', {
      ...{ tenant: 'demo', name: 'Officer', municipalities: CITIES },
      scopes: ['plate_check', 'report'],
    });
    officer = new ServiceClient(address, String(access_token));
    // Each database is brought up to date by itself.
  }, 2 * START_MS);
  afterAll(() => started?.child.kill('SIGTERM'));

  /** A resident of the city is checked there: what the answer says of the plate. */
  async function checkResident(code: string): Promise<Record<string, unknown>> {
    const resident = ordinarySubscriptions(CITIES, instant(Date.now())).find(
      ({ municipalityCode }) => municipalityCode === code,
    );
    const plate = resident?.line.plates[0]?.plate;
    const answer = await officer.succeed('POST', '/api/v2/parking-entitlements/search', {
      plate: plate ?? expect.fail(code),
      municipality_code: code,
    });
    const { request_id: _, checked_at: __, ...rest } = answer;
    return rest;
  }

  async function citiesByDatabase(): Promise<Record<string, string[]>> {
    const response = await fetch(`${address}/api/v2/admin/databases`, {
      headers: { Authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` },
    });
    const { databases } = (await response.json()) as {
      databases: { name: string; municipalities: string[] }[];
    };
    return Object.fromEntries(databases.map(({ name, municipalities }) => [name, municipalities]));
  }

  it('binds all three, and has put one of the cities into each', async () => {
    expect(CITIES).toHaveLength(3);
    const expected = DATABASES.map((name, index) => [name, [CITIES[index]]]);
    expect(await citiesByDatabase()).toEqual(Object.fromEntries(expected));
  });

  it.each(CITIES)('answers a check in %s', async (code) => {
    expect(await checkResident(code)).toMatchObject({
      municipality: { code },
      has_valid_entitlement: true,
      has_valid_subscription: true,
    });
  });

  it('makes the report of every city each minute', async () => {
    const run = await fetch(
      `${address}/cdn-cgi/handler/scheduled?${new URLSearchParams({ cron: '* * * * *' })}`,
    );
    expect([run.status, await run.text()]).toEqual([200, expect.any(String)]);
    for (const municipality_code of CITIES) {
      const body = { municipality_code, area_type: 'facility' };
      const report = await officer.succeed('POST', '/api/v2/parking/reports/active-by-area', body);
      expect(report).toMatchObject({ municipality: { code: municipality_code } });
      expect(report.totals).toMatchObject({ active_now: expect.any(Number) });
      expect((report.totals as { active_now: number }).active_now).toBeGreaterThan(0);
      const shown = await fetch(`${address}/api/v2/public/municipalities/${municipality_code}/occupancy`);
      expect([municipality_code, shown.status]).toEqual([municipality_code, 200]);
    }
  });

  it('moves a city to another database, where the same check has the same answer', async () => {
    const [city = ''] = CITIES;
    const before = await checkResident(city);
    let state: unknown = 'copying';
    for (let calls = 0; state !== 'done' && calls < 50; calls += 1) {
      const path = `/api/v2/admin/municipalities/${city}/move`;
      ({ state } = await administrator.succeed('POST', path, { to: 'DB_3' }));
      expect(await checkResident(city)).toEqual(before);
    }
    expect(state).toBe('done');
    expect((await citiesByDatabase()).DB_3).toContain(city);
    expect(await checkResident(city)).toEqual(before);
  }, 60_000);
});
