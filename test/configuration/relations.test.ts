import { beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY, configurationOf, inRome, issuePathsOf, mustPut, put, storedRome } from './support.ts';

beforeEach(async () => {
  await freshDatabase();
  await mustPut(CITY);
});

describe('Facility settings', () => {
  it.each([
    ['a street', { code: 'S1', facility: {} }],
    ['a street that stays one', { code: 'S1', area_type: 'street', facility: { service_enabled: true } }],
    ['what becomes a street', { code: 'P1', area_type: 'street', facility: { entry_grace_minutes: 1 } }],
    ['a new street', { code: 'S2', name: 'Via', area_type: 'street', facility: {} }],
  ])('are refused on %s', async (_, area) => {
    const answer = await put(inRome({ areas: [area] }));
    expect(issuePathsOf(answer)).toEqual(['municipalities.0.areas.0.facility']);
  });

  it('stay with a facility that is a street for a while, and shows none', async () => {
    const before = (await storedRome()).areas[0]?.facility;
    await mustPut(inRome({ areas: [{ code: 'P1', area_type: 'street' }] }));
    expect((await storedRome()).areas[0]).not.toHaveProperty('facility');
    expect(await mustPut(await configurationOf('H501'))).toMatchObject({ created: 0, updated: 0 });
    const facility = { entry_grace_minutes: 3 };
    await mustPut(inRome({ areas: [{ code: 'P1', area_type: 'facility', facility }] }));
    expect((await storedRome()).areas[0]?.facility).toEqual({ ...Object(before), ...facility });
  });
});

describe('Coordinates', () => {
  const coordinates = async (index: number) => {
    const { latitude, longitude } = (await storedRome()).areas[index] ?? {};
    return [latitude, longitude];
  };

  it.each<[string, object, string]>([
    ['a latitude where there is none', { code: 'S1', latitude: 1 }, 'longitude'],
    ['a longitude where there is none', { code: 'S1', longitude: 1 }, 'latitude'],
    ['a latitude next to a null', { code: 'S1', latitude: 0, longitude: null }, 'longitude'],
    ['a null for the latitude of two', { code: 'P1', latitude: null }, 'latitude'],
    ['a null for the longitude of two', { code: 'P1', longitude: null }, 'longitude'],
    ['a latitude of a new area', { code: 'N', name: 'N', area_type: 'street', latitude: 1 }, 'longitude'],
    ['one north of the pole', { code: 'S1', latitude: 90.000001, longitude: 0 }, 'latitude'],
    ['one south of the pole', { code: 'S1', latitude: -90.000001, longitude: 0 }, 'latitude'],
    ['one east of the date line', { code: 'S1', latitude: 0, longitude: 180.000001 }, 'longitude'],
    ['one west of the date line', { code: 'S1', latitude: 0, longitude: -180.000001 }, 'longitude'],
  ])('are refused as the area would stand with %s', async (_, given, wrong) => {
    expect(issuePathsOf(await put(inRome({ areas: [given] })))).toEqual([
      `municipalities.0.areas.0.${wrong}`,
    ]);
    expect(await coordinates(0)).toEqual([41.9028, 12.4964]);
  });

  it('are taken to the last digit, changed one by one where the other stands, and reset both', async () => {
    for (const [latitude, longitude] of [
      [-90, 180],
      [7.686856000000001, 0.1 + 0.2],
      [1e-7, 5e-324],
    ]) {
      await mustPut(inRome({ areas: [{ code: 'S1', latitude, longitude }] }));
      expect(await coordinates(1)).toEqual([latitude, longitude]);
    }
    await mustPut(inRome({ areas: [{ code: 'S1', latitude: -33.5 }] }));
    expect(await coordinates(1)).toEqual([-33.5, 5e-324]);
    await mustPut(inRome({ areas: [{ code: 'S1', latitude: null, longitude: null }] }));
    expect(await coordinates(1)).toEqual([null, null]);
  });
});

describe('items refer to each other', () => {
  it('a plan to a type of the same document, also one that stands behind it', async () => {
    const counts = await mustPut(
      inRome({
        plans: [{ codice_tariffa: '101', subscription_type: 'NEW' }],
        subscription_types: [{ code: 'NEW', name: 'New' }],
      }),
    );
    expect(counts).toEqual({ created: 1, updated: 1, unchanged: 1 });
    expect((await storedRome()).plans[0]?.subscription_type).toBe('NEW');
  });

  it("a plan never to another municipality's type", async () => {
    const milan = { code: 'F205', name: 'Milano', timezone: 'Europe/Rome', tenant: 'acme' };
    const plans = CITY.municipalities[0]?.plans;
    expect(issuePathsOf(await put({ municipalities: [{ ...milan, plans }] }))).toEqual([
      'municipalities.0.plans.0.subscription_type',
    ]);
  });

  it('a municipality for ever to the same tenant', async () => {
    await mustPut({ tenants: [{ code: 'other', name: 'Other' }] });
    for (const tenant of ['other', 'nobody']) {
      expect(issuePathsOf(await put(inRome({ tenant })))).toEqual(['municipalities.0.tenant']);
    }
    expect(await mustPut(inRome({ tenant: 'acme' }))).toEqual({ created: 0, updated: 0, unchanged: 1 });
    expect(await configurationOf('H501')).toEqual(CITY);
  });
});
