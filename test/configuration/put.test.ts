import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase } from '../support/fresh-database.ts';
import { ADMIN, Service } from '../support/service.ts';
import {
  CITY,
  CITY_ITEMS,
  configurationOf,
  inRome,
  mustPut,
  NOTHING_SAID,
  PATH,
  put,
  storedRome,
} from './support.ts';

beforeEach(() => freshDatabase());

describe('putting a document', () => {
  it('creates what there is not, and counts each item once', async () => {
    expect(await mustPut(CITY)).toEqual({ created: CITY_ITEMS, updated: 0, unchanged: 0 });
    expect(await configurationOf('H501')).toEqual(CITY);
  });

  it('changes nothing the second time', async () => {
    await mustPut(CITY);
    expect(await mustPut(CITY)).toEqual({ created: 0, updated: 0, unchanged: CITY_ITEMS });
  });

  it.each([[{}], [{ tenants: [] }], [{ municipalities: [], tenants: [] }]])(
    'takes one that names nothing: %j',
    async (document) => {
      expect(await mustPut(document)).toEqual({ created: 0, updated: 0, unchanged: 0 });
    },
  );

  it('answers the counts and the changes behind the envelope, and nothing else', async () => {
    const { body, headers } = await put(CITY);
    expect(body).toEqual({
      success: true,
      ok: true,
      request_id: headers.get('X-Request-Id'),
      created: CITY_ITEMS,
      updated: 0,
      unchanged: 0,
      changes: expect.any(Array),
    });
    expect(headers.get('Cache-Control')).toBe('no-store, private');
  });

  it('trims codes and texts', async () => {
    await mustPut(CITY);
    await mustPut(inRome({ name: '  Roma Capitale ', areas: [{ code: ' S1 ', name: ' Via Roma 2\t' }] }));
    const { name, areas } = await storedRome();
    expect([name, areas.map(({ name: areaName }) => areaName)]).toEqual([
      'Roma Capitale',
      ['Parcheggio Centro', 'Via Roma 2'],
    ]);
  });

  it('compares codes exactly', async () => {
    await mustPut(CITY);
    const other = { code: 's1', name: 'Another', area_type: 'street' };
    expect(await mustPut(inRome({ areas: [other] }))).toEqual({ created: 1, updated: 0, unchanged: 1 });
  });
});

describe('the changes of a document', () => {
  const document = inRome({
    areas: [
      { code: 'P1', capacity: 310, facility: { exit_grace_minutes: 20 } },
      { code: 'N1', name: 'Via Nuova', area_type: 'street' },
    ],
  });
  const changes = [
    { path: 'municipalities.0.areas.0', property: 'capacity', from: 300, to: 310 },
    { path: 'municipalities.0.areas.0', property: 'facility.exit_grace_minutes', from: 15, to: 20 },
    {
      path: 'municipalities.0.areas.1',
      property: null,
      from: null,
      to: expect.objectContaining({ code: 'N1', capacity: null, active: true }),
    },
  ];

  it('name each property with its old and its new value, and each new item whole', async () => {
    await mustPut(CITY);
    const { body } = await put(document);
    expect(body).toMatchObject({ created: 1, updated: 1, unchanged: 1, changes });
    expect(body.changes).not.toHaveProperty([2, 'to', 'facility']);
  });

  it('are told by a dry run, which stores nothing', async () => {
    await mustPut(CITY);
    const service = new Service();
    const dry = await service.call(`${PATH}?dry_run=true`, {
      method: 'PUT',
      headers: { ...ADMIN, 'Content-Type': 'application/json' },
      body: JSON.stringify(document),
    });
    expect(dry.body).toMatchObject({ created: 1, updated: 1, changes });
    expect(await configurationOf('H501')).toEqual(CITY);
  });

  it('of a street that becomes a facility have its settings', async () => {
    await mustPut(CITY);
    const { body } = await put(inRome({ areas: [{ code: 'S1', area_type: 'facility' }] }));
    expect(body.changes).toContainEqual({
      path: 'municipalities.0.areas.0',
      property: 'facility.service_enabled',
      from: null,
      to: true,
    });
  });
});

