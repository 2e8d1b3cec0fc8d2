import type { Issue } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import { ADMINISTRATORS_ALONE, type MayChange } from '../../serving/access/changer.ts';
import { type Changes, type Row, type ShownChange, TABLE_NAMES, type TableName } from './changes.ts';
import type { AreaItem, PlanItem } from './contract.ts';
import {
  AREA,
  type Kind,
  MUNICIPALITY,
  PLAN,
  presentArea,
  SOURCE,
  SUBSCRIPTION_TYPE,
  TENANT,
} from './kinds.ts';
import type { Given, Named, NamedMunicipality, Reading } from './reading.ts';
import { roomIssues } from './room.ts';
import type { Area, ByCode, ConfigurationState, MunicipalityState } from './state.ts';

/** The codes of the items that the document names or that exist. */
const knownCodes = (
  named: readonly { readonly code: string }[],
  existing: ReadonlyMap<string, unknown> | undefined,
): ReadonlySet<string> => new Set([...named.map(({ code }) => code), ...(existing?.keys() ?? [])]);

/**
 * A municipality's tenant must exist or be in the document, and can never change.
 *
 * @param tenants the codes of the tenants that exist or are in the document
 */
function tenantIssues(
  { path, given: { tenant } }: NamedMunicipality,
  existing: Pick<MunicipalityState, 'tenant'> | undefined,
  tenants: ReadonlySet<string>,
): Issue[] {
  if (tenant === undefined || tenant === existing?.tenant) {
    return [];
  }
  if (existing !== undefined) {
    return [{ path: `${path}.tenant`, message: OTHER_TENANT }];
  }
  return tenants.has(tenant) ? [] : [{ path: `${path}.tenant`, message: UNKNOWN_TENANT }];
}

/** A street cannot have the settings of a facility. */
function facilityIssues({ path, given }: Named<AreaItem>, existing: Area | undefined): Issue[] {
  const areaType = 'area_type' in given ? given.area_type : existing?.areaType;
  return 'facility' in given && areaType === 'street' ? [{ path: `${path}.facility`, message: STREET }] : [];
}

/** After the change, an area must have both coordinates or neither. */
function coordinateIssues({ path, given }: Named<AreaItem>, existing: Area | undefined): Issue[] {
  const latitude = 'latitude' in given ? given.latitude : (existing?.latitude ?? null);
  const longitude = 'longitude' in given ? given.longitude : (existing?.longitude ?? null);
  // An undefined coordinate is invalid, which has been reported already.
  if (latitude === null && typeof longitude === 'number') {
    return [{ path: `${path}.latitude`, message: NO_PAIR }];
  }
  return longitude === null && typeof latitude === 'number'
    ? [{ path: `${path}.longitude`, message: NO_PAIR }]
    : [];
}

/**
 * A plan's subscription type must exist in its municipality or be in the document.
 *
 * @param types the codes of the types that exist or are in the document
 */
function typeIssues(
  { path, given: { subscription_type: type } }: Named<PlanItem>,
  types: ReadonlySet<string>,
): Issue[] {
  return type === undefined || types.has(type)
    ? []
    : [{ path: `${path}.subscription_type`, message: UNKNOWN_TYPE }];
}

