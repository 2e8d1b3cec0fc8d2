import type { Changer } from '../../serving/access/changer.ts';
import type {
  AreaItem,
  MunicipalityItem,
  PlanItem,
  SourceItem,
  SubscriptionTypeItem,
  TenantItem,
} from './contract.ts';
import {
  DEFAULT_COUNTRY,
  DEFAULT_DAILY_CHANGES,
  DEFAULT_OFFLINE_MINUTES,
  DEFAULT_OPEN_SESSION_HOURS,
  DEFAULT_PUBLIC_AGE_MINUTES,
  DEFAULT_STALE_MINUTES,
} from './limits.ts';
import type { Given } from './reading.ts';
import type { Area, Municipality, Plan, Source, SubscriptionType, Tenant } from './state.ts';

/** Values for some columns; an undefined one is not named. */
type Columns<Row> = { readonly [Column in keyof Row]?: Row[Column] | undefined };

/** How the items of one kind become rows. */
export interface Kind<Item, Row> {
  /** What a new item must name. */
  readonly required: readonly (keyof Item & string)[];
  /** The values of a new item that does not name them. */
  readonly defaults: Columns<Row>;
  /** What the document sets. */
  readonly columns: (given: Given<Item>) => Columns<Row>;
  /** Who may change it: all of an item, or each field. */
  readonly changedBy: Changer | { readonly [Field in keyof Required<Item>]: Changer };
}

/** A list as its column holds it: the schema has put its properties in order. */
const jsonOf = (list: readonly unknown[] | undefined): string | undefined =>
  list === undefined ? undefined : JSON.stringify(list);

export const TENANT: Kind<TenantItem, Tenant> = {
  required: ['name'],
  defaults: { active: true, dailyChanges: DEFAULT_DAILY_CHANGES },
  columns: ({ code, name, active, daily_changes }) => ({ code, name, active, dailyChanges: daily_changes }),
  changedBy: 'administrator',
};

export const MUNICIPALITY: Kind<MunicipalityItem, Municipality> = {
  required: ['name', 'timezone', 'tenant'],
  defaults: {
    active: true,
    plateCheckEnabled: true,
    subscriptionsEnabled: true,
    subscriptionOptionsEnabled: true,
    reportEnabled: true,
    publicOccupancyEnabled: false,
    country: DEFAULT_COUNTRY,
    publicMaxAgeMinutes: DEFAULT_PUBLIC_AGE_MINUTES,
    dataProtectionUrl: null,
    accessibilityUrl: null,
    holidays: '[]',
    observationMinutes: 0,
    overstayMinutes: 0,
  },
  columns: ({ code, name, timezone, country, tenant, active, services, ...given }) => ({
    code,
    name,
    timeZone: timezone,
    tenant,
    active,
    plateCheckEnabled: services?.plate_check,
    subscriptionsEnabled: services?.subscriptions,
    subscriptionOptionsEnabled: services?.subscription_options,
    reportEnabled: services?.report,
    publicOccupancyEnabled: services?.public_occupancy,
    country,
    publicMaxAgeMinutes: given.public_max_age_minutes,
    dataProtectionUrl: given.data_protection_url,
    accessibilityUrl: given.accessibility_url,
    holidays: jsonOf(given.holidays),
    observationMinutes: given.observation_minutes,
    overstayMinutes: given.overstay_minutes,
  }),
  changedBy: {
    code: 'administrator',
    tenant: 'administrator',
    database: 'administrator',
    active: 'administrator',
    name: 'office',
    timezone: 'office',
    country: 'office',
    public_max_age_minutes: 'office',
    data_protection_url: 'office',
    accessibility_url: 'office',
    holidays: 'office',
    observation_minutes: 'office',
    overstay_minutes: 'office',
    services: 'office',
  },
};

export const AREA: Kind<AreaItem, Area> = {
  required: ['name', 'area_type'],
  defaults: {
    capacity: null,
    latitude: null,
    longitude: null,
    address: null,
    website: null,
    priceNote: null,
    maxHeightCm: null,
    disabledSpaces: null,
    chargingSpaces: null,
    closedUntil: null,
    paidHours: null,
    active: true,
    serviceEnabled: true,
    plateControlEnabled: true,
    subscriptionAccess: false,
    entryGraceMinutes: 0,
    exitGraceMinutes: 0,
    offlineMinutes: DEFAULT_OFFLINE_MINUTES,
  },
  columns: ({ code, name, area_type, capacity, latitude, longitude, active, facility, ...given }) => ({
    code,
    name,
    areaType: area_type,
    capacity,
    latitude,
    longitude,
    address: given.address,
    website: given.website,
    priceNote: given.price_note,
    maxHeightCm: given.max_height_cm,
    disabledSpaces: given.disabled_spaces,
    chargingSpaces: given.charging_spaces,
    closedUntil: given.closed_until,
    paidHours: given.paid_hours === null ? null : jsonOf(given.paid_hours),
    active,
    // A street names none: it keeps what it had as a facility, in case it becomes one again.
    serviceEnabled: facility?.service_enabled,
    plateControlEnabled: facility?.plate_control_enabled,
    subscriptionAccess: facility?.subscription_access,
    entryGraceMinutes: facility?.entry_grace_minutes,
    exitGraceMinutes: facility?.exit_grace_minutes,
    offlineMinutes: facility?.offline_minutes,
  }),
  changedBy: 'office',
};

/** The type that an area will have. Undefined where the document names none, or a wrong one, for a new area. */
export function areaTypeAfter(
  given: Given<AreaItem>,
  existing: Area | undefined,
): Area['areaType'] | undefined {
  return 'area_type' in given ? given.area_type : existing?.areaType;
}

export const SOURCE: Kind<SourceItem, Source> = {
  required: ['name', 'category'],
  defaults: {
    isSystem: false,
    active: true,
    staleAfterMinutes: DEFAULT_STALE_MINUTES,
    openSessionMaxHours: DEFAULT_OPEN_SESSION_HOURS,
  },
  columns: (given) => ({
    code: given.code,
    name: given.name,
    category: given.category,
    isSystem: given.is_system,
    active: given.active,
    staleAfterMinutes: given.stale_after_minutes,
    openSessionMaxHours: given.open_session_max_hours,
  }),
  changedBy: 'office',
};

export const SUBSCRIPTION_TYPE: Kind<SubscriptionTypeItem, SubscriptionType> = {
  required: ['name'],
  defaults: { freelySold: false, renewalAllowed: true, renewalOpensDaysBefore: null },
  columns: (given) => ({
    code: given.code,
    name: given.name,
    freelySold: given.freely_sold,
    renewalAllowed: given.renewal_allowed,
    renewalOpensDaysBefore: given.renewal_opens_days_before,
  }),
  changedBy: 'office',
};

export const PLAN: Kind<PlanItem, Plan> = {
  required: ['subscription_type', 'importo_eurocent', 'duration', 'descrizione'],
  defaults: { forFirstActivation: true, forRenewal: true, onParkingMeter: true, active: true },
  columns: (given) => ({
    code: given.codice_tariffa,
    subscriptionType: given.subscription_type,
    amountCents: given.importo_eurocent,
    duration: given.duration,
    description: given.descrizione,
    forFirstActivation: given.operations?.includes('first_activation'),
    forRenewal: given.operations?.includes('renewal'),
    onParkingMeter: given.on_parking_meter,
    active: given.active,
  }),
  changedBy: 'office',
};
