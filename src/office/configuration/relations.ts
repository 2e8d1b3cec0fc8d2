import type { Issue } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import { unknownDatabase } from '../../serving/administration/unknown.ts';
import type { AreaItem, PlanItem } from './contract.ts';
import { areaTypeAfter } from './kinds.ts';
import type { Named, NamedMunicipality } from './reading.ts';
import type { Area, MunicipalityState } from './state.ts';

/** The codes of items that the document names, or that exist. */
export const knownCodes = (
  named: readonly { readonly code: string }[],
  existing: ReadonlyMap<string, unknown> | undefined,
): ReadonlySet<string> => new Set([...named.map(({ code }) => code), ...(existing?.keys() ?? [])]);

/**
 * A municipality names a tenant that is in the document or exists, and keeps it for ever.
 *
 * @param tenants the codes of all of these
 */
export function tenantIssues(
  { path, given: { tenant } }: NamedMunicipality,
  existing: Pick<MunicipalityState, 'tenant'> | undefined,
  tenants: ReadonlySet<string>,
): Issue[] {
  if (tenant === undefined || tenant === existing?.tenant) {
    return [];
  }
  if (existing !== undefined) {
    return [{ path: `${path}.tenant`, message: MOVED }];
  }
  return tenants.has(tenant) ? [] : [{ path: `${path}.tenant`, message: UNKNOWN_TENANT }];
}

/** Whether a document names no other database than the one where the municipality lives. */
export const isOfDatabase = (
  { given: { database } }: NamedMunicipality,
  current: string | undefined,
): boolean => database === undefined || database === current;

/**
 * A municipality is created in a database that is bound, and stays in it: documents do not move it.
 *
 * @param current the name of the database where it lives, if it exists
 * @param bound the names of all databases
 */
export function databaseIssues(
  { code, path, given: { database } }: NamedMunicipality,
  current: string | undefined,
  bound: readonly string[],
): Issue[] {
  if (database === undefined || database === current) {
    return [];
  }
  if (!bound.includes(database)) {
    return [{ path: `${path}.database`, message: unknownDatabase(database, bound) }];
  }
  return current === undefined ? [] : [{ path: `${path}.database`, message: onlyMovedTo(code, current) }];
}

/** Settings of a facility given to an area that is or becomes a street. */
export function facilityIssues({ path, given }: Named<AreaItem>, existing: Area | undefined): Issue[] {
  return 'facility' in given && areaTypeAfter(given, existing) === 'street'
    ? [{ path: `${path}.facility`, message: STREET }]
    : [];
}

/** Coordinates come in pairs: after the change, an area with one alone has no place. */
export function coordinateIssues({ path, given }: Named<AreaItem>, existing: Area | undefined): Issue[] {
  const latitude = 'latitude' in given ? given.latitude : (existing?.latitude ?? null);
  const longitude = 'longitude' in given ? given.longitude : (existing?.longitude ?? null);
  // One that is undefined is of no valid form, which has been reported already.
  if (latitude === null && typeof longitude === 'number') {
    return [{ path: `${path}.latitude`, message: NO_PAIR }];
  }
  return longitude === null && typeof latitude === 'number'
    ? [{ path: `${path}.longitude`, message: NO_PAIR }]
    : [];
}

/**
 * A plan is of a subscription type of its municipality, in the document or stored.
 *
 * @param types the codes of all of these
 */
export function typeIssues(
  { path, given: { subscription_type: type } }: Named<PlanItem>,
  types: ReadonlySet<string>,
): Issue[] {
  return type === undefined || types.has(type)
    ? []
    : [{ path: `${path}.subscription_type`, message: UNKNOWN_TYPE }];
}

const UNKNOWN_TENANT: Text = {
  en: 'there is no tenant of this code',
  it: 'non c’è un ente con questo codice',
};
const MOVED: Text = {
  en: 'the municipality is of another tenant, and cannot be moved',
  it: 'il comune è di un altro ente, e non può essere spostato',
};
const onlyMovedTo = (code: string, current: string): Text => ({
  en: `the municipality is in ${current}; move it by POST /api/v2/admin/municipalities/${code}/move`,
  it: `il comune è in ${current}; spostarlo con POST /api/v2/admin/municipalities/${code}/move`,
});
const STREET: Text = { en: 'only a facility has these', it: 'solo un parcheggio ha queste impostazioni' };
const NO_PAIR: Text = {
  en: 'give both latitude and longitude, or neither',
  it: 'latitudine e longitudine vanno indicate entrambe, o nessuna delle due',
};
const UNKNOWN_TYPE: Text = {
  en: 'the municipality has no subscription type of this code',
  it: 'il comune non ha un tipo di abbonamento con questo codice',
};
