import { beforeAll, describe, expect, it } from 'vitest';
import { Service } from '../support/service.ts';
import { CITY, inRome, issuePathsOf, mustPut, put } from './support.ts';

const service = new Service();

beforeAll(async () => {
  await mustPut(CITY);
});

const longest = (length: number) => 'x'.repeat(length);
const PAID = { days: ['mon'], from: '08:00', to: '20:00' };
const AREA = { code: 'N1', name: 'New', area_type: 'street' };
const SOURCE = { code: 'new', name: 'New', category: 'app' };
const TYPE = { code: 'NEW', name: 'New' };
const PLAN = {
  codice_tariffa: '900',
  subscription_type: 'RES',
  importo_eurocent: 100,
  duration: 'P1M',
  descrizione: 'NEW',
};

describe('a property is refused', () => {
  const area = (changed: object) => [
    inRome({ areas: [{ ...AREA, ...changed }] }),
    'municipalities.0.areas.0',
  ];
  const facility = (changed: object) => area({ area_type: 'facility', facility: changed });
  const source = (changed: object) => [
    inRome({ sources: [{ ...SOURCE, ...changed }] }),
    'municipalities.0.sources.0',
  ];
  const type = (changed: object) => [
    inRome({ subscription_types: [{ ...TYPE, ...changed }] }),
    'municipalities.0.subscription_types.0',
  ];
  const plan = (changed: object) => [
    inRome({ plans: [{ ...PLAN, ...changed }] }),
    'municipalities.0.plans.0',
  ];
  const tenant = (changed: object) => [{ tenants: [{ code: 't', name: 'T', ...changed }] }, 'tenants.0'];
  const rome = (changed: object) => [inRome(changed), 'municipalities.0'];
  const root = (changed: object) => [changed, ''];

  it.each([
    // Codes and names.
    ['code', area({ code: '' })],
    ['code', area({ code: longest(81) })],
    ['code', area({ code: 'a\u0000b' })],
    ['code', area({ code: 'a\ud800' })],
    ['code', area({ code: 7 })],
    ['code', area({ code: undefined })],
    ['name', area({ name: '' })],
    ['name', area({ name: longest(201) })],
    ['name', area({ name: null })],
    ['name', tenant({ name: 5 })],
    ['name', source({ name: null })],
    ['category', source({ category: longest(81) })],
    // Numbers.
    ['capacity', area({ capacity: -1 })],
    ['capacity', area({ capacity: 1.5 })],
    ['capacity', area({ capacity: 1_000_001 })],
    ['latitude', area({ latitude: 90.000001, longitude: 0 })],
    ['latitude', area({ latitude: -90.000001, longitude: 0 })],
    ['longitude', area({ latitude: 0, longitude: 180.000001 })],
    ['longitude', area({ latitude: 0, longitude: -180.000001 })],
    ['address', area({ address: longest(201) })],
    ['website', area({ website: 'http://a.example' })],
    ['website', area({ website: 'javascript:alert(1)' })],
    ['website', area({ website: 'https://a b.example' })],
    ['website', area({ website: `https://a.example/${'a'.repeat(483)}` })],
    ['price_note', area({ price_note: longest(201) })],
    ['max_height_cm', area({ max_height_cm: 99 })],
    ['max_height_cm', area({ max_height_cm: 1_001 })],
    ['disabled_spaces', area({ disabled_spaces: -1 })],
    ['disabled_spaces', area({ disabled_spaces: 100_001 })],
    ['charging_spaces', area({ charging_spaces: 100_001 })],
    ['closed_until', area({ closed_until: '2026-12-27T05:00:00' })],
    ['closed_until', area({ closed_until: '1969-12-31T23:59:59Z' })],
    ['public_max_age_minutes', rome({ public_max_age_minutes: 4 })],
    ['public_max_age_minutes', rome({ public_max_age_minutes: 1_441 })],
    ['public_max_age_minutes', rome({ public_max_age_minutes: null })],
    ['data_protection_url', rome({ data_protection_url: 'http://a.example' })],
    ['accessibility_url', rome({ accessibility_url: 'javascript:alert(1)' })],
    ['paid_hours', area({ paid_hours: Array(51).fill(PAID) })],
    ['paid_hours.0.days', area({ paid_hours: [{ ...PAID, days: [] }] })],
    ['paid_hours.0.days', area({ paid_hours: [{ ...PAID, days: ['mon', 'mon'] }] })],
    ['paid_hours.0.days.0', area({ paid_hours: [{ ...PAID, days: ['lun'] }] })],
    ['paid_hours.0.from', area({ paid_hours: [{ ...PAID, from: '8:00' }] })],
    ['paid_hours.0.from', area({ paid_hours: [{ ...PAID, from: '24:00' }] })],
    ['paid_hours.0.to', area({ paid_hours: [{ ...PAID, to: '24:01' }] })],
    ['paid_hours.0.to', area({ paid_hours: [{ ...PAID, to: PAID.from }] })],
    ['paid_hours.0.price', area({ paid_hours: [{ ...PAID, price: 1 }] })],
    ['holidays', rome({ holidays: ['2026-12-25', '2026-12-25'] })],
    [
      'holidays',
      rome({
        holidays: Array.from({ length: 201 }, (_, n) => new Date(n * 86_400_000).toISOString().slice(0, 10)),
      }),
    ],
    ['holidays.0', rome({ holidays: ['2026-02-29'] })],
    ['observation_minutes', rome({ observation_minutes: 61 })],
    ['observation_minutes', rome({ observation_minutes: -1 })],
    ['overstay_minutes', rome({ overstay_minutes: 121 })],
    ['facility.entry_grace_minutes', facility({ entry_grace_minutes: -1 })],
    ['facility.entry_grace_minutes', facility({ entry_grace_minutes: 1_441 })],
    ['facility.exit_grace_minutes', facility({ exit_grace_minutes: 1_441 })],
    ['facility.offline_minutes', facility({ offline_minutes: 10_081 })],
    ['facility.offline_minutes', facility({ offline_minutes: -1 })],
    ['stale_after_minutes', source({ stale_after_minutes: 0 })],
    ['report_delay_minutes', source({ report_delay_minutes: -1 })],
    ['report_delay_minutes', source({ report_delay_minutes: 1_441 })],
    ['open_session_max_hours', source({ open_session_max_hours: 0 })],
    ['open_session_max_hours', source({ open_session_max_hours: 8_761 })],
    ['renewal_opens_days_before', type({ renewal_opens_days_before: -1 })],
    ['renewal_opens_days_before', type({ renewal_opens_days_before: 3_661 })],
    ['importo_eurocent', plan({ importo_eurocent: 0 })],
    ['importo_eurocent', plan({ importo_eurocent: 1_000_000 })],
    // Yes and no.
    ['active', tenant({ active: 1 })],
    ['services.report', rome({ services: { report: 'on' } })],
    ['facility.service_enabled', facility({ service_enabled: null })],
    ['freely_sold', type({ freely_sold: 0 })],
    // Closed lists, zones and references.
    ['area_type', area({ area_type: 'garage' })],
    ['timezone', rome({ timezone: 'Europe/Atlantis' })],
    ['tenant', rome({ tenant: null })],
    ['subscription_type', plan({ subscription_type: 'NONE' })],
    ['operations', plan({ operations: [] })],
    ['operations.1', plan({ operations: ['renewal', 'sale'] })],
    // Plans.
    ['codice_tariffa', plan({ codice_tariffa: '000' })],
    ['codice_tariffa', plan({ codice_tariffa: '12' })],
    ['codice_tariffa', plan({ codice_tariffa: '12a' })],
    ['descrizione', plan({ descrizione: 'ABCDEFGHIJKLMNOPQRSTU' })],
    ['descrizione', plan({ descrizione: 'Mensile' })],
    ['descrizione', plan({ descrizione: 'A-B' })],
    ['duration', plan({ duration: 'P0D' })],
    ['duration', plan({ duration: 'PT1H' })],
    ['duration', plan({ duration: 'P101Y' })],
    // Unknown properties, at every level.
    ['municipality', root({ municipality: [] })],
    ['id', tenant({ id: 1 })],
    ['id', rome({ id: 1 })],
    ['services.parking', rome({ services: { parking: true } })],
    ['facility.capacity', facility({ capacity: 1 })],
    ['entry_grace_minutes', area({ entry_grace_minutes: 1 })],
    ['last_import', source({ last_import: 1 })],
    ['price', type({ price: 1 })],
    ['scadenza', plan({ scadenza: 'P1M' })],
    // What holds the others.
    ['tenants', root({ tenants: null })],
    ['municipalities', root({ municipalities: { H501: {} } })],
    ['services', rome({ services: null })],
    ['areas', rome({ areas: null })],
    ['facility', area({ area_type: 'facility', facility: null })],
    ['tenants.0', root({ tenants: [null] })],
    ['tenants.1', root({ tenants: [{ code: 'acme' }, []] })],
    ['areas.0', rome({ areas: [null] })],
  ] as [string, [object, string]][])('%s: %j', async (property, [document, item]) => {
    const path = [item, property].filter((part) => part !== '').join('.');
    expect(issuePathsOf(await put(document, service))).toEqual([path]);
  });

  it('the boundaries themselves are taken', async () => {
    const document = {
      ...inRome({
        public_max_age_minutes: 5,
        data_protection_url: `https://a.example/${'a'.repeat(482)}`,
        areas: [
          {
            ...{ code: longest(80), name: longest(200), area_type: 'street', capacity: 0 },
            ...{ latitude: -90, longitude: 180 },
            ...{ address: longest(200), price_note: longest(200) },
            website: `https://a.example/${'a'.repeat(482)}`,
            ...{ max_height_cm: 100, disabled_spaces: 0, charging_spaces: 100_000 },
            closed_until: '1970-01-01T00:00:00Z',
          },
          {
            ...{ code: '😀'.repeat(80), name: '😀'.repeat(200), area_type: 'street', capacity: 1_000_000 },
            ...{ max_height_cm: 1_000, disabled_spaces: 100_000, charging_spaces: 0 },
            closed_until: '9999-12-31T23:59:59.999Z',
          },
          {
            code: 'F',
            name: 'F',
            area_type: 'facility',
            facility: { entry_grace_minutes: 0, exit_grace_minutes: 1_440, offline_minutes: 10_080 },
          },
        ],
        sources: [
          {
            ...{ ...SOURCE, stale_after_minutes: 525_600 },
            ...{ report_delay_minutes: 1_440, open_session_max_hours: 8_760 },
          },
          { ...SOURCE, code: 'prompt', report_delay_minutes: 0 },
        ],
        subscription_types: [
          { ...TYPE, renewal_opens_days_before: 0 },
          { ...TYPE, code: 'NEW2', renewal_opens_days_before: 3_660 },
        ],
        plans: [
          { ...PLAN, codice_tariffa: '001', importo_eurocent: 1, duration: 'P1D' },
          { ...PLAN, codice_tariffa: '999', importo_eurocent: 999_999, duration: 'P100Y' },
          { ...PLAN, codice_tariffa: '010', descrizione: 'ABCDEFGHIJ 123456789', duration: 'P2W' },
          { ...PLAN, codice_tariffa: '011', duration: 'P1Y6M', operations: ['renewal', 'renewal'] },
        ],
      }),
    };
    expect(await mustPut(document)).toMatchObject({ created: 11 });
    expect(await mustPut(inRome({ public_max_age_minutes: 1_440 }))).toMatchObject({ updated: 1 });
    expect(await mustPut(inRome({ public_max_age_minutes: 5 }))).toMatchObject({ updated: 1 });
    expect(await mustPut(document)).toEqual({ created: 0, updated: 0, unchanged: 12 });
  });
});
