import type { StoredConfiguration } from './contract.ts';
import type { Area, ConfigurationState, MunicipalityState, Plan, Source, SubscriptionType } from './state.ts';

/**
 * The configuration in the form in which it is put, each property named.
 *
 * @param databaseOf the name of the database of a municipality, by its code
 */
export function presentConfiguration(
  state: ConfigurationState,
  databaseOf: (code: string) => string,
): StoredConfiguration {
  return {
    tenants: [...state.tenants.values()].map(({ code, name, active, dailyChanges }) => ({
      code,
      name,
      active,
      daily_changes: dailyChanges,
    })),
    municipalities: [...state.municipalities.values()].map((municipality) => ({
      ...municipalityItem(municipality),
      database: databaseOf(municipality.code),
      areas: [...municipality.areas.values()].map(areaItem),
      sources: [...municipality.sources.values()].map(sourceItem),
      subscription_types: [...municipality.subscriptionTypes.values()].map(typeItem),
      plans: [...municipality.plans.values()].map(planItem),
    })),
  };
}

const municipalityItem = (municipality: MunicipalityState) => ({
  code: municipality.code,
  name: municipality.name,
  timezone: municipality.timeZone,
  country: municipality.country,
  public_max_age_minutes: municipality.publicMaxAgeMinutes,
  data_protection_url: municipality.dataProtectionUrl,
  accessibility_url: municipality.accessibilityUrl,
  // As the document's schema made it.
  holidays: JSON.parse(municipality.holidays) as string[],
  observation_minutes: municipality.observationMinutes,
  overstay_minutes: municipality.overstayMinutes,
  tenant: municipality.tenant,
  active: municipality.active,
  services: {
    plate_check: municipality.plateCheckEnabled,
    subscriptions: municipality.subscriptionsEnabled,
    subscription_options: municipality.subscriptionOptionsEnabled,
    report: municipality.reportEnabled,
    public_occupancy: municipality.publicOccupancyEnabled,
  },
});

type PaidSpans = StoredConfiguration['municipalities'][number]['areas'][number]['paid_hours'];

const areaItem = (area: Area) => ({
  code: area.code,
  name: area.name,
  area_type: area.areaType,
  capacity: area.capacity,
  latitude: area.latitude,
  longitude: area.longitude,
  address: area.address,
  website: area.website,
  price_note: area.priceNote,
  max_height_cm: area.maxHeightCm,
  disabled_spaces: area.disabledSpaces,
  charging_spaces: area.chargingSpaces,
  closed_until: area.closedUntil === null ? null : new Date(area.closedUntil).toISOString(),
  paid_hours: area.paidHours === null ? null : (JSON.parse(area.paidHours) as PaidSpans),
  active: area.active,
  ...(area.areaType === 'facility' && {
    facility: {
      service_enabled: area.serviceEnabled,
      plate_control_enabled: area.plateControlEnabled,
      subscription_access: area.subscriptionAccess,
      entry_grace_minutes: area.entryGraceMinutes,
      exit_grace_minutes: area.exitGraceMinutes,
      offline_minutes: area.offlineMinutes,
    },
  }),
});

const sourceItem = (source: Source) => ({
  code: source.code,
  name: source.name,
  category: source.category,
  is_system: source.isSystem,
  active: source.active,
  stale_after_minutes: source.staleAfterMinutes,
  open_session_max_hours: source.openSessionMaxHours,
});

const typeItem = (type: SubscriptionType) => ({
  code: type.code,
  name: type.name,
  freely_sold: type.freelySold,
  renewal_allowed: type.renewalAllowed,
  renewal_opens_days_before: type.renewalOpensDaysBefore,
});

const planItem = (plan: Plan) => ({
  codice_tariffa: plan.code,
  subscription_type: plan.subscriptionType,
  importo_eurocent: plan.amountCents,
  duration: plan.duration,
  descrizione: plan.description,
  operations: [
    ...(plan.forFirstActivation ? (['first_activation'] as const) : []),
    ...(plan.forRenewal ? (['renewal'] as const) : []),
  ],
  on_parking_meter: plan.onParkingMeter,
  active: plan.active,
});
