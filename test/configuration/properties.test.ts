import { beforeAll, expect, it } from 'vitest';
import { Service } from '../support/service.ts';
import { CITY, inRome, issuePathsOf, mustPut, put, storedRome } from './support.ts';

const service = new Service();
const DAY_MS = 86_400_000;

beforeAll(async () => {
  await mustPut(CITY);
});

/** New items of each list; `rome` changes the municipality, `root` the document. */
const NEW = {
  tenants: { code: 't', name: 'T' },
  areas: { code: 'N1', name: 'New', area_type: 'street' },
  facility: { code: 'F1', name: 'New', area_type: 'facility' },
  sources: { code: 'new', name: 'New', category: 'app' },
  subscription_types: { code: 'NEW', name: 'New' },
  plans: {
    ...{ codice_tariffa: '900', subscription_type: 'RES', importo_eurocent: 100, duration: 'P1M' },
    descrizione: 'NEW',
  },
  rome: {},
  root: {},
};
type Where = keyof typeof NEW;

/** A document with properties of an item, and the item's path. */
function documentWith(where: Where, changed: object): [document: object, item: string] {
  switch (where) {
    case 'root':
      return [changed, ''];
    case 'rome':
      return [inRome(changed), 'municipalities.0.'];
    case 'tenants':
      return [{ tenants: [{ ...NEW.tenants, ...changed }] }, 'tenants.0.'];
    case 'facility':
      return [
        inRome({ areas: [{ ...NEW.facility, facility: changed }] }),
        'municipalities.0.areas.0.facility.',
      ];
    default:
      return [inRome({ [where]: [{ ...NEW[where], ...changed }] }), `municipalities.0.${where}.0.`];
  }
}

async function expectRefused(where: Where, property: string, value: unknown): Promise<void> {
  // The property may be one in a list: `paid_hours.0.days`.
  const [name = ''] = property.split('.');
  const [document, item] = documentWith(where, { [name]: value });
  expect(issuePathsOf(await put(document, service)), JSON.stringify(value)).toEqual([item + property]);
}

const expectTaken = (where: Where, property: string, value: unknown) =>
  mustPut(documentWith(where, { [property]: value })[0], service);

it.each<[Where, string, least: number, most: number]>([
  ['areas', 'capacity', 0, 1_000_000],
  ['areas', 'max_height_cm', 100, 1_000],
  ['areas', 'disabled_spaces', 0, 100_000],
  ['areas', 'charging_spaces', 0, 100_000],
  ['rome', 'public_max_age_minutes', 5, 1_440],
  ['rome', 'observation_minutes', 0, 60],
  ['rome', 'overstay_minutes', 0, 120],
  ['facility', 'entry_grace_minutes', 0, 1_440],
  ['facility', 'exit_grace_minutes', 0, 1_440],
  ['facility', 'offline_minutes', 0, 10_080],
  ['sources', 'stale_after_minutes', 1, 525_600],
  ['sources', 'report_delay_minutes', 0, 1_440],
  ['sources', 'open_session_max_hours', 1, 8_760],
  ['subscription_types', 'renewal_opens_days_before', 0, 3_660],
  ['plans', 'importo_eurocent', 1, 999_999],
])('Of %s, %s is a whole number from %i to %i', async (where, property, least, most) => {
  for (const value of [least - 1, most + 1, least + 0.5, String(least)]) {
    await expectRefused(where, property, value);
  }
  for (const value of [least, most]) await expectTaken(where, property, value);
});

const https = (length: number) => `https://a.example/${'a'.repeat(length - 18)}`;

it.each<[Where, string, most: number, textOf?: (length: number) => string]>([
  ['areas', 'code', 80],
  ['areas', 'name', 200],
  ['areas', 'address', 200],
  ['areas', 'price_note', 200],
  ['areas', 'website', 500, https],
  ['rome', 'data_protection_url', 500, https],
  ['sources', 'category', 80],
  ['plans', 'descrizione', 20, (length) => 'A1 BC'.repeat(5).slice(0, length)],
])(
  'Of %s, %s is a text of at most %i characters',
  async (where, property, most, textOf = (length) => '😀'.repeat(length)) => {
    for (const value of ['', textOf(most + 1), 7]) await expectRefused(where, property, value);
    await expectTaken(where, property, textOf(most));
  },
);

const PAID = { days: ['mon'], from: '08:00', to: '20:00' };
const days = (count: number) =>
  Array.from({ length: count }, (_, day) => new Date(day * DAY_MS).toISOString().slice(0, 10));