const UNKNOWN_TENANT: Text = {
  en: 'there is no tenant with this code',
  it: 'non c’è un ente con questo codice',
};
const OTHER_TENANT: Text = {
  en: 'the municipality has another tenant, which cannot change',
  it: 'il comune è di un altro ente, e non può essere spostato',
};
const RESTORING: Text = {
  en: 'the municipality is being restored: finish that first, or discard it',
  it: 'il ripristino del comune è in corso: completarlo o eliminarlo prima',
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

/** The changes that an answer shows. */
export const MAX_SHOWN = 1_000;

type Merge =
  | { readonly valid: true; readonly changes: Changes; readonly shown: readonly ShownChange[] }
  | { readonly valid: false; readonly issues: readonly Issue[] };

/**
 * Merges a document into the configuration. Matches items by code. Items and properties that the document leaves out stay as
 * they are, and a new item gets defaults.
 *
 * @param state the existing tenants and municipalities that the document names
 * @param mayChange whose fields the document may change
 * @returns the changes, or every issue of the document, which is then not applied at all
 */
export function mergeConfiguration(state: ConfigurationState, reading: Reading, mayChange: MayChange): Merge {
  const merging = new Merging(reading.issues, mayChange);
  merging.items('tenants', TENANT, reading.tenants, state.tenants);
  const tenants = knownCodes(reading.tenants, state.tenants);
  for (const named of reading.municipalities) {
    const existing = state.municipalities.get(named.code);
    if (existing?.restoring) {
      merging.refuse([{ path: named.path, message: RESTORING }]);
    }
    merging.refuse(tenantIssues(named, existing, tenants));
    merging.refuse(roomIssues(named, existing));
    merging.items('municipalities', MUNICIPALITY, [named], state.municipalities);
    const parent = { municipality: named.code };
    merging.refuse(
      named.areas.flatMap((area) => {
        const before = existing?.areas.get(area.code);
        return [...facilityIssues(area, before), ...coordinateIssues(area, before)];
      }),
    );
    const timeZone = named.given.timezone ?? existing?.timeZone ?? 'UTC';
    const shownArea = { ...AREA, item: (area: Area) => presentArea(area, timeZone) };
    merging.items('areas', shownArea, named.areas, existing?.areas, parent);
    merging.items('sources', SOURCE, named.sources, existing?.sources, parent);
    const { subscriptionTypes } = named;
    merging.items(
      'subscriptionTypes',
      SUBSCRIPTION_TYPE,
      subscriptionTypes,
      existing?.subscriptionTypes,
      parent,
    );
    const types = knownCodes(subscriptionTypes, existing?.subscriptionTypes);
    merging.refuse(named.plans.flatMap((plan) => typeIssues(plan, types)));
    merging.items('plans', PLAN, named.plans, existing?.plans, parent);
  }
  return merging.outcome();
}

/** Gathers the changes and the issues, table by table. */
class Merging {
  readonly #changes = emptyChanges();
  readonly #shown: ShownChange[] = [];
  readonly #issues: Issue[];
  readonly #mayChange: MayChange;

  constructor(issues: readonly Issue[], mayChange: MayChange) {
    this.#issues = [...issues];
    this.#mayChange = mayChange;
  }

  refuse(issues: readonly Issue[]): void {
    for (const issue of issues) this.#issues.push(issue);
  }

  /** @param parent with the item's code, identifies its row */
  items<Item, State extends object>(
    table: TableName,
    kind: Omit<Kind<Item, State>, 'item'> & { readonly item: (row: State) => object },
    items: readonly Named<Item>[],
    existing: ByCode<State> | undefined,
    parent: Row = {},
  ): void {
    const changes = this.#changes[table];
    for (const named of items) {
      const before = existing?.get(named.code);
      const columns = kind.columns(named.given);
      if (before === undefined) {
        this.refuse(missingIssues(kind.required, named));
        const row = { ...parent, ...namedColumns(kind.defaults), ...namedColumns(columns) };
        changes.created.push(row);
        // A valid document gives a new row every column, and only changes of a valid one are shown.
        this.#show(named.path, () => [{ property: null, from: null, to: kind.item(row as State) }]);
        continue;
      }
      this.refuse(this.#forbidden(kind, named, before));
      const changed = changedColumns(before, columns);
      if (Object.keys(changed).length === 0) {
        changes.unchanged += 1;
      } else {
        changes.updated.push({ ...parent, code: named.code, ...changed });
        this.#show(named.path, () =>
          propertyChanges(kind.item(before), kind.item({ ...before, ...changed })),
        );
      }
    }
  }

  /** Notes the changes of an item, up to the most that an answer shows. */
  #show(path: string, changesOf: () => readonly Omit<ShownChange, 'path'>[]): void {
    if (this.#issues.length > 0) return;
    const room = MAX_SHOWN - this.#shown.length;
    if (room > 0)
      this.#shown.push(
        ...changesOf()
          .slice(0, room)
          .map((change) => ({ path, ...change })),
      );
  }

  /** Issues for the fields that the document would change but may not. */
  #forbidden<Item, State>(
    kind: Pick<Kind<Item, State>, 'changerOf' | 'columns'>,
    { path, given }: Named<Item>,
    before: State & object,
  ): Issue[] {
    // The schema allows no other keys.
    const fields = Object.keys(given) as (keyof Item & string)[];
    return fields
      .filter((field) => !this.#mayChange(kind.changerOf(field)))
      .filter((field) => {
        const alone = { [field]: given[field] } as Given<Item>;
        return Object.keys(changedColumns(before, kind.columns(alone))).length > 0;
      })
      .map((field) => ({ path: `${path}.${field}`, message: ADMINISTRATORS_ALONE }));
  }

  outcome(): Merge {
    return this.#issues.length > 0
      ? { valid: false, issues: this.#issues }
      : { valid: true, changes: this.#changes, shown: this.#shown };
  }
}

/** The properties that differ between two forms of an item; `null` on the side that lacks one. */
function propertyChanges(before: object, after: object): Omit<ShownChange, 'path'>[] {
  const [old, now] = [flat(before), flat(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((property) => ({ property, from: old.get(property) ?? null, to: now.get(property) ?? null }))
    .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}

/** The properties of an item, those of its objects by their path: `facility.entry_grace_minutes`. */
function flat(item: object, prefix = ''): Map<string, unknown> {
  return new Map(
    Object.entries(item).flatMap(([name, value]): [string, unknown][] =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? [...flat(value, `${prefix}${name}.`)]
        : [[prefix + name, value]],
    ),
  );
}

/** The columns whose values differ from the row's. */
export function changedColumns(row: object, columns: object): Row {
  return Object.fromEntries(
    Object.entries(namedColumns(columns)).filter(([column, value]) => value !== Reflect.get(row, column)),
  );
}

function namedColumns(columns: object): Row {
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

function emptyChanges() {
  const empty = TABLE_NAMES.map((table) => [table, { created: [], updated: [], unchanged: 0 }]);
  // One entry for each table.
  return Object.fromEntries(empty) as Record<
    TableName,
    { created: Row[]; updated: Row[]; unchanged: number }
  >;
}

function missingIssues<Item>(required: readonly string[], { path, given }: Named<Item>): Issue[] {
  return required
    .filter((property) => !(property in given))
    .map((property) => ({ path: `${path}.${property}`, message: MISSING }));
}

const MISSING: Text = { en: 'is required for a new item', it: 'è obbligatorio per un nuovo elemento' };
