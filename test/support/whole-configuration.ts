import { getTableColumns, type Table } from 'drizzle-orm';
import { type WholeMunicipality, wholeMunicipality } from '../../src/storage/configuration/kinds.ts';
import * as schema from '../../src/storage/db/schema/index.ts';

/** The rows of a municipality's configuration. */
interface ConfiguredRows {
  readonly municipality: object;
  /** The tenant's code. */
  readonly tenant: string;
  readonly areas: readonly object[];
  readonly sources: readonly object[];
  readonly subscriptionTypes: readonly { readonly id?: number | undefined; readonly code: string }[];
  readonly plans: readonly { readonly subscriptionTypeId: number }[];
}

/** A row by the names of its columns. */
const named = (table: Table, row: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(getTableColumns(table)).map(([key, { name }]) => [name, Reflect.get(row, key)]),
  );

function areaOf(row: object) {
  const { closed_until: closed, ...area } = named(schema.areas, row);
  return {
    ...area,
    closed_until: typeof closed === 'number' ? new Date(closed).toISOString() : closed,
    facility: area,
  };
}

function planOf(row: object, types: ConfiguredRows['subscriptionTypes']) {
  const plan = named(schema.plans, row);
  const operations = [
    ...(plan.for_first_activation === true ? ['first_activation'] : []),
    ...(plan.for_renewal === true ? ['renewal'] : []),
  ];
  return {
    ...plan,
    codice_tariffa: plan.code,
    subscription_type: types.find(({ id }) => id === plan.subscription_type_id)?.code,
    importo_eurocent: plan.amount_cents,
    descrizione: plan.description,
    operations: operations.length === 0 ? undefined : operations,
  };
}

/** A municipality's whole configuration, as a version of it says. What a row leaves out has its default. */
export function wholeConfiguration(rows: ConfiguredRows): WholeMunicipality {
  const own = named(schema.municipalities, rows.municipality);
  const services = Object.entries(own).map(([name, isOn]) => [name.replace('_enabled', ''), isOn]);
  return wholeMunicipality.parse({
    ...own,
    ...{ timezone: own.time_zone, tenant: rows.tenant, services: Object.fromEntries(services) },
    areas: rows.areas.map(areaOf),
    sources: rows.sources.map((source) => named(schema.sources, source)),
    subscription_types: rows.subscriptionTypes.map((type) => named(schema.subscriptionTypes, type)),
    plans: rows.plans.map((plan) => planOf(plan, rows.subscriptionTypes)),
  });
}
