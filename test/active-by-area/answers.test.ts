import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { City } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { noSnapshots } from '../support/doubles.ts';
import { APP_SOURCE, CITY, FACILITY, importEnded, ROME, STREET } from '../support/seed.ts';
import { Service } from '../support/service.ts';

/** A Saturday noon in Rome. */
const NOW = Date.UTC(2026, 2, 7, 11);
const PATH = '/api/v2/parking/reports/active-by-area';

const session = { municipalityId: 1, sourceCode: 'app1', startsAt: NOW - HOUR_MS };
const stays = (minutes: number) => ({ endsAt: NOW + minutes * MINUTE_MS });

const city = new City(
  {
    ...CITY,
    municipalities: [ROME, { ...ROME, id: 2, code: 'EMPTY', name: 'Vuota' }],
    areas: [
      { ...STREET, id: 1, code: 'S2', name: 'Via Roma', capacity: 2 },
      { ...STREET, id: 2, code: 'S10', name: 'Via Po', capacity: null },
      { ...STREET, id: 3, code: 'CLOSED', active: false },
      { ...FACILITY, id: 4, code: 'P1' },
    ],
    sources: [
      { ...APP_SOURCE, id: 1, code: 'meters', name: 'Meters', category: 'meter', isSystem: true },
      { ...APP_SOURCE, id: 2, code: 'app1' },
      { ...APP_SOURCE, id: 3, code: 'gone', active: false },
    ],
    imports: [importEnded(NOW - 15 * MINUTE_MS, { sourceId: 2 })],
    parkingSessions: [
      { ...session, sessionId: '1', areaId: 1, plate: 'A', ...stays(10) },
      { ...session, sessionId: '2', areaId: 1, plate: 'B', ...stays(45) },
      { ...session, sessionId: '3', areaId: 1, plate: 'C', ...stays(90) },
      { ...session, sourceCode: 'meters', sessionId: '4', areaId: 1, plate: 'C', ...stays(20) },
      { ...session, sourceCode: 'gone', sessionId: '5', areaId: 2, plate: 'A', ...stays(90) },
      { ...session, sessionId: '6', areaId: 2, plate: 'D', startsAt: NOW + 1, ...stays(90) },
      { ...session, sessionId: '7', areaId: 3, plate: 'E', ...stays(90) },
      { ...session, sessionId: '8', areaId: 4, plate: 'F' },
    ],
  },
  { now: NOW },
);
const service = new Service({ SNAPSHOTS: noSnapshots() });
const report = (body: object = {}, headers = {}, isolate = service) =>
  city.post(PATH, body, headers, isolate);

describe('The report', () => {
  it('answers the streets of the only municipality, by default', async () => {
    const { status, body } = await report();
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      ok: true,
      request_id: expect.any(String),
      api_version: '2.0',
      report: 'active_by_area',
      report_version: '1.0',
      supported: true,
      timezone: 'Europe/Rome',
      refresh_after_seconds: 60,
      municipality: { code: 'H501', name: 'Roma' },
      filters: { area_type: 'street', source_id: null },
      sources: [
        { id: 2, code: 'app1', name: 'App One', category: 'app', active: true, is_system: false },
        { id: 3, code: 'gone', name: 'App One', category: 'app', active: false, is_system: false },
        { id: 1, code: 'meters', name: 'Meters', category: 'meter', active: true, is_system: true },
      ],
      selected_source: null,
      areas_count: 2,
      rows: [
        {
          area: { id: 2, code: 'S10', name: 'Via Po', area_type: 'street' },
          capacity: null,
          active_now: 1,
          active_after_30: 2,
          active_after_60: 2,
          ending_within_30: 0,
          ending_between_30_60: 0,
          available_now: null,
          available_after_30: null,
          available_after_60: null,
          excess_now: null,
          occupancy_percent: null,
          source_active_now: null,
          source_active_after_30: null,
          source_active_after_60: null,
        },
        {
          area: { id: 1, code: 'S2', name: 'Via Roma', area_type: 'street' },
          capacity: 2,
          active_now: 3,
          active_after_30: 2,
          active_after_60: 1,
          ending_within_30: 1,
          ending_between_30_60: 1,
          available_now: 0,
          available_after_30: 0,
          available_after_60: 1,
          excess_now: 1,
          occupancy_percent: 150,
          source_active_now: null,
          source_active_after_30: null,
          source_active_after_60: null,
        },
      ],
      totals: {
        active_now: 4,
        active_after_30: 4,
        active_after_60: 3,
        ending_within_30: 1,
        ending_within_60: 2,
        ending_between_30_60: 1,
        areas_count: 2,
        configured_areas_count: 1,
      },
      source_totals: null,
      capacity_totals: {
        configured_areas_count: 1,
        configured_count: 1,
        unconfigured_count: 1,
        spaces_count: 2,
        active_now: 3,
        active_after_30: 2,
        active_after_60: 1,
        available_now: 0,
        available_after_30: 0,
        available_after_60: 1,
        excess_now: 1,
        occupancy_percent: 150,
      },
      source_freshness: [
        { source_id: 2, status: 'fresh', last_successful_import_at: '2026-03-07T11:45:00+01:00' },
        { source_id: 3, status: 'never', last_successful_import_at: null },
        { source_id: 1, status: 'native', last_successful_import_at: null },
      ],
      generated_at: '2026-03-07T12:00:00+01:00',
      checked_at: '2026-03-07T12:00:00+01:00',
      after_30: '2026-03-07T12:30:00+01:00',
      after_60: '2026-03-07T13:00:00+01:00',
    });
  });

  it('answers the facilities where they are asked for', async () => {
    const { body } = await report({ area_type: 'facility' });
    expect(body).toMatchObject({
      filters: { area_type: 'facility' },
      areas_count: 1,
      rows: [{ area: { code: 'P1' }, active_now: 1, available_now: 299, occupancy_percent: 0.3 }],
    });
  });

  it('with a source fills what is the source’s, and leaves the rest as it is without', async () => {
    const [all, { body }] = [(await report()).body, await report({ source_id: 2 })];
    expect(body).toMatchObject({
      filters: { area_type: 'street', source_id: 2 },
      selected_source: { id: 2, code: 'app1' },
      source_totals: {
        active_now: 3,
        active_after_30: 3,
        active_after_60: 2,
        ending_within_30: 1,
        ending_within_60: 2,
        ending_between_30_60: 1,
      },
      rows: [
        { source_active_now: 0, source_active_after_30: 1, source_active_after_60: 1 },
        { source_active_now: 3, source_active_after_30: 2, source_active_after_60: 1 },
      ],
    });
    expect([body.totals, body.capacity_totals]).toEqual([all.totals, all.capacity_totals]);
  });

  it('takes null and blank for absent, and a trimmed code', async () => {
    const [absent, ...given] = [
      await report(),
      await report({ municipality_code: null, area_type: null, source_id: null }),
      await report({ municipality_code: ' ', area_type: '' }),
      await report({ municipality_code: ' H501 ' }),
    ];
    for (const { body } of given) {
      expect({ ...body, request_id: null }).toEqual({ ...absent?.body, request_id: null });
    }
  });

  it('answers a municipality without areas, sources and sessions', async () => {
    const { status, body } = await report({}, (await issueCredential({}, [2])).headers);
    expect([status, body]).toMatchObject([
      200,
      {
        areas_count: 0,
        rows: [],
        sources: [],
        source_freshness: [],
        totals: { active_now: 0, areas_count: 0, configured_areas_count: 0, ending_within_60: 0 },
        capacity_totals: { configured_count: 0, occupancy_percent: null },
      },
    ]);
  });
});
