import type { Declarations } from '../../src/storage/configuration/declare.ts';
import {
  AREA,
  MUNICIPALITY,
  PLAN,
  SOURCE,
  SUBSCRIPTION_TYPE,
  type WholeMunicipality,
  wholeMunicipality,
} from '../../src/storage/configuration/kinds.ts';

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

/** The properties of a row, by their declarations. Those that it leaves out have their defaults. */
const propertiesOf = (declarations: Declarations, row: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(declarations).flatMap(([name, declared]): [string, unknown][] => {
      if ('properties' in declared) return [[name, propertiesOf(declared.properties, row)]];
      if ('flags' in declared) return flagsOf(name, declared.flags, row);
      const value = 'column' in declared ? Reflect.get(row, declared.column) : undefined;
      const isInstant = 'isInstant' in declared && typeof value === 'number';
      return value === undefined ? [] : [[name, isInstant ? new Date(Number(value)).toISOString() : value]];
    }),
  );

/** The names whose flags are set. A row that has none of them leaves the property out. */
function flagsOf(name: string, flags: Readonly<Record<string, string>>, row: object): [string, unknown][] {
  const isGiven = Object.values(flags).some((column) => Reflect.get(row, column) !== undefined);
  const set = Object.entries(flags).filter(([, column]) => Reflect.get(row, column) === true);
  return isGiven ? [[name, set.map(([flag]) => flag)]] : [];
}

/** A municipality's whole configuration, as a version of it says. */
export const wholeConfiguration = (rows: ConfiguredRows): WholeMunicipality =>
  wholeMunicipality.parse({
    ...propertiesOf(MUNICIPALITY.declarations, rows.municipality),
    tenant: rows.tenant,
    areas: rows.areas.map((area) => propertiesOf(AREA.declarations, area)),
    sources: rows.sources.map((source) => propertiesOf(SOURCE.declarations, source)),
    subscription_types: rows.subscriptionTypes.map((type) =>
      propertiesOf(SUBSCRIPTION_TYPE.declarations, type),
    ),
    plans: rows.plans.map((plan) => ({
      ...propertiesOf(PLAN.declarations, plan),
      subscription_type: rows.subscriptionTypes.find(({ id }) => id === plan.subscriptionTypeId)?.code,
    })),
  });
