import { beforeAll, describe, expect, it } from 'vitest';
import { Service } from '../support/service.ts';
import { CITY, inRome, issuePathsOf, mustPut, put } from './configuration-support.ts';

const service = new Service();

beforeAll(async () => {
  await mustPut(CITY);
});

const longest = (length: number) => 'x'.repeat(length);
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
    ['code', area({ code: '  ' })],
    ['code', area({ code: longest(81) })],
    ['code', area({ code: 'a\u0000b' })],
    ['code', area({ code: 'a\nb' })],
    ['code', area({ code: 'a\ud800' })],
    ['code', area({ code: 7 })],
    ['code', area({ code: null })],
    ['code', area({ code: undefined })],
    ['name', area({ name: '' })],
    ['name', area({ name: longest(201) })],
    ['name', area({ name: 'a\u0007' })],
    ['name', area({ name: null })],
    ['code', tenant({ code: longest(81) })],
    ['name', tenant({ name: 5 })],
    ['code', rome({ code: '' })],
    ['name', rome({ name: ' ' })],
    ['code', source({ code: '' })],
    ['name', source({ name: null })],
    ['category', source({ category: '' })],
    ['category', source({ category: longest(81) })],
    ['code', type({ code: '\t' })],
    ['name', type({ name: [] })],
    // Numbers.
    ['daily_changes', tenant({ daily_changes: -1 })],
    ['daily_changes', tenant({ daily_changes: 1_000_000_001 })],
    ['daily_changes', tenant({ daily_changes: 0.5 })],
    ['daily_changes', tenant({ daily_changes: '100' })],
    ['capacity', area({ capacity: -1 })],
    ['capacity', area({ capacity: 1.5 })],
    ['capacity', area({ capacity: '40' })],
    ['capacity', area({ capacity: 1_000_001 })],
    ['latitude', area({ latitude: 90.000001, longitude: 0 })],
    ['latitude', area({ latitude: -90.000001, longitude: 0 })],
    ['latitude', area({ latitude: '41.9', longitude: 0 })],
    ['longitude', area({ latitude: 0, longitude: 180.000001 })],
    ['longitude', area({ latitude: 0, longitude: -180.000001 })],
    ['facility.entry_grace_minutes', facility({ entry_grace_minutes: -1 })],
    ['facility.entry_grace_minutes', facility({ entry_grace_minutes: 1_441 })],
    ['facility.exit_grace_minutes', facility({ exit_grace_minutes: 1_441 })],
    ['facility.exit_grace_minutes', facility({ exit_grace_minutes: null })],
    ['facility.exit_grace_minutes', facility({ exit_grace_minutes: 0.5 })],
    ['facility.offline_minutes', facility({ offline_minutes: 10_081 })],
    ['facility.offline_minutes', facility({ offline_minutes: -1 })],
    ['facility.offline_minutes', facility({ offline_minutes: null })],
    ['stale_after_minutes', source({ stale_after_minutes: 0 })],
    ['stale_after_minutes', source({ stale_after_minutes: null })],
    ['open_session_max_hours', source({ open_session_max_hours: 0 })],
    ['open_session_max_hours', source({ open_session_max_hours: 8_761 })],
    ['renewal_opens_days_before', type({ renewal_opens_days_before: -1 })],
    ['renewal_opens_days_before', type({ renewal_opens_days_before: 3_661 })],
    ['importo_eurocent', plan({ importo_eurocent: 0 })],
    ['importo_eurocent', plan({ importo_eurocent: 1_000_000 })],
    ['importo_eurocent', plan({ importo_eurocent: 10.5 })],
    ['importo_eurocent', plan({ importo_eurocent: '100' })],
    // Yes and no.
    ['active', tenant({ active: 1 })],
    ['active', rome({ active: null })],
    ['active', area({ active: 'true' })],
    ['active', plan({ active: null })],
    ['services.report', rome({ services: { report: 'on' } })],
    ['services.plate_check', rome({ services: { plate_check: null } })],
    ['facility.service_enabled', facility({ service_enabled: null })],
    ['is_system', source({ is_system: null })],
    ['freely_sold', type({ freely_sold: 0 })],
    ['renewal_allowed', type({ renewal_allowed: null })],
    ['on_parking_meter', plan({ on_parking_meter: null })],
    // Closed lists, zones and references.
    ['area_type', area({ area_type: 'garage' })],
    ['area_type', area({ area_type: null })],
    ['timezone', rome({ timezone: 'Europe/Atlantis' })],
    ['timezone', rome({ timezone: '+01:00' })],
    ['timezone', rome({ timezone: '' })],
    ['timezone', rome({ timezone: null })],
    ['tenant', rome({ tenant: null })],
    ['subscription_type', plan({ subscription_type: 'NONE' })],
    ['subscription_type', plan({ subscription_type: 'res' })],
    ['subscription_type', plan({ subscription_type: null })],
    ['operations', plan({ operations: [] })],
    ['operations', plan({ operations: null })],
    ['operations.1', plan({ operations: ['renewal', 'sale'] })],
    // Plans.
    ['codice_tariffa', plan({ codice_tariffa: '000' })],
    ['codice_tariffa', plan({ codice_tariffa: '12' })],
    ['codice_tariffa', plan({ codice_tariffa: '1234' })],
    ['codice_tariffa', plan({ codice_tariffa: '12a' })],
    ['codice_tariffa', plan({ codice_tariffa: '١٢٣' })],
    ['codice_tariffa', plan({ codice_tariffa: 101 })],
    ['descrizione', plan({ descrizione: '' })],
    ['descrizione', plan({ descrizione: 'ABCDEFGHIJKLMNOPQRSTU' })],
    ['descrizione', plan({ descrizione: 'Mensile' })],
    ['descrizione', plan({ descrizione: 'CITTÀ' })],
    ['descrizione', plan({ descrizione: 'A-B' })],
    ['descrizione', plan({ descrizione: 'A\nB' })],
    ['duration', plan({ duration: '' })],
    ['duration', plan({ duration: 'P' })],
    ['duration', plan({ duration: 'P0D' })],
    ['duration', plan({ duration: 'P000001M' })],
    ['duration', plan({ duration: 'P0Y0M' })],
    ['duration', plan({ duration: 'P1' })],
    ['duration', plan({ duration: 'PT1H' })],
    ['duration', plan({ duration: 'P1DT1H' })],
    ['duration', plan({ duration: 'P1M1Y' })],
    ['duration', plan({ duration: 'P1.5M' })],
    ['duration', plan({ duration: '-P1M' })],
    ['duration', plan({ duration: 'P-1M' })],
    ['duration', plan({ duration: 'p1m' })],
    ['duration', plan({ duration: 'P101Y' })],
    ['duration', plan({ duration: 30 })],
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
    ['sources', rome({ sources: {} })],
    ['subscription_types', rome({ subscription_types: 'RES' })],
    ['plans', rome({ plans: null })],
    ['facility', area({ area_type: 'facility', facility: null })],
    ['tenants.0', root({ tenants: ['acme'] })],
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
        areas: [
          {
            ...{ code: longest(80), name: longest(200), area_type: 'street', capacity: 0 },
            ...{ latitude: -90, longitude: 180 },
          },
          { code: '😀'.repeat(80), name: '😀'.repeat(200), area_type: 'street', capacity: 1_000_000 },
          {
            code: 'F',
            name: 'F',
            area_type: 'facility',
            facility: { entry_grace_minutes: 0, exit_grace_minutes: 1_440, offline_minutes: 10_080 },
          },
        ],
        sources: [{ ...SOURCE, stale_after_minutes: 525_600, open_session_max_hours: 8_760 }],
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
    expect(await mustPut(document)).toMatchObject({ created: 10 });
    expect(await mustPut(document)).toEqual({ created: 0, updated: 0, unchanged: 11 });
  });
});
