import { expect, it } from 'vitest';
import { Random } from '../domain/random.ts';
import { RUN_SEED as SEED, shortOrThorough } from '../support/run-form.ts';
import { configurationOf, mustPut, NOTHING_SAID } from './support.ts';

const DOCUMENTS = shortOrThorough(40, 80);
/** Of which documents what is got is put again. */
const PUT_AGAIN = shortOrThorough(8, 1);

type Item = Record<string, unknown>;
type Value = (random: Random) => unknown;

const yesOrNo: Value = (random) => random.oneIn(2);
const oneOf =
  (...values: unknown[]): Value =>
  (random) =>
    random.pick(values);
const name = oneOf('Uno', 'Due "2"', "D'Annunzio \\ 3", 'È', '停车', '{"a":1}', 'null', '0', 'true');
const number = (...more: unknown[]) => oneOf(1, 2, 60, ...more);

const hours = oneOf(null, [], [{ days: ['mon', 'holiday'], from: '00:00', to: '24:00' }]);

/** What the properties of each kind may be; a new item names those in `required`, and has `defaults` for the rest. */
const KINDS = {
  tenants: {
    codes: ['acme', 'beta'],
    values: { name, active: yesOrNo },
    defaults: { active: true },
  },
  municipalities: {
    codes: ['H501', 'F205'],
    values: {
      name,
      timezone: oneOf('Europe/Rome', 'Europe/Paris'),
      country: oneOf('IT', 'SM'),
      public_max_age_minutes: oneOf(5, 60, 1_440),
      data_protection_url: oneOf(null, 'https://a.example/privacy'),
      accessibility_url: oneOf(null, 'https://a.example/access'),
      holidays: oneOf([], ['2026-12-25'], ['2026-12-26', '2026-12-25']),
      observation_minutes: oneOf(0, 60),
      overstay_minutes: oneOf(0, 120),
      active: yesOrNo,
    },
    defaults: {
      ...{ country: 'IT', public_max_age_minutes: 60, active: true },
      ...{ holidays: [], observation_minutes: 0, overstay_minutes: 0 },
      ...{ data_protection_url: null, accessibility_url: null },
    },
  },
  areas: {
    codes: ['S1', 'S2', '3', '{"4":5}'],
    values: {
      name,
      area_type: oneOf('street', 'facility'),
      capacity: number(null, 0),
      paid_hours: hours,
      active: yesOrNo,
      address: oneOf('Via Po 1', 'Via Dora 2', null),
      disabled_spaces: number(null, 0),
      closed_until: oneOf('2026-12-27T06:00:00+01:00', '2027-01-01T01:00:00+01:00', null),
    },
    required: ['name', 'area_type'],
    defaults: {
      capacity: null,
      latitude: null,
      longitude: null,
      ...NOTHING_SAID,
      paid_hours: null,
      active: true,
    },
  },
  sources: {
    codes: ['app1', 'meters', 'x'],
    values: {
      name,
      category: oneOf('app', 'meter'),
      is_system: yesOrNo,
      active: yesOrNo,
      stale_after_minutes: number(),
      report_delay_minutes: number(),
      open_session_max_hours: number(),
    },
    required: ['name', 'category'],
    defaults: {
      is_system: false,
      active: true,
      stale_after_minutes: 15,
      report_delay_minutes: 5,
      open_session_max_hours: 72,
    },
  },
  subscription_types: {
    codes: ['RES', 'WORK', 'NEW'],
    values: {
      name,
      freely_sold: yesOrNo,
      renewal_allowed: yesOrNo,
      renewal_opens_days_before: number(null, 0),
      sold_within_authorization: yesOrNo,
    },
    required: ['name'],
    defaults: {
      freely_sold: false,
      renewal_allowed: true,
      renewal_opens_days_before: null,
      sold_within_authorization: false,
    },
  },
  plans: {
    codes: ['101', '102', '900'],
    values: {
      subscription_type: oneOf('RES', 'WORK'),
      importo_eurocent: number(999_999),
      duration: oneOf('P1M', 'P2W', 'P1Y6M', 'P10D'),
      descrizione: oneOf('MESE', 'A 1', '007'),
      operations: oneOf(['first_activation'], ['renewal'], ['first_activation', 'renewal']),
      on_parking_meter: yesOrNo,
      active: yesOrNo,
    },
    required: ['subscription_type', 'importo_eurocent', 'duration', 'descrizione'],
    defaults: { operations: ['first_activation', 'renewal'], on_parking_meter: true, active: true },
  },
} satisfies Record<string, Kind>;

interface Kind {
  readonly codes: string[];
  readonly values: Record<string, Value>;
  readonly required?: string[];
  readonly defaults: Item;
}
type KindName = keyof typeof KINDS;

const SERVICES = {
  plate_check: true,
  subscriptions: true,
  subscription_options: true,
  report: true,
  public_occupancy: false,
};
const FACILITY = {
  service_enabled: true,
  plate_control_enabled: true,
  subscription_access: false,
  entry_grace_minutes: 0,
  exit_grace_minutes: 0,
  offline_minutes: 720,
};
const LISTS = ['areas', 'sources', 'subscription_types', 'plans'] as const;
const keyOf = (kind: KindName) => (kind === 'plans' ? 'codice_tariffa' : 'code');

/** The configuration and its rules once more, as plainly as can be: whole items by place, in the document's form. */
class Model {
  readonly items = new Map<string, Item>();
  counts = { created: 0, updated: 0, unchanged: 0 };

