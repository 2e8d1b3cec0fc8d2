import { beforeAll, describe, expect, it } from 'vitest';
import { Service } from '../support/service.ts';
import { CITY, configurationOf, inRome, issuePathsOf, mustPut, put } from './support.ts';

const service = new Service();

beforeAll(async () => {
  await mustPut(CITY);
});

describe('a new item is refused that lacks', () => {
  it.each([
    [['tenants.0.name'], { tenants: [{ code: 't' }] }],
    [
      ['municipalities.0.name', 'municipalities.0.tenant', 'municipalities.0.timezone'],
      { municipalities: [{ code: 'X' }] },
    ],
    [
      ['municipalities.0.areas.0.area_type', 'municipalities.0.areas.0.name'],
      inRome({ areas: [{ code: 'N2' }] }),
    ],
    [
      ['municipalities.0.sources.0.category', 'municipalities.0.sources.0.name'],
      inRome({ sources: [{ code: 'n2' }] }),
    ],
    [['municipalities.0.subscription_types.0.name'], inRome({ subscription_types: [{ code: 'N2' }] })],
    [
      ['descrizione', 'duration', 'importo_eurocent', 'subscription_type'].map(
        (property) => `municipalities.0.plans.0.${property}`,
      ),
      inRome({ plans: [{ codice_tariffa: '777' }] }),
    ],
  ])('%j', async (paths, document) => {
    expect(issuePathsOf(await put(document, service))).toEqual(paths);
  });
});

describe('a code stands once in its list', () => {
  it.each([
    ['tenants.1.code', { tenants: [{ code: 'acme' }, { code: ' acme ' }] }],
    ['municipalities.1.code', { municipalities: [{ code: 'H501' }, { code: 'H501' }] }],
    ['municipalities.0.areas.2.code', inRome({ areas: [{ code: 'S1' }, { code: 'P1' }, { code: 'S1' }] })],
    ['municipalities.0.sources.1.code', inRome({ sources: [{ code: 'app1' }, { code: 'app1' }] })],
    [
      'municipalities.0.subscription_types.1.code',
      inRome({ subscription_types: [{ code: 'RES' }, { code: 'RES' }] }),
    ],
    [
      'municipalities.0.plans.1.codice_tariffa',
      inRome({ plans: [{ codice_tariffa: '101' }, { codice_tariffa: '101' }] }),
    ],
  ])('%s', async (path, document) => {
    expect(issuePathsOf(await put(document, service))).toEqual([path]);
  });
});

describe('a document with errors', () => {
  const wrong = {
    tenants: [{ code: 'fresh', name: 'Fresh' }, { code: 'acme', active: 'no' }, { name: 'No code' }],
    municipalities: [
      {
        code: 'H501',
        name: 'Another name',
        tenant: 'fresh',
        colour: 'red',
        areas: [
          { code: 'S1', capacity: -1, facility: {} },
          { code: 'N3', area_type: 'strada', facility: {} },
          { code: 'N3', name: 5 },
        ],
        plans: [{ codice_tariffa: '000', subscription_type: 'NONE' }],
      },
      { code: 'F205', name: '', tenant: 'nobody', areas: [{ code: 'A', capacity: 'many' }], sources: 1 },
      { code: 'F205', areas: [{ code: 7 }] },
      { areas: [{ code: 'A', name: '' }] },
    ],
    version: 2,
  };
  const paths = [
    'municipalities.0.areas.0.capacity',
    'municipalities.0.areas.1.area_type',
    'municipalities.0.areas.2.name',
    'municipalities.0.colour',
    'municipalities.0.plans.0.codice_tariffa',
    'municipalities.1.areas.0.capacity',
    'municipalities.1.name',
    'municipalities.1.sources',
    'municipalities.2.areas.0.code',
    'municipalities.3.areas.0.name',
    'municipalities.3.code',
    'tenants.1.active',
    'tenants.2.code',
    'version',
  ];

  it('lists every one of its form, and changes nothing', async () => {
    const before = await configurationOf('H501');
    expect(issuePathsOf(await put(wrong, service))).toEqual(paths);
    expect(await configurationOf('H501')).toEqual(before);
    // Had the tenant been made, this would not create it.
    expect(await mustPut({ tenants: [wrong.tenants[0]] })).toMatchObject({ created: 1 });
  });

  it('whose form is right lists every one of its references', async () => {
    const document = {
      municipalities: [
        {
          ...{
            code: 'H501',
            tenant: 'fresh',
            areas: [
              { code: 'S1', facility: {} },
              { code: 'N3', latitude: 1 },
            ],
          },
          plans: [{ codice_tariffa: '101', subscription_type: 'NONE' }],
        },
        { code: 'F205', tenant: 'nobody' },
      ],
    };
    expect(issuePathsOf(await put(document, service))).toEqual([
      'municipalities.0.areas.0.facility',
      'municipalities.0.areas.1.area_type',
      'municipalities.0.areas.1.name',
      'municipalities.0.plans.0.subscription_type',
      'municipalities.0.tenant',
      'municipalities.1.name',
      'municipalities.1.tenant',
      'municipalities.1.timezone',
    ]);
  });
});
