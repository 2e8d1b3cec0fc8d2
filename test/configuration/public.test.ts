import { beforeEach, describe, expect, it } from 'vitest';
import { CITY, configurationOf, inRome, issuePathsOf, mustPut, NOTHING_SAID, put } from './support.ts';

beforeEach(async () => {
  await mustPut(CITY);
});

const area = async (code: string) =>
  (await configurationOf('H501')).municipalities?.[0]?.areas?.find((one) => one.code === code);

describe('Coordinates', () => {
  const PAIR = { latitude: 45.0703, longitude: 7.6869 };

  it('are taken both, and reset both by an explicit null', async () => {
    await mustPut(inRome({ areas: [{ code: 'S1', ...PAIR }] }));
    expect(await area('S1')).toMatchObject(PAIR);
    const none = { latitude: null, longitude: null };
    await mustPut(inRome({ areas: [{ code: 'S1', ...none }] }));
    expect(await area('S1')).toMatchObject(none);
  });

  it.each<[string, object, string]>([
    ['a latitude where there is none', { code: 'S1', latitude: 1 }, 'longitude'],
    ['a longitude where there is none', { code: 'S1', longitude: 1 }, 'latitude'],
    ['a latitude next to a null', { code: 'S1', latitude: 0, longitude: null }, 'longitude'],
    ['a null for the latitude of two', { code: 'P1', latitude: null }, 'latitude'],
    ['a null for the longitude of two', { code: 'P1', longitude: null }, 'longitude'],
    ['a latitude of a new area', { code: 'N', name: 'N', area_type: 'street', latitude: 1 }, 'longitude'],
  ])('are refused as the area would stand with %s', async (_, given, missing) => {
    expect(issuePathsOf(await put(inRome({ areas: [given] })))).toEqual([
      `municipalities.0.areas.0.${missing}`,
    ]);
    expect(await area('P1')).toMatchObject({ latitude: 41.9028, longitude: 12.4964 });
  });

  it('are changed one by one where the other stands', async () => {
    await mustPut(inRome({ areas: [{ code: 'P1', latitude: -33.5 }] }));
    expect(await area('P1')).toMatchObject({ latitude: -33.5, longitude: 12.4964 });
  });

  it('come back to the last digit, so that the same document changes nothing', async () => {
    const digits = [1 / 3, 0.1 + 0.2, 7.686856000000001, 45.07031230000017, 5e-324, 1e-7, 89.99999999999999];
    const areas = digits.flatMap((latitude, index) => [
      { code: `N${index}`, name: 'N', area_type: 'street' as const, latitude, longitude: -latitude * 1.7 },
    ]);
    await mustPut(inRome({ areas }));
    expect(await mustPut(inRome({ areas }))).toEqual({
      created: 0,
      updated: 0,
      unchanged: digits.length + 1,
    });
    for (const { code, latitude, longitude } of areas) {
      expect(await area(code)).toMatchObject({ latitude, longitude });
    }
  });
});

describe('What the public is shown of an area', () => {
  const SAID = {
    address: 'Piazza "Centrale" <1>, לחניה',
    website: 'https://parcheggi.example/centro?a=1&b=%20#x',
    price_note: '2 € l’ora',
    max_height_cm: 210,
    disabled_spaces: 6,
    charging_spaces: 0,
    closed_until: '2026-12-27T06:00:00+01:00',
  };

  it('is nothing by default, comes back as it was put, and is reset by an explicit null', async () => {
    expect(await area('S1')).toMatchObject(NOTHING_SAID);
    const document = inRome({ areas: [{ code: 'S1', ...SAID }] });
    await mustPut(document);
    expect(await area('S1')).toMatchObject(SAID);
    expect(await mustPut(document)).toEqual({ created: 0, updated: 0, unchanged: 2 });
    // Absent is kept.
    await mustPut(inRome({ areas: [{ code: 'S1', capacity: 41 }] }));
    expect(await area('S1')).toMatchObject(SAID);
    await mustPut(inRome({ areas: [{ code: 'S1', ...NOTHING_SAID }] }));
    expect(await area('S1')).toMatchObject(NOTHING_SAID);
  });

  it('is the same instant however it is written, and comes back by the clocks of its city', async () => {
    await mustPut(inRome({ areas: [{ code: 'S1', closed_until: '2026-12-27T05:00:00.000Z' }] }));
    expect(await area('S1')).toMatchObject({ closed_until: '2026-12-27T06:00:00+01:00' });
    const again = inRome({ areas: [{ code: 'S1', closed_until: '2026-12-27T06:00+01:00' }] });
    expect(await mustPut(again)).toMatchObject({ updated: 0 });
  });
});

it('A country is taken by its code, and refused where it is none', async () => {
  await mustPut(inRome({ country: ' FR ' }));
  expect((await configurationOf('H501')).municipalities[0]?.country).toBe('FR');
  expect(issuePathsOf(await put(inRome({ country: 'XX' })))).toEqual(['municipalities.0.country']);
});
