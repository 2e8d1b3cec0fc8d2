import type { Language } from '../../../src/base/text/text.ts';
import { presentConfiguration } from '../../../src/office/configuration/kinds.ts';
import { mergeConfiguration } from '../../../src/office/configuration/merge.ts';
import { type Reading, readDocument } from '../../../src/office/configuration/reading.ts';
import type { ConfigurationState, Tenant } from '../../../src/office/configuration/state.ts';
import type { MayChange } from '../../../src/serving/access/changer.ts';
import type { Issue } from '../../client/index.ts';
import { stateAfter, stateOf } from './state.ts';

export type ItemKind = 'tenant' | 'municipality' | 'area' | 'source' | 'subscription_type' | 'plan';

/** One property, by its name in the document: `services.report`. */
export interface PropertyChange {
  readonly property: string;
  /** Undefined for an item that is new. */
  readonly old: unknown;
  readonly new: unknown;
  /** The document does not name it: the item gets it by default. */
  readonly byDefault: boolean;
}

/** What a document does to one item. */
export interface ItemChange {
  readonly kind: ItemKind;
  readonly code: string;
  /** For an item of a municipality. */
  readonly municipality: string | null;
  /** `unknown`: the service could not say whether the item exists. */
  readonly change: 'created' | 'updated' | 'unknown';
  readonly properties: readonly PropertyChange[];
}

export interface Difference {
  readonly items: readonly ItemChange[];
  /** Items that the document names and does not change. */
  readonly unchanged: number;
}

export type Comparison =
  | { readonly valid: true; readonly difference: Difference }
  | { readonly valid: false; readonly issues: readonly Issue[] };

/**
 * A document's changes, by the service's own rules of merging.
 *
 * @param mayChange whose fields the caller may change
 * @param stored the service's answers about the document's existing municipalities
 */
export function compare(
  document: unknown,
  stored: readonly unknown[],
  language: Language,
  mayChange: MayChange = () => true,
): Comparison {
  const reading = readDocument(document);
  const before = stateOf(stored);
  const merge = mergeConfiguration(withForeignTenants(before, reading), reading, mayChange);
  if (!merge.valid) {
    return {
      valid: false,
      issues: merge.issues.map(({ path, message }) => ({ path, message: message[language] })),
    };
  }
  const after = stateAfter(before, merge.changes);
  const [old, now] = [itemsOf(before), itemsOf(after)];
  const named = namedItems(reading);
  const items = [...named.keys()].flatMap((id): ItemChange[] => {
    const item = now.get(id);
    if (item === undefined) return [];
    const change = changeOf(item, old.get(id), named.get(id) ?? {});
    return change === null ? [] : [unsure(change, before)];
  });
  return { valid: true, difference: { items, unchanged: named.size - items.length } };
}

/**
 * A tenant that a municipality names and the document does not define may exist: only the service knows. It
 * is added as an empty one, so that the rest can be compared.
 */
function withForeignTenants(state: ConfigurationState, reading: Reading): ConfigurationState {
  const defined = new Set([...state.tenants.keys(), ...reading.tenants.map(({ code }) => code)]);
  const foreign = reading.municipalities.flatMap(({ given: { tenant } }): [string, Tenant][] =>
    tenant === undefined || defined.has(tenant)
      ? []
      : [[tenant, { code: tenant, name: tenant, active: true }]],
  );
  return { ...state, tenants: new Map([...state.tenants, ...foreign]) };
}

/**
 * The service shows a tenant only with its municipalities: without a stored one, the tenant may be new or
 * not.
 */
const unsure = (change: ItemChange, { tenants }: ConfigurationState): ItemChange =>
  change.kind === 'tenant' && !tenants.has(change.code) ? { ...change, change: 'unknown' } : change;

type Properties = Readonly<Record<string, unknown>>;

interface Item {
  readonly kind: ItemKind;
  readonly code: string;
  readonly municipality: string | null;
  readonly properties: Properties;
}

const LISTS = {
  areas: 'area',
  sources: 'source',
  subscription_types: 'subscription_type',
  plans: 'plan',
} as const;

const idOf = (kind: ItemKind, municipality: string | null, code: string): string =>
  JSON.stringify([kind, municipality, code]);

/** Every item of a state, as the service presents it. */
function itemsOf(state: ConfigurationState): Map<string, Item> {
  const { tenants, municipalities } = presentConfiguration(state);
  const items = new Map<string, Item>();
  const add = (kind: ItemKind, municipality: string | null, code: string, item: object) =>
    items.set(idOf(kind, municipality, code), { kind, code, municipality, properties: flat(item) });
  for (const tenant of tenants) add('tenant', null, tenant.code, tenant);
  for (const { areas, sources, subscription_types, plans, ...municipality } of municipalities) {
    add('municipality', null, municipality.code, municipality);
    for (const area of areas) add('area', municipality.code, area.code, area);
    for (const source of sources) add('source', municipality.code, source.code, source);
    for (const type of subscription_types) add('subscription_type', municipality.code, type.code, type);
    for (const plan of plans) add('plan', municipality.code, plan.codice_tariffa, plan);
  }
  return items;
}

/** The document's own items, in its order. */
function namedItems({ tenants, municipalities }: Reading): Map<string, Properties> {
  const named = new Map<string, Properties>();
  for (const { code, given } of tenants) named.set(idOf('tenant', null, code), flat(given));
  for (const municipality of municipalities) {
    const own = Object.entries(municipality.given).filter(([name]) => !(name in LISTS));
    named.set(idOf('municipality', null, municipality.code), flat(Object.fromEntries(own)));
    const lists = [
      ['area', municipality.areas],
      ['source', municipality.sources],
      ['subscription_type', municipality.subscriptionTypes],
      ['plan', municipality.plans],
    ] as const;
    for (const [kind, items] of lists) {
      for (const { code, given } of items) named.set(idOf(kind, municipality.code, code), flat(given));
    }
  }
  return named;
}

function changeOf(
  { kind, code, municipality, properties }: Item,
  old: Item | undefined,
  given: Properties,
): ItemChange | null {
  const changes = Object.entries(properties)
    .filter(([property, value]) => old === undefined || !same(value, old.properties[property]))
    .map(([property, value]) => ({
      property,
      old: old?.properties[property],
      new: value,
      byDefault: !(property in given),
    }));
  const gone = Object.keys(old?.properties ?? {})
    .filter((property) => !(property in properties))
    .map((property) => ({ property, old: old?.properties[property], new: undefined, byDefault: false }));
  const all = [...changes, ...gone].filter(({ property }) => old !== undefined || !isCode(property));
  if (old !== undefined && all.length === 0) return null;
  return { kind, code, municipality, change: old === undefined ? 'created' : 'updated', properties: all };
}

/** The headline already has it. */
const isCode = (property: string): boolean => property === 'code' || property === 'codice_tariffa';

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Properties of properties by their path: `facility.entry_grace_minutes`. */
function flat(item: object, before = ''): Properties {
  return Object.fromEntries(
    Object.entries(item).flatMap(([name, value]): [string, unknown][] =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(flat(value, `${before}${name}.`))
        : [[before + name, value]],
    ),
  );
}
