import type { StoredConfiguration } from './contract.ts';
import { AREA, MUNICIPALITY, PLAN, SOURCE, SUBSCRIPTION_TYPE, TENANT } from './kinds.ts';
import type { Area, ConfigurationState } from './state.ts';

/**
 * The configuration as a document with every property.
 *
 * @param databaseOf returns the name of a municipality's database by its code
 */
export function presentConfiguration(
  state: ConfigurationState,
  databaseOf: (code: string) => string,
): StoredConfiguration {
  return {
    tenants: [...state.tenants.values()].map(TENANT.item),
    municipalities: [...state.municipalities.values()].map((municipality) => ({
      ...MUNICIPALITY.item(municipality),
      database: databaseOf(municipality.code),
      areas: [...municipality.areas.values()].map(areaItem),
      sources: [...municipality.sources.values()].map(SOURCE.item),
      subscription_types: [...municipality.subscriptionTypes.values()].map(SUBSCRIPTION_TYPE.item),
      plans: [...municipality.plans.values()].map(PLAN.item),
    })),
  };
}

function areaItem(area: Area) {
  const { facility, ...item } = AREA.item(area);
  return { ...item, ...(area.areaType === 'facility' && { facility }) };
}
