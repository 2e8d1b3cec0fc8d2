import * as z from 'zod';
import { CODE_LENGTH, NAME_LENGTH } from '../../db/schema/columns.ts';
import { AREA_TYPES } from '../../db/schema/configuration.ts';
import { line, newCode, storedCode } from '../fields.ts';
import { country, planCode, planDescription, planDuration, timeZone } from './fields.ts';
import {
  MOST_CENTS,
  MOST_GRACE_MINUTES,
  MOST_LATITUDE,
  MOST_LONGITUDE,
  MOST_OFFLINE_MINUTES,
  MOST_OPEN_SESSION_HOURS,
  MOST_RENEWAL_DAYS,
  MOST_SPACES,
  MOST_STALE_MINUTES,
} from './limits.ts';

/**
 * The form of the configuration, as it is put and as it is answered. A property is absent where an item that exists
 * keeps what it has; which ones a new item needs is judged with the stored state.
 */

export const OPERATIONS = ['first_activation', 'renewal'] as const;

const name = () => line(NAME_LENGTH).optional();
const flag = () => z.boolean().optional();
const count = (least: number, most: number) => z.int().min(least).max(most);
const degrees = (most: number) => z.number().min(-most).max(most).nullable().optional();
const minutes = () => count(0, MOST_GRACE_MINUTES).optional();

export const tenantItem = z.strictObject({ code: newCode(), name: name(), active: flag() });

export const services = z.strictObject({
  plate_check: flag(),
  subscriptions: flag(),
  subscription_options: flag(),
  report: flag(),
  public_occupancy: flag(),
});

export const facility = z.strictObject({
  service_enabled: flag(),
  plate_control_enabled: flag(),
  subscription_access: flag(),
  entry_grace_minutes: minutes(),
  exit_grace_minutes: minutes(),
  offline_minutes: count(0, MOST_OFFLINE_MINUTES).optional(),
});

export const areaItem = z.strictObject({
  code: newCode(),
  name: name(),
  area_type: z.enum(AREA_TYPES).optional(),
  /** Null: not configured. */
  capacity: count(0, MOST_SPACES).nullable().optional(),
  /** Both coordinates or none. */
  latitude: degrees(MOST_LATITUDE),
  longitude: degrees(MOST_LONGITUDE),
  active: flag(),
  facility: facility.optional(),
});

export const sourceItem = z.strictObject({
  code: newCode(),
  name: name(),
  category: line(CODE_LENGTH).optional(),
  is_system: flag(),
  active: flag(),
  stale_after_minutes: count(1, MOST_STALE_MINUTES).optional(),
  open_session_max_hours: count(1, MOST_OPEN_SESSION_HOURS).optional(),
});

export const subscriptionTypeItem = z.strictObject({
  code: newCode(),
  name: name(),
  freely_sold: flag(),
  renewal_allowed: flag(),
  /** Null: any time. */
  renewal_opens_days_before: count(0, MOST_RENEWAL_DAYS).nullable().optional(),
});

export const planItem = z.strictObject({
  codice_tariffa: planCode(),
  subscription_type: storedCode().optional(),
  importo_eurocent: count(1, MOST_CENTS).optional(),
  duration: planDuration().optional(),
  descrizione: planDescription().optional(),
  operations: z.array(z.enum(OPERATIONS)).min(1).optional(),
  on_parking_meter: flag(),
  active: flag(),
});

/** A municipality without the lists of what it has. */
export const municipalityItem = z.strictObject({
  code: newCode(),
  name: name(),
  timezone: timeZone().optional(),
  country: country().optional(),
  /** Code. */
  tenant: storedCode().optional(),
  /** The name of its database, chosen when it is created. */
  database: storedCode().optional(),
  active: flag(),
  services: services.optional(),
});

/** A municipality with them. */
export const municipalityWithLists = municipalityItem.extend({
  areas: z.array(areaItem).optional(),
  sources: z.array(sourceItem).optional(),
  subscription_types: z.array(subscriptionTypeItem).optional(),
  plans: z.array(planItem).optional(),
});

export const configurationDocument = z.strictObject({
  tenants: z.array(tenantItem).optional(),
  municipalities: z.array(municipalityWithLists).optional(),
});

/** The whole document, and the kinds of its items. */
export type ConfigurationDocument = z.output<typeof configurationDocument>;
export type TenantItem = z.output<typeof tenantItem>;
export type MunicipalityItem = z.output<typeof municipalityItem>;
export type AreaItem = z.output<typeof areaItem>;
export type SourceItem = z.output<typeof sourceItem>;
export type SubscriptionTypeItem = z.output<typeof subscriptionTypeItem>;
export type PlanItem = z.output<typeof planItem>;
