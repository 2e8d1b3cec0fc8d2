import type * as z from 'zod';
import type { Issue } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import { UNKNOWN_TENANT } from '../../serving/administration/fields.ts';
import { issuesOf, REPEATED } from '../../serving/http/validation.ts';
import {
  KINDS,
  type KindName,
  LISTS,
  type ListName,
  MUNICIPALITY,
  type WholeMunicipality,
} from '../../storage/configuration/kinds.ts';
import { type Item, isChanged, isGroup, isSame, type Merged } from './changes.ts';
import type { StoredConfiguration } from './configuration-table.ts';
import type { ConfigurationDocument, GivenMunicipality } from './contract.ts';
import { answeredOf } from './present.ts';

/**
 * Merges a document into the stored configuration. Items are matched by code. Items and properties that the document leaves out stay
 * as they are, and a new item gets defaults.
 *
 * @param mayChangeAll whether it may change what is the administrator's
 * @returns every issue of reference; each named item as it is and as it becomes, and each municipality that changes, whole, which do
 *   not count with any issue
 */
export function mergeConfiguration(
  { tenants = [], municipalities = [] }: ConfigurationDocument,
  stored: StoredConfiguration,
  mayChangeAll: boolean,
) {
  const merging = new Merging();
  merging.refuseRepeated('tenants', 'code', tenants);
  merging.refuseRepeated('municipalities', 'code', municipalities);
  for (const [index, tenant] of tenants.entries()) {
    merging.item('tenants', null, tenant, stored.tenants.get(tenant.code), `tenants.${index}`);
  }
  const known = new Set([...stored.tenants.keys(), ...tenants.map(({ code }) => code)]);
  const changed = municipalities.flatMap((given, index) => {
    const path = `municipalities.${index}`;
    const { whole: before, isRestoring = false } = stored.municipalities.get(given.code) ?? {};
    if (isRestoring) merging.refuse(path, RESTORING);
    const { tenant } = given;
    if (tenant !== undefined && tenant !== before?.tenant) {
      if (before !== undefined) merging.refuse(`${path}.tenant`, OTHER_TENANT);
      else if (!known.has(tenant)) merging.refuse(`${path}.tenant`, UNKNOWN_TENANT);
    }
    return merging.municipality(given, before, path) ?? [];
  });
  const { issues, items } = merging;
  const notTheirs = mayChangeAll ? [] : items.flatMap(administratorsChanges);
  return { issues: [...issues, ...notTheirs], items, changed };
}

/** Gathers the items and the issues. */
class Merging {
  readonly issues: Issue[] = [];
  readonly items: Merged[] = [];

  refuse(path: string, message: Text): void {
    this.issues.push({ path, message });
  }

  /** Refuses a code that a list has twice. */
  refuseRepeated(path: string, key: string, items: readonly Item[]): void {
    const seen = new Set<string>();
    for (const [index, item] of items.entries()) {
      const code = codeOf(item, key);
      if (seen.has(code)) this.refuse(`${path}.${index}.${key}`, REPEATED);
      seen.add(code);
    }
  }

