import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { SECOND_MS } from '../../src/domain/instant.ts';
import { NOTHING_SAID } from '../configuration/support.ts';
import { expectRefusal } from '../conformance/envelope.ts';
import {
  AT_CENTRO,
  beginAfterTheRun,
  FEATURES,
  LIST,
  NEIGHBOUR,
  NOW,
  OCCUPANCY,
  seedCities,
  withoutDatabase,
} from './city.ts';

beforeAll(seedCities);
beginAfterTheRun();

const get = (path: string, headers = {}) => withoutDatabase().call(path, { headers });
const areaCodes = async (path: string) =>
  ((await get(path)).body.areas as { code: string }[]).map(({ code }) => code);

describe('The public municipalities', () => {
  it('are those that are active, of an active tenant, and switched on, by code', async () => {
    const { status, body } = await get(LIST);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      ok: true,
      request_id: expect.any(String),
      municipalities: [
        { code: 'H501', name: 'Roma', timezone: 'Europe/Rome' },
        { code: NEIGHBOUR, name: 'Neighbour', timezone: 'Europe/London' },
      ],
    });
  });

  it('are none before anybody has been public', async () => {
    await env.SNAPSHOTS.delete('public');
    vi.setSystemTime(NOW + 10 * SECOND_MS);
    expect((await get(LIST)).body.municipalities).toEqual([]);
    expectRefusal(await get(OCCUPANCY), 404, 'NOT_FOUND');
  });

  it('are a failure while what is stored cannot be read', async () => {
    await env.SNAPSHOTS.put('public', '{"version":2}');
    vi.setSystemTime(NOW + 10 * SECOND_MS);
    expectRefusal(await get(LIST), 500, 'TEMPORARY_ERROR');
    expectRefusal(await get(OCCUPANCY), 500, 'TEMPORARY_ERROR');
  });
});

describe('The occupancy', () => {
  it('has every active area by code, with what is free now and later', async () => {
    const { status, body } = await get(OCCUPANCY);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      ok: true,
      request_id: expect.any(String),
      api_version: '1.0',
      municipality: { code: 'H501', name: 'Roma' },
      timezone: 'Europe/Rome',
      as_of: '2026-03-07T12:00:00+01:00',
      refresh_after_seconds: 60,
      data_quality: 'good',
      last_source_success_at: '2026-03-07T12:00:00+01:00',
      areas: [
        {
          code: 'P1',
          name: 'Parcheggio Centro',
          area_type: 'facility',
          ...AT_CENTRO,
          capacity: 4,
          available_now: 1,
          available_after_30: 2,
          available_after_60: 3,
          occupancy_percent: 75,
          status: 'almost_full',
          ...NOTHING_SAID,
          address: 'Piazza Centrale 1',
          website: 'https://parcheggi.example/centro?a=1&b=2',
          price_note: '2 € l’ora',
          max_height_cm: 210,
          disabled_spaces: 2,
          charging_spaces: 0,
          payment_due: true,
          payment_due_changes_at: null,
          closed_until: '2026-03-07T12:00:00+01:00',
        },
        {
          code: 'S1',
          name: 'Via Roma',
          area_type: 'street',
          latitude: null,
          longitude: null,
          capacity: null,
          available_now: null,
          available_after_30: null,
          available_after_60: null,
          occupancy_percent: null,
          status: 'unknown',
          ...NOTHING_SAID,
          payment_due: true,
          payment_due_changes_at: null,
        },
        expect.objectContaining({ code: 'S2', latitude: 0, longitude: -0.5, status: 'available' }),
      ],
    });
  });

  it('is of the areas of a type where one is asked for', async () => {
    expect(await areaCodes(`${OCCUPANCY}?area_type=street`)).toEqual(['S1', 'S2']);
    expect(await areaCodes(`${OCCUPANCY}?area_type=facility`)).toEqual(['P1']);
    // None of that type is an empty list, and no error.
    expect(await areaCodes(`${LIST}/${NEIGHBOUR}/occupancy?area_type=street`)).toEqual([]);
  });

  it.each(['', 'park', 'Street', 'street,facility'])('refuses the area type %j', async (type) => {
    const answer = await get(`${OCCUPANCY}?area_type=${type}`);
    expectRefusal(answer, 422, 'INVALID_REQUEST');
    expect(answer.headers.get('Cache-Control')).toBe('no-store, private');
    expect(answer.body.error).toMatchObject({ details: { issues: [{ path: 'area_type' }] } });
  });

  it('ignores parameters that it does not know', async () => {
    expect((await get(`${OCCUPANCY}?_=123`)).status).toBe(200);
  });

  it('is never answered from a snapshot that is too old: a failure says when to ask again', async () => {
    vi.setSystemTime(NOW + 120 * SECOND_MS);
    expect((await get(OCCUPANCY)).status).toBe(200);
    vi.setSystemTime(NOW + 120 * SECOND_MS + 1);
    const failed = await get(OCCUPANCY);
    expectRefusal(failed, 500, 'TEMPORARY_ERROR');
    expect(failed.headers.get('Retry-After')).toBe('1');
    expect(failed.headers.get('Cache-Control')).toBe('no-store, private');
  });
});

describe('A code that shows nothing to the public', () => {
  const codes = [
    'NONE',
    'PRIVATE',
    'INACTIVE',
    'DISABLED',
    'h501',
    'H501%20',
    '%00',
    '%E0%A4%A',
    '..%2F',
    'constructor',
  ];

  it.each(codes)('is not found, in the same words as any other: %s', async (code) => {
    for (const path of ['occupancy', 'parking-publication-light']) {
      const answer = await get(`${LIST}/${code}/${path}`);
      expectRefusal(answer, 404, 'NOT_FOUND');
      expect(answer.headers.get('Cache-Control')).toBe('no-store, private');
      expect(answer.headers.get('ETag')).toBeNull();
      expect(answer.body.error).toEqual({
        code: 'NOT_FOUND',
        message: 'No municipality with this code shows its occupancy to the public.',
      });
    }
  });

  it('is in Italian where that is preferred', async () => {
    const answer = await get(`${LIST}/NONE/occupancy`, { 'Accept-Language': 'it' });
    expect(answer.headers.get('Content-Language')).toBe('it');
    expect(answer.body.error).toMatchObject({ message: expect.stringContaining('Nessun comune') });
  });
});

describe('The occupancy in GeoJSON', () => {
  it('is that of RFC 7946, with the areas that have coordinates and all that is said of them', async () => {
    const { status, headers, body } = await get(FEATURES);
    expect([status, headers.get('Content-Type')]).toEqual([200, 'application/geo+json']);
    const { as_of, data_quality, last_source_success_at, areas } = (await get(OCCUPANCY)).body;
    const features = (areas as Record<string, unknown>[])
      .filter(({ latitude }) => latitude !== null)
      .map(({ latitude, longitude, ...properties }) => ({
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [longitude, latitude] },
        properties,
      }));
    expect(features.map(({ properties }) => properties)).toMatchObject([{ code: 'P1' }, { code: 'S2' }]);
    expect(body).toEqual({
      type: 'FeatureCollection',
      as_of,
      data_quality,
      last_source_success_at,
      features,
    });
  });

  it('may be of one type of area', async () => {
    const { body } = await get(`${FEATURES}?area_type=street`);
    expect(body.features).toMatchObject([
      { geometry: { coordinates: [-0.5, 0] }, properties: { code: 'S2' } },
    ]);
  });
});
