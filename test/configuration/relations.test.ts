import { beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase } from '../support/fresh-database.ts';
import {
  CITY,
  CITY_ITEMS,
  configurationOf,
  inRome,
  issuePathsOf,
  mustPut,
  put,
  storedRome,
} from './support.ts';

beforeEach(() => freshDatabase());

describe('an area may change its type', () => {
  beforeEach(async () => {
    await mustPut(CITY);
  });

  const FACILITY = {
    service_enabled: true,
    plate_control_enabled: true,
    subscription_access: true,
    entry_grace_minutes: 10,
    exit_grace_minutes: 15,
    offline_minutes: 720,
  };

  it('a facility that becomes a street shows no settings, and has them still as a facility again', async () => {
    await mustPut(inRome({ areas: [{ code: 'P1', area_type: 'street' }] }));
    expect((await storedRome()).areas[0]).not.toHaveProperty('facility');
    await mustPut(inRome({ areas: [{ code: 'P1', area_type: 'facility' }] }));
    expect((await storedRome()).areas[0]?.facility).toEqual(FACILITY);
  });

  it('one that becomes a facility again with a setting changes that one alone', async () => {
    await mustPut(inRome({ areas: [{ code: 'P1', area_type: 'street' }] }));
    const facility = { entry_grace_minutes: 3 };
    await mustPut(inRome({ areas: [{ code: 'P1', area_type: 'facility', facility }] }));
    expect((await storedRome()).areas[0]?.facility).toEqual({ ...FACILITY, entry_grace_minutes: 3 });
  });

  it('a street that shows no settings, put again as it is answered, keeps them', async () => {
    await mustPut(inRome({ areas: [{ code: 'P1', area_type: 'street' }] }));
    expect(await mustPut(await configurationOf('H501'))).toMatchObject({ created: 0, updated: 0 });
    await mustPut(inRome({ areas: [{ code: 'P1', area_type: 'facility' }] }));
    expect((await storedRome()).areas[0]?.facility).toEqual(FACILITY);
  });

  it('a street that never was a facility becomes one with the defaults', async () => {
    await mustPut(inRome({ areas: [{ code: 'S1', area_type: 'facility' }] }));
    expect((await storedRome()).areas[1]?.facility).toEqual({
      ...FACILITY,
      subscription_access: false,
      entry_grace_minutes: 0,
      exit_grace_minutes: 0,
    });
  });

  it.each([
    ['a street', { code: 'S1', facility: {} }],
    ['a street that stays one', { code: 'S1', area_type: 'street', facility: { service_enabled: true } }],
    ['what becomes a street', { code: 'P1', area_type: 'street', facility: { entry_grace_minutes: 1 } }],
    ['a new street', { code: 'S2', name: 'Via', area_type: 'street', facility: {} }],
  ])('facility settings are refused on %s', async (_, area) => {
    const answer = await put(inRome({ areas: [area] }));
    expect(issuePathsOf(answer)).toEqual(['municipalities.0.areas.0.facility']);
  });

  it('facility settings are taken on what becomes a facility', async () => {
    const area = { code: 'S1', area_type: 'facility', facility: { subscription_access: true } };
    await mustPut(inRome({ areas: [area] }));
    expect((await storedRome()).areas[1]).toMatchObject(area);
  });
});

describe('items refer to each other', () => {
  it('a plan to a type of the same document, also one that stands behind it', async () => {
    await mustPut(CITY);
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
    await mustPut(CITY);
    const milan = {
      code: 'F205',
      name: 'Milano',
      timezone: 'Europe/Rome',
      tenant: 'acme',
      plans: CITY.municipalities[0]?.plans,
    };
    expect(issuePathsOf(await put({ municipalities: [milan] }))).toEqual([
      'municipalities.0.plans.0.subscription_type',
    ]);
  });

  it('a new municipality to a tenant that exists', async () => {
    await mustPut({ tenants: CITY.tenants });
    expect(await mustPut({ municipalities: CITY.municipalities })).toMatchObject({ created: CITY_ITEMS - 1 });
  });

  it('a municipality for ever to the same tenant', async () => {
    await mustPut({ ...CITY, tenants: [...CITY.tenants, { code: 'other', name: 'Other' }] });
    for (const tenant of ['other', 'nobody']) {
      expect(issuePathsOf(await put(inRome({ tenant })))).toEqual(['municipalities.0.tenant']);
    }
    expect(await mustPut(inRome({ tenant: 'acme' }))).toEqual({ created: 0, updated: 0, unchanged: 1 });
    expect(await configurationOf('H501')).toEqual(CITY);
  });
});
