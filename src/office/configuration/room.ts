import type { Issue } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import { sum } from '../../domain/sum.ts';
import { type Changes, changedMunicipalities, type Row } from './changes.ts';
import {
  MAX_AREAS,
  MAX_DAILY_CONFIGURATIONS,
  MAX_MUNICIPALITIES,
  MAX_PAID_SPANS_TOGETHER,
  MAX_SOURCES,
  MAX_TENANTS,
  MAX_TYPES,
} from './limits.ts';
import type { Named, NamedMunicipality, Reading } from './reading.ts';
import type { Area, ByCode, MunicipalityState } from './state.ts';

/** Issues for the lists of a municipality that a document would make too long. */
export function roomIssues(
  { path, areas, sources, subscriptionTypes }: NamedMunicipality,
  existing: MunicipalityState | undefined,
): Issue[] {
  return [
    ...listIssue(`${path}.areas`, areas, existing?.areas, MAX_AREAS),
    ...paidHoursIssue({ path, areas }, existing?.areas),
    ...listIssue(`${path}.sources`, sources, existing?.sources, MAX_SOURCES),
    ...listIssue(`${path}.subscription_types`, subscriptionTypes, existing?.subscriptionTypes, MAX_TYPES),
  ];
}

function listIssue(
  path: string,
  named: readonly Named<unknown>[],
  existing: ByCode<unknown> = new Map(),
  max: number,
): Issue[] {
  const added = named.filter(({ code }) => !existing.has(code)).length;
  const total = existing.size + added;
  return total > max ? [{ path, message: tooMany(total, max) }] : [];
}

function paidHoursIssue(
  { path, areas }: Pick<NamedMunicipality, 'path' | 'areas'>,
  existing: ByCode<Area> = new Map(),
): Issue[] {
  const before = sum([...existing.values()].map(({ paidHours }) => entriesIn(paidHours)));
  const added = sum(
    areas.map(({ code, given: { paid_hours } }) =>
      paid_hours === undefined ? 0 : (paid_hours?.length ?? 0) - entriesIn(existing.get(code)?.paidHours),
    ),
  );
  const total = before + added;
  return added > 0 && total > MAX_PAID_SPANS_TOGETHER
    ? [{ path: `${path}.areas`, message: tooManyPaidHours(total) }]
    : [];
}

/** Counts the entries in the JSON of `paid_hours`, a list of flat objects. */
const entriesIn = (paidHours: string | null = null): number => (paidHours ?? '').split('{').length - 1;

/** Counts for the whole service. */
export interface Totals {
  readonly tenants: number;
  readonly municipalities: number;
}

/** Issues if a document would create more tenants or municipalities than the service may have. */
export function totalIssues({ tenants, municipalities }: Changes, stored: Totals): Issue[] {
  const issue = (path: string, added: number, there: number, max: number): Issue[] =>
    added > 0 && there + added > max ? [{ path, message: tooMany(there + added, max) }] : [];
  return [
    ...issue('tenants', tenants.created.length, stored.tenants, MAX_TENANTS),
    ...issue('municipalities', municipalities.created.length, stored.municipalities, MAX_MUNICIPALITIES),
  ];
}

/**
 * Issues for municipalities whose configuration was changed too often today: each change stores a whole version. Switching
 * something off is always accepted.
 */
export function dailyIssues(
  { municipalities }: Reading,
  changes: Changes,
  state: ByCode<MunicipalityState>,
): Issue[] {
  const changed = new Set(changedMunicipalities(changes).municipalities);
  return municipalities
    .filter(({ code }) => changed.has(code) && !isSwitchedOffAlone(code, changes))
    .filter(({ code }) => (state.get(code)?.recordedToday ?? 0) >= MAX_DAILY_CONFIGURATIONS)
    .map(({ path }) => ({ path, message: CHANGED_TOO_OFTEN }));
}

/** Codes of the tenants that a document switches on, which stores a version of each of their municipalities. */
export const switchedOn = ({ tenants }: Changes): string[] =>
  tenants.updated.filter(({ active }) => active === true).map(({ code }) => String(code));

/** @param changedTooOften codes of tenants with a municipality whose configuration was changed too often today */
export const switchIssues = ({ tenants }: Reading, changedTooOften: readonly string[]): Issue[] =>
  tenants
    .filter(({ code }) => changedTooOften.includes(code))
    .map(({ path }) => ({ path, message: HAS_CHANGED_TOO_OFTEN }));

function isSwitchedOffAlone(code: string, changes: Changes): boolean {
  const isOf = (row: Row) => (row.municipality ?? row.code) === code;
  const { tenants: _, ...tables } = changes;
  return Object.values(tables).every(
    ({ created, updated }) => !created.some(isOf) && updated.filter(isOf).every(onlySwitchesOff),
  );
}

const onlySwitchesOff = ({ municipality: _, code: __, ...columns }: Row): boolean =>
  columns.active === false && Object.keys(columns).length === 1;

const tooMany = (total: number, max: number): Text => ({
  en: `would be ${total} with those already stored; at most ${max} are allowed`,
  it: `sarebbero ${total} con quelli già salvati; possono essere ${max}`,
});

const tooManyPaidHours = (total: number): Text => ({
  en: `would have ${total} entries of paid_hours together; at most ${MAX_PAID_SPANS_TOGETHER} are allowed`,
  it: `avrebbero insieme ${total} voci di paid_hours; possono essere ${MAX_PAID_SPANS_TOGETHER}`,
});

const CHANGED_TOO_OFTEN: Text = {
  en: `its configuration was changed ${MAX_DAILY_CONFIGURATIONS} times today (UTC); until tomorrow it can only be switched off`,
  it: `la sua configurazione è stata cambiata ${MAX_DAILY_CONFIGURATIONS} volte oggi (UTC): fino a domani si può solo disattivare`,
};

const HAS_CHANGED_TOO_OFTEN: Text = {
  en: `the configuration of one of its municipalities was changed ${MAX_DAILY_CONFIGURATIONS} times today (UTC); until tomorrow it can only be switched off`,
  it: `la configurazione di uno dei suoi comuni è stata cambiata ${MAX_DAILY_CONFIGURATIONS} volte oggi (UTC): fino a domani si può solo disattivare`,
};
