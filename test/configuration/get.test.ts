import { beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, Service } from '../support/service.ts';
import { CITY, CITY_ITEMS, configurationOf, get, issuePathsOf, mustPut, PATH } from './support.ts';

const service = new Service();

beforeAll(async () => {
  await mustPut({
    tenants: [...CITY.tenants, { code: 'other', name: 'Other', active: false }],
    municipalities: [
      ...CITY.municipalities,
      { code: 'à la carte/?&', name: 'Bare', timezone: 'UTC', tenant: 'other', active: false },
    ],
  });
});

describe('getting the configuration', () => {
  it('answers one municipality and its tenant in the form of a put', async () => {
    const { status, body, headers } = await get('H501');
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      ok: true,
      request_id: headers.get('X-Request-Id'),
      configuration: CITY,
      version: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('answers what can be put again as it is, and then changes nothing', async () => {
    const configuration = await configurationOf('H501');
    expect(await mustPut(configuration)).toEqual({ created: 0, updated: 0, unchanged: CITY_ITEMS });
  });

  it('answers every list, also of an inactive municipality that has nothing', async () => {
    expect(await configurationOf('à la carte/?&')).toEqual({
      tenants: [{ code: 'other', name: 'Other', active: false }],
      municipalities: [
        {
          code: 'à la carte/?&',
          name: 'Bare',
          timezone: 'UTC',
          country: 'IT',
          ...{ holidays: [], observation_minutes: 0, overstay_minutes: 0 },
          ...{ data_protection_url: null, accessibility_url: null },
          tenant: 'other',
          active: false,
          public_max_age_minutes: 60,
          services: {
            plate_check: true,
            subscriptions: true,
            subscription_options: true,
            report: true,
            public_occupancy: false,
          },
          areas: [],
          sources: [],
          subscription_types: [],
          plans: [],
        },
      ],
    });
  });

  it.each(['X999', 'h501'])('answers 404 for an unknown municipality: %s', async (code) => {
    const { status, body } = await get(code);
    expect([status, body.error]).toEqual([404, { code: 'NOT_FOUND', message: expect.any(String) }]);
  });

  it.each([
    ['', ['municipality_code']],
    ['?municipality_code=', ['municipality_code']],
    [`?municipality_code=${'x'.repeat(81)}`, ['municipality_code']],
    ['?municipality_code=H501&municipality_code=F205', ['municipality_code']],
    ['?municipality_code=H501&tenant=acme', ['tenant']],
  ])('answers 422 for the query %j', async (query, paths) => {
    expect(issuePathsOf(await service.call(`${PATH}${query}`, { headers: ADMIN }))).toEqual(paths);
  });
});
