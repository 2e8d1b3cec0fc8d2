import { type Schema, Validator } from '@cfworker/json-schema';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  AT_CENTRO,
  beginAfterTheRun,
  LIST,
  NEIGHBOUR,
  PUBLICATION,
  put,
  seedCities,
  withoutDatabase,
} from './city.ts';

const FILES: Record<string, Schema> = import.meta.glob('./datex-schema/*.json', {
  import: 'default',
  eager: true,
});
const BASE = 'https://datex.test/';

/** The profile's schema as published: its files refer to each other by name. Everything is judged, formats too. */
function profileValidator(): Validator {
  const [root, ...others] = Object.entries(FILES)
    .map(([path, schema]) => ({ name: path.slice(path.lastIndexOf('/') + 1), schema }))
    .sort(({ name }) => (name === 'DATEXII_3_D2Payload.json' ? -1 : 1))
    .map(({ name, schema }) => ({ ...schema, id: BASE + name, $id: BASE + name }));
  const validator = new Validator(root ?? expect.fail('the schema is not there'), '4', false);
  for (const other of others) validator.addSchema(other);
  return validator;
}

const validator = profileValidator();
const problems = (value: unknown) => validator.validate(value).errors.map(({ error }) => error);

beforeAll(seedCities);
beginAfterTheRun();

const get = (path = PUBLICATION, headers = {}) => withoutDatabase().call(path, { headers });

describe('The publication in DATEX II', () => {
  it('is that of the profile, with the areas that have coordinates', async () => {
    const { body, headers } = await get(PUBLICATION, { 'Accept-Language': 'it' });
    const asOf = '2026-03-07T12:00:00+01:00';
    expect(body).toEqual({
      _modelBaseVersion: '3',
      _version: '3.0',
      _profileName: 'Parking Publication light',
      _profileVersion: '02-00-00',
      parkingPublicationLight: {
        lang: 'it',
        publicationTime: asOf,
        publicationCreator: { country: 'IT', nationalIdentifier: 'H501' },
        name: 'Roma',
        description: 'Derivato dai pagamenti',
        parkingSite: [
          {
            _id: 'H501:P1',
            lastUpdate: asOf,
            type: { value: 'carPark' },
            name: 'Parcheggio Centro',
            numberOfSpaces: 4,
            availableSpaces: 1,
            locationAndDimension: { coordinatesForDisplay: AT_CENTRO },
          },
          {
            _id: 'H501:S2',
            lastUpdate: asOf,
            type: { value: 'onStreet' },
            name: 'Via Milano',
            numberOfSpaces: 10,
            availableSpaces: 10,
            locationAndDimension: { coordinatesForDisplay: { latitude: 0, longitude: -0.5 } },
          },
        ],
      },
    });
    expect(headers.get('Content-Language')).toBe('it');
  });

  it('is valid by the schema as it is published', async () => {
    for (const path of [PUBLICATION, `${LIST}/${NEIGHBOUR}/parking-publication-light`]) {
      expect(problems((await get(path)).body)).toEqual([]);
    }
  });

  it('leaves both counts out without a capacity, and stays valid', async () => {
    await put({ areas: [{ code: 'P1', capacity: null }] });
    const { body } = await get();
    const [site] = (body.parkingPublicationLight as { parkingSite: object[] }).parkingSite;
    expect(site).toHaveProperty('_id', 'H501:P1');
    expect(site).not.toHaveProperty('numberOfSpaces');
    expect(site).not.toHaveProperty('availableSpaces');
    expect(problems(body)).toEqual([]);
    expect(JSON.stringify(body)).not.toContain('null');
    await put({ areas: [{ code: 'P1', capacity: 4 }] });
  });

  it('is valid and empty where no area has coordinates, and names the country', async () => {
    const none = { latitude: null, longitude: null };
    await put({
      country: 'SM',
      areas: [
        { code: 'P1', ...none },
        { code: 'S2', ...none },
      ],
    });
    const { body } = await get();
    expect(body.parkingPublicationLight).toMatchObject({
      publicationCreator: { country: 'SM' },
      parkingSite: [],
    });
    expect(problems(body)).toEqual([]);
    await put({
      country: 'IT',
      areas: [
        { code: 'P1', ...AT_CENTRO },
        { code: 'S2', latitude: 0, longitude: -0.5 },
      ],
    });
  });
});