describe('a new item gets defaults', () => {
  it('for all that it may leave out', async () => {
    await mustPut({
      tenants: [{ code: 'acme', name: 'Acme Parking' }],
      municipalities: [
        {
          code: 'H501',
          name: 'Roma',
          timezone: 'Europe/Rome',
          tenant: 'acme',
          areas: [
            { code: 'P1', name: 'Parcheggio', area_type: 'facility' },
            { code: 'S1', name: 'Via Roma', area_type: 'street' },
          ],
          sources: [{ code: 'app1', name: 'App One', category: 'app' }],
          subscription_types: [{ code: 'RES', name: 'Residents' }],
          plans: [
            {
              codice_tariffa: '101',
              subscription_type: 'RES',
              importo_eurocent: 1,
              duration: 'P1M',
              descrizione: 'MESE',
            },
          ],
        },
      ],
    });
    const configuration = await configurationOf('H501');
    expect(configuration.tenants).toEqual([{ code: 'acme', name: 'Acme Parking', active: true }]);
    expect(configuration.municipalities).toEqual([
      {
        code: 'H501',
        name: 'Roma',
        timezone: 'Europe/Rome',
        country: 'IT',
        public_max_age_minutes: 60,
        ...{ holidays: [], observation_minutes: 0, overstay_minutes: 0 },
        ...{ data_protection_url: null, accessibility_url: null },
        tenant: 'acme',
        active: true,
        services: {
          plate_check: true,
          subscriptions: true,
          subscription_options: true,
          report: true,
          public_occupancy: false,
        },
        areas: [
          {
            code: 'P1',
            name: 'Parcheggio',
            area_type: 'facility',
            capacity: null,
            latitude: null,
            longitude: null,
            ...NOTHING_SAID,
            paid_hours: null,
            active: true,
            facility: {
              service_enabled: true,
              plate_control_enabled: true,
              subscription_access: false,
              entry_grace_minutes: 0,
              exit_grace_minutes: 0,
              offline_minutes: 720,
            },
          },
          {
            ...{ code: 'S1', name: 'Via Roma', area_type: 'street', capacity: null },
            ...{ latitude: null, longitude: null, ...NOTHING_SAID, paid_hours: null, active: true },
          },
        ],
        sources: [
          {
            code: 'app1',
            name: 'App One',
            category: 'app',
            is_system: false,
            active: true,
            stale_after_minutes: 15,
            report_delay_minutes: 5,
            open_session_max_hours: 72,
          },
        ],
        subscription_types: [
          {
            code: 'RES',
            name: 'Residents',
            freely_sold: false,
            renewal_allowed: true,
            renewal_opens_days_before: null,
            sold_within_authorization: false,
          },
        ],
        plans: [
          {
            codice_tariffa: '101',
            subscription_type: 'RES',
            importo_eurocent: 1,
            duration: 'P1M',
            descrizione: 'MESE',
            operations: ['first_activation', 'renewal'],
            on_parking_meter: true,
            active: true,
          },
        ],
      },
    ]);
  });
});

