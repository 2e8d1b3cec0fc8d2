import type {
  areas,
  municipalities,
  plans,
  sources,
  subscriptionTypes,
  tenants,
} from '../../storage/db/schema/index.ts';

/** The configuration's items as stored, except that they refer to each other by code instead of by id. */

export type Tenant = Omit<typeof tenants.$inferSelect, 'id'>;

export type Municipality = Omit<
  typeof municipalities.$inferSelect,
  'id' | 'tenantId' | 'tenantActive' | 'restoredAt'
> & {
  /** Code. */
  tenant: string;
};

export type Area = Omit<typeof areas.$inferSelect, 'id' | 'municipalityId'>;
export type Source = Omit<typeof sources.$inferSelect, 'id' | 'municipalityId'>;
export type SubscriptionType = Omit<typeof subscriptionTypes.$inferSelect, 'id' | 'municipalityId'>;

export type Plan = Omit<typeof plans.$inferSelect, 'id' | 'municipalityId' | 'subscriptionTypeId'> & {
  /** Code. */
  subscriptionType: string;
};

export type ByCode<Item> = ReadonlyMap<string, Item>;

export interface MunicipalityState extends Municipality {
  readonly areas: ByCode<Area>;
  readonly sources: ByCode<Source>;
  readonly subscriptionTypes: ByCode<SubscriptionType>;
  readonly plans: ByCode<Plan>;
  /** How often its configuration was recorded on this UTC day. */
  readonly recordedToday?: number;
}

/** Tenants and whole municipalities. Each map is in the order of its codes. */
export interface ConfigurationState {
  readonly tenants: ByCode<Tenant>;
  readonly municipalities: ByCode<MunicipalityState>;
}