  /** What happens to an item that a document names. */
  put(place: string, kind: KindName, item: Item): void {
    const before = this.items.get(place);
    const after: Item = { ...KINDS[kind].defaults, ...before, ...item };
    if (kind === 'municipalities') {
      after.services = { ...SERVICES, ...(before?.services as Item), ...(item.services as Item) };
    }
    if (kind === 'areas') {
      after.facility = { ...FACILITY, ...(before?.facility as Item), ...(item.facility as Item) };
    }
    this.items.set(place, after);
    const isSame = JSON.stringify(sorted(before)) === JSON.stringify(sorted(after));
    this.counts[before === undefined ? 'created' : isSame ? 'unchanged' : 'updated'] += 1;
  }

  /** What the service should answer for a municipality. */
  form(code: string): object {
    const municipality = this.items.get(`municipalities/${code}`);
    const list = (kind: KindName) => {
      const places = KINDS[kind].codes.map((item) => `${code}/${kind}/${item}`).sort();
      return places
        .map((place) => this.items.get(place))
        .filter((item) => item !== undefined)
        .map(shown);
    };
    return {
      tenants: [this.items.get(`tenants/${municipality?.tenant}`)],
      municipalities: [{ ...municipality, ...Object.fromEntries(LISTS.map((kind) => [kind, list(kind)])) }],
    };
  }
}

/** A street keeps a facility's settings, and shows none. */
function shown(item: Item): Item {
  const { facility, ...others } = item;
  return item.area_type === 'street' ? others : item;
}

function sorted(item: Item | undefined): unknown {
  return item && Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A document that names some items, and some of their properties, and enters each into the model. */
function randomDocument(random: Random, model: Model): object {
  const items = (kind: KindName, within: string): Item[] =>
    KINDS[kind].codes
      .filter(() => random.oneIn(2))
      .map((code) => randomItem(random, model, kind, `${within}${kind}/${code}`, code));
  const municipalities = items('municipalities', '').map((municipality) => ({
    ...municipality,
    ...Object.fromEntries(
      LISTS.filter(() => random.oneIn(2)).map((kind) => [kind, items(kind, `${municipality.code}/`)]),
    ),
  }));
  return { tenants: items('tenants', ''), municipalities };
}

function randomItem(random: Random, model: Model, kind: KindName, place: string, code: string): Item {
  const before = model.items.get(place);
  const { values, required = [] }: Kind = KINDS[kind];
  const some = (from: Record<string, Value>, always: readonly string[] = []) =>
    Object.fromEntries(
      Object.entries(from)
        .filter(([property]) => always.includes(property) || random.oneIn(3))
        .map(([property, value]) => [property, value(random)]),
    );
  const item: Item = { [keyOf(kind)]: code, ...some(values, before ? [] : required) };
  if (kind === 'municipalities' && random.oneIn(2)) {
    item.services = some({ plate_check: yesOrNo, subscriptions: yesOrNo, report: yesOrNo });
  }
  const areaType = item.area_type ?? before?.area_type;
  if (areaType === 'facility' && random.oneIn(2)) {
    item.facility = some({
      service_enabled: yesOrNo,
      subscription_access: yesOrNo,
      exit_grace_minutes: number(0),
      offline_minutes: number(0),
    });
  }
  model.put(place, kind, item);
  return item;
}

/** Both tenants, and a municipality of each with two types: what everything else refers to. */
function foundations(model: Model): object {
  const types = [
    { code: 'RES', name: 'Residents' },
    { code: 'WORK', name: 'Workers' },
  ];
  const tenants = [
    { code: 'acme', name: 'Acme' },
    { code: 'beta', name: 'Beta' },
  ];
  const municipalities = [
    { code: 'H501', name: 'Roma', timezone: 'Europe/Rome', tenant: 'acme' },
    { code: 'F205', name: 'Milano', timezone: 'Europe/Rome', tenant: 'beta' },
  ];
  for (const tenant of tenants) model.put(`tenants/${tenant.code}`, 'tenants', tenant);
  for (const municipality of municipalities) {
    model.put(`municipalities/${municipality.code}`, 'municipalities', municipality);
    for (const type of types) {
      model.put(`${municipality.code}/subscription_types/${type.code}`, 'subscription_types', type);
    }
  }
  return { tenants, municipalities: municipalities.map((item) => ({ ...item, subscription_types: types })) };
}

it(`${DOCUMENTS} random documents do what a naive model says, and every get can be put again (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const model = new Model();
  const met = { created: 0, updated: 0, unchanged: 0 };
  for (let index = 0; index < DOCUMENTS; index++) {
    model.counts = { created: 0, updated: 0, unchanged: 0 };
    const document = index === 0 ? foundations(model) : randomDocument(random, model);
    const context = `seed ${SEED}, document ${index}: ${JSON.stringify(document)}`;

    expect(await mustPut(document), context).toEqual(model.counts);
    for (const code of KINDS.municipalities.codes) {
      const configuration = await configurationOf(code);
      expect(configuration, context).toEqual(model.form(code));
      if (index % PUT_AGAIN === 0)
        expect(await mustPut(configuration), context).toMatchObject({ created: 0, updated: 0 });
    }
    met.created += model.counts.created;
    met.updated += model.counts.updated;
    met.unchanged += model.counts.unchanged;
  }
  // Every item there can be has been made (in the short run nearly every one), and many have been changed and left alone.
  const items = 4 + 2 * (4 + 3 + 3 + 3);
  expect(met.created).toBeGreaterThanOrEqual(shortOrThorough(items - 3, items));
  expect(Math.min(met.updated, met.unchanged)).toBeGreaterThan(40);
}, 120_000);