describe('an item that exists', () => {
  beforeEach(async () => {
    await mustPut(CITY);
  });

  it('keeps what the document does not name: an item, and a property', async () => {
    const counts = await mustPut(inRome({ areas: [{ code: 'P1', capacity: 301 }] }));
    expect(counts).toEqual({ created: 0, updated: 1, unchanged: 1 });
    const after = structuredClone(CITY);
    Object.assign(after.municipalities[0]?.areas[0] ?? {}, { capacity: 301 });
    expect(await configurationOf('H501')).toEqual(after);
  });

  it('keeps the members of services and facility that are not named', async () => {
    await mustPut(
      inRome({ services: { report: false }, areas: [{ code: 'P1', facility: { exit_grace_minutes: 1 } }] }),
    );
    const { services, areas } = await storedRome();
    expect(services).toEqual({
      plate_check: true,
      subscriptions: true,
      subscription_options: true,
      report: false,
      public_occupancy: false,
    });
    expect(areas[0]?.facility).toEqual({
      service_enabled: true,
      plate_control_enabled: true,
      subscription_access: true,
      entry_grace_minutes: 10,
      exit_grace_minutes: 1,
      offline_minutes: 720,
    });
  });

  it.each([
    ['areas', { code: 'S1', capacity: null }, 'capacity'],
    ['subscription_types', { code: 'RES', renewal_opens_days_before: null }, 'renewal_opens_days_before'],
  ] as const)('of %s is reset by an explicit null: %j', async (list, item, property) => {
    expect(await mustPut(inRome({ [list]: [item] }))).toEqual({ created: 0, updated: 1, unchanged: 1 });
    const found = (await storedRome())[list].find(({ code }) => code === item.code);
    expect(found?.[property]).toBeNull();
    expect(await mustPut(inRome({ [list]: [item] }))).toEqual({ created: 0, updated: 0, unchanged: 2 });
  });

  it.each([
    ['tenants', { tenants: [{ code: 'acme', name: 'Acme 2', active: false }] }],
    ['services', inRome({ active: false, services: { plate_check: false, subscriptions: false } })],
    ['a time zone', inRome({ timezone: 'America/New_York' })],
    [
      'a street',
      inRome({ areas: [{ code: 'P1' }, { code: 'S1', name: 'Via', active: false, capacity: 0 }] }),
    ],
    ['a source', inRome({ sources: [{ code: 'app1', category: 'gate', is_system: true, active: false }] })],
    ['a source', inRome({ sources: [{ code: 'app1', stale_after_minutes: 1, open_session_max_hours: 1 }] })],
    ['a type', inRome({ subscription_types: [{ code: 'RES', freely_sold: true, renewal_allowed: false }] })],
    ['a plan', inRome({ plans: [{ codice_tariffa: '101', operations: ['renewal'], active: false }] })],
    ['a plan', inRome({ plans: [{ codice_tariffa: '101', importo_eurocent: 999_999, duration: 'P1Y6M' }] })],
    ['a plan', inRome({ plans: [{ codice_tariffa: '101', descrizione: 'X 1', on_parking_meter: false }] })],
  ])('takes every change of %s: %j', async (_, document) => {
    const { created, updated } = await mustPut(document);
    expect({ created, updated }).toEqual({ created: 0, updated: 1 });
    expect(await configurationOf('H501')).toMatchObject(document);
  });

  it('is not changed for another municipality with the same codes', async () => {
    await mustPut({
      municipalities: [{ ...CITY.municipalities[0], code: 'F205', name: 'Milano', timezone: 'Europe/Rome' }],
    });
    await mustPut({ municipalities: [{ code: 'F205', areas: [{ code: 'S1', capacity: 7 }] }] });
    expect(await configurationOf('H501')).toEqual(CITY);
  });
});

describe('the call log', () => {
  it('has every put, refused ones too, and no get', async () => {
    const service = new Service();
    const without = new Service({ ADMIN_TOKEN: '' });
    const answers = [
      await service.settle(PATH, { method: 'PUT', body: CITY, headers: ADMIN }),
      await service.settle(PATH, { method: 'PUT', body: { x: 1 }, headers: ADMIN }),
      await service.settle(PATH, { method: 'PUT', body: CITY }),
      await service.settle(`${PATH}?municipality_code=H501`, { headers: ADMIN }),
      await service.settle(`${PATH}?municipality_code=nowhere`, { headers: ADMIN }),
      await without.settle(PATH, { method: 'PUT', body: CITY, headers: ADMIN }),
    ];
    const { results } = await env.DB.prepare(
      `select l.operation, l.outcome from json_each(?) asked join logged_calls l on l.request_id = asked.value
       order by asked.key`,
    )
      .bind(JSON.stringify(answers.map(({ body }) => body.request_id)))
      .all();
    expect(results).toEqual([
      { operation: 'admin', outcome: 'OK' },
      { operation: 'admin', outcome: 'INVALID_REQUEST' },
    ]);
  });
});