  /** @returns null if it has an issue, or does not change */
  municipality(
    given: GivenMunicipality,
    before: WholeMunicipality | undefined,
    path: string,
  ): WholeMunicipality | null {
    const { length: issues } = this.issues;
    const { length: items } = this.items;
    const known = before && MUNICIPALITY.whole.parse(before);
    const own = this.item('municipalities', given.code, given, known, path);
    // Each list is of its kind: the item's schema made each item.
    const lists = Object.fromEntries(
      LIST_NAMES.map((name) => [name, this.#list(name, given, before?.[name] ?? [], path)]),
    ) as Pick<WholeMunicipality, ListName>;
    this.#checkPlans(given, lists, path);
    if (this.issues.length > issues || !this.items.slice(items).some(isChanged)) return null;
    const merged = { ...own, ...lists } as WholeMunicipality;
    const bytes = new TextEncoder().encode(JSON.stringify(answeredOf(merged))).byteLength;
    if (bytes > MAX_RECORD_BYTES) this.refuse(path, TOO_LARGE);
    return merged;
  }

  /** A municipality's list as it becomes, in the order of its codes. */
  #list(name: ListName, given: GivenMunicipality, before: readonly Item[], path: string): Item[] {
    const { key } = KINDS[name];
    const items = new Map(before.map((item) => [codeOf(item, key), item]));
    const named: readonly Item[] = given[name] ?? [];
    this.refuseRepeated(`${path}.${name}`, key, named);
    for (const [index, item] of named.entries()) {
      const code = codeOf(item, key);
      const merged = this.item(name, given.code, item, items.get(code), `${path}.${name}.${index}`);
      if (merged !== null) items.set(code, merged);
    }
    const { max } = LISTS[name];
    if (items.size > max) this.refuse(`${path}.${name}`, tooMany(items.size, max));
    return [...items].sort(byCode).map(([, item]) => item);
  }

  /** @returns the item as it becomes; null if it lacks something */
  item(
    kind: KindName,
    municipality: string | null,
    given: Item,
    before: Item | undefined,
    path: string,
  ): Item | null {
    const { whole }: { whole: z.ZodType<Item> } = KINDS[kind];
    const parsed = whole.safeParse(overlaid(before, given));
    if (!parsed.success) {
      for (const issue of issuesOf(parsed.error.issues)) this.refuse(`${path}.${issue.path}`, issue.message);
      return null;
    }
    const after = parsed.data;
    if (kind === 'areas') this.#checkArea(given, after, path);
    this.items.push({ kind, municipality, path, before: before ?? null, after });
    return after;
  }

  #checkArea(given: Item, { area_type, latitude, longitude }: Item, path: string): void {
    if (given.facility !== undefined && area_type === 'street') this.refuse(`${path}.facility`, STREET);
    if (latitude === null && longitude !== null) this.refuse(`${path}.latitude`, NO_PAIR);
    if (longitude === null && latitude !== null) this.refuse(`${path}.longitude`, NO_PAIR);
  }

  #checkPlans(
    { plans = [] }: GivenMunicipality,
    { subscription_types }: Pick<WholeMunicipality, ListName>,
    path: string,
  ): void {
    const known = new Set(subscription_types.map(({ code }) => code));
    for (const [index, { subscription_type: type }] of plans.entries()) {
      if (type !== undefined && !known.has(type)) {
        this.refuse(`${path}.plans.${index}.subscription_type`, UNKNOWN_TYPE);
      }
    }
  }
}

/** Some properties of an item that exists are the administrator's. */
const administratorsChanges = ({ kind, path, before, after }: Merged): Issue[] =>
  KINDS[kind].administrators
    .filter((name) => before !== null && !isSame(before[name], after[name]))
    .map((name) => ({ path: `${path}.${name}`, message: ADMINISTRATORS_ALONE }));

const LIST_NAMES = Object.keys(LISTS) as ListName[];

const codeOf = (item: Item, key: string): string => String(item[key]);

const byCode = ([one]: readonly [string, Item], [other]: readonly [string, Item]): number =>
  one < other ? -1 : 1;

/** The given properties over the stored ones, those of a group one by one. */
const overlaid = (before: Item | undefined, given: Item): Item => ({
  ...before,
  ...Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      isGroup(value) ? { ...Object(before?.[name]), ...value } : value,
    ]),
  ),
});

/** As it is answered: a version is one row, and D1 takes 2 MB. */
const MAX_RECORD_BYTES = 1_048_576;

const RESTORING: Text = {
  en: 'the municipality is being restored: finish that first, or discard it',
  it: 'il ripristino del comune è in corso: completarlo o eliminarlo prima',
};
const ADMINISTRATORS_ALONE: Text = {
  en: 'only the administrator may change this',
  it: "solo l'amministratore può modificarlo",
};
const OTHER_TENANT: Text = {
  en: 'the municipality has another tenant, which cannot change',
  it: 'il comune è di un altro ente, e non può essere spostato',
};
const STREET: Text = {
  en: 'only a facility has these settings',
  it: 'solo un parcheggio ha queste impostazioni',
};
const NO_PAIR: Text = {
  en: 'give both latitude and longitude, or neither',
  it: 'latitudine e longitudine vanno indicate entrambe, o nessuna delle due',
};
const UNKNOWN_TYPE: Text = {
  en: 'the municipality has no subscription type with this code',
  it: 'il comune non ha un tipo di abbonamento con questo codice',
};
const TOO_LARGE: Text = {
  en: 'its configuration would be larger than 1 MiB',
  it: 'la sua configurazione supererebbe 1 MiB',
};
const tooMany = (total: number, max: number): Text => ({
  en: `would be ${total} with those already stored; at most ${max} are allowed`,
  it: `sarebbero ${total} con quelli già salvati; possono essere ${max}`,
});
