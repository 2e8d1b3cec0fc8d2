import type { municipalities, plans, sources, subscriptionTypes, tenants } from '../db/schema/index.ts';
import type { Fields } from './fields.ts';

/** The fields of every kind of item except areas, in the order of the document. */

export const TENANT_FIELDS = {
  code: { column: 'code' },
  name: { column: 'name' },
  active: { column: 'active', initial: true },
} as const satisfies Fields<keyof typeof tenants.$inferSelect>;

export const MUNICIPALITY_FIELDS = {
  code: { column: 'code', changedBy: 'administrator' },
  name: { column: 'name', changedBy: 'office' },
  timezone: { column: 'timeZone', changedBy: 'office' },
  country: { column: 'country', initial: 'IT', changedBy: 'office' },
  public_max_age_minutes: { column: 'publicMaxAgeMinutes', initial: 60, changedBy: 'office' },
  data_protection_url: { column: 'dataProtectionUrl', initial: null, changedBy: 'office' },
  accessibility_url: { column: 'accessibilityUrl', initial: null, changedBy: 'office' },
  holidays: { column: 'holidays', form: 'json', initial: '[]', changedBy: 'office' },
  observation_minutes: { column: 'observationMinutes', initial: 0, changedBy: 'office' },
  overstay_minutes: { column: 'overstayMinutes', initial: 0, changedBy: 'office' },
  /** A code. The row stores the tenant's id. */
  tenant: { column: 'tenant', changedBy: 'administrator' },
  active: { column: 'active', initial: true, changedBy: 'administrator' },
  services: {
    fields: {
      plate_check: { column: 'plateCheckEnabled', initial: true },
      subscriptions: { column: 'subscriptionsEnabled', initial: true },
      subscription_options: { column: 'subscriptionOptionsEnabled', initial: true },
      report: { column: 'reportEnabled', initial: true },
      public_occupancy: { column: 'publicOccupancyEnabled', initial: false },
    },
    changedBy: 'office',
  },
} as const satisfies Fields<keyof typeof municipalities.$inferSelect | 'tenant'> &
  Readonly<Record<string, { readonly changedBy: string }>>;

export const SOURCE_FIELDS = {
  code: { column: 'code' },
  name: { column: 'name' },
  category: { column: 'category' },
  is_system: { column: 'isSystem', initial: false },
  active: { column: 'active', initial: true },
  stale_after_minutes: { column: 'staleAfterMinutes', initial: 15 },
  report_delay_minutes: { column: 'reportDelayMinutes', initial: 5 },
  open_session_max_hours: { column: 'openSessionMaxHours', initial: 72 },
} as const satisfies Fields<keyof typeof sources.$inferSelect>;

export const SUBSCRIPTION_TYPE_FIELDS = {
  code: { column: 'code' },
  name: { column: 'name' },
  freely_sold: { column: 'freelySold', initial: false },
  renewal_allowed: { column: 'renewalAllowed', initial: true },
  renewal_opens_days_before: { column: 'renewalOpensDaysBefore', initial: null },
  sold_within_authorization: { column: 'soldWithinAuthorization', initial: false },
} as const satisfies Fields<keyof typeof subscriptionTypes.$inferSelect>;

export const PLAN_FIELDS = {
  codice_tariffa: { column: 'code' },
  /** A code. The row stores the type's id. */
  subscription_type: { column: 'subscriptionType' },
  importo_eurocent: { column: 'amountCents' },
  duration: { column: 'duration' },
  descrizione: { column: 'description' },
  operations: { flags: { first_activation: 'forFirstActivation', renewal: 'forRenewal' } },
  on_parking_meter: { column: 'onParkingMeter', initial: true },
  active: { column: 'active', initial: true },
} as const satisfies Fields<keyof typeof plans.$inferSelect | 'subscriptionType'>;