it.each<[Where, string, unknown]>([
  // Codes and names.
  ['areas', 'code', 'a\u0000b'],
  ['areas', 'code', 'a\ud800'],
  ['areas', 'code', undefined],
  ['areas', 'name', null],
  // Instants, hours and days.
  ['areas', 'closed_until', '2026-12-27T05:00:00'],
  ['areas', 'closed_until', '1969-12-31T23:59:59Z'],
  ['areas', 'paid_hours', Array(51).fill(PAID)],
  ['areas', 'paid_hours.0.days', [{ ...PAID, days: [] }]],
  ['areas', 'paid_hours.0.days', [{ ...PAID, days: ['mon', 'mon'] }]],
  ['areas', 'paid_hours.0.days.0', [{ ...PAID, days: ['lun'] }]],
  ['areas', 'paid_hours.0.from', [{ ...PAID, from: '8:00' }]],
  ['areas', 'paid_hours.0.from', [{ ...PAID, from: '24:00' }]],
  ['areas', 'paid_hours.0.to', [{ ...PAID, to: '24:01' }]],
  ['areas', 'paid_hours.0.to', [{ ...PAID, to: PAID.from }]],
  ['areas', 'paid_hours.0.price', [{ ...PAID, price: 1 }]],
  ['rome', 'holidays', ['2026-12-25', '2026-12-25']],
  ['rome', 'holidays', days(201)],
  ['rome', 'holidays.0', ['2026-02-29']],
  // Pages.
  ['areas', 'website', 'http://a.example'],
  ['areas', 'website', 'https://a b.example'],
  ['rome', 'data_protection_url', 'http://a.example'],
  ['rome', 'accessibility_url', 'javascript:alert(1)'],
  // What cannot be null.
  ['rome', 'public_max_age_minutes', null],
  ['rome', 'tenant', null],
  ['rome', 'services', null],
  ['rome', 'areas', null],
  ['root', 'tenants', null],
  ['areas', 'facility', null],
  ['facility', 'service_enabled', null],
  // Yes and no.
  ['tenants', 'active', 1],
  ['subscription_types', 'freely_sold', 0],
  // Closed lists, zones and references.
  ['areas', 'area_type', 'garage'],
  ['rome', 'timezone', 'Europe/Atlantis'],
  ['rome', 'country', 'XX'],
  ['plans', 'subscription_type', 'NONE'],
  ['plans', 'operations', []],
  ['plans', 'operations.1', ['renewal', 'sale']],
  // Plans.
  ['plans', 'codice_tariffa', '000'],
  ['plans', 'codice_tariffa', '12'],
  ['plans', 'codice_tariffa', '12a'],
  ['plans', 'descrizione', 'Mensile'],
  ['plans', 'descrizione', 'A-B'],
  ['plans', 'duration', 'P0D'],
  ['plans', 'duration', 'PT1H'],
  ['plans', 'duration', 'P101Y'],
  // Unknown properties, at every level, and what holds the others.
  ['root', 'municipality', []],
  ['tenants', 'id', 1],
  ['rome', 'id', 1],
  ['rome', 'services.parking', { parking: true }],
  ['facility', 'capacity', 1],
  ['areas', 'entry_grace_minutes', 1],
  ['sources', 'last_import', 1],
  ['subscription_types', 'price', 1],
  ['plans', 'scadenza', 'P1M'],
  ['root', 'municipalities', { H501: {} }],
  ['root', 'tenants.0', [null]],
  ['rome', 'areas.0', [null]],
])('Of %s, %s is refused: %j', async (where, property, value) => {
  await expectRefused(where, property, value);
});

it.each<[Where, string, unknown]>([
  ['areas', 'closed_until', '1970-01-01T00:00:00Z'],
  ['areas', 'closed_until', '9999-12-31T23:59:59.999Z'],
  ['areas', 'paid_hours', Array(50).fill(PAID)],
  ['rome', 'holidays', days(200)],
  ['plans', 'codice_tariffa', '001'],
  ['plans', 'duration', 'P1D'],
  ['plans', 'duration', 'P100Y'],
  ['plans', 'duration', 'P2W'],
  ['plans', 'duration', 'P1Y6M'],
  ['plans', 'operations', ['renewal', 'renewal']],
  ['rome', 'country', ' FR '],
])('Of %s, %s is taken: %j', async (where, property, value) => {
  await expectTaken(where, property, value);
});

it('An instant is the same however it is written, and comes back by the clocks of its city', async () => {
  await mustPut(inRome({ areas: [{ code: 'S1', closed_until: '2026-12-27T05:00:00.000Z' }] }));
  expect((await storedRome()).areas.find(({ code }) => code === 'S1')).toMatchObject({
    closed_until: '2026-12-27T06:00:00+01:00',
  });
  const again = inRome({ areas: [{ code: 'S1', closed_until: '2026-12-27T06:00+01:00' }] });
  expect(await mustPut(again)).toMatchObject({ updated: 0 });
});
