import { type DemoArea, municipalityCodes } from './areas.ts';
import { FREE_STREET, PATROL_CITY, PATROL_TOLERANCE } from './patrol-street.ts';
import { publicDetails } from './public-details.ts';

export const TENANT = 'demo';
export const TIME_ZONE = 'Europe/Rome';

/** The sources of every city. One is the city's own system; the others report what they sold. */
export const SOURCES = [
  { code: 'meters', name: 'Parking meters and pay stations', category: 'meter', is_system: true },
  {
    ...{ code: 'app', name: 'Parking app', category: 'app', is_system: false },
    ...{ stale_after_minutes: 15, open_session_max_hours: 24 },
  },
  { code: 'booking', name: 'Online booking', category: 'web', is_system: false, stale_after_minutes: 15 },
] as const;
/** Two more sources of one city: the first is silent since the first start, the second sends unreadable lines. */
export const SILENT_SOURCE = 'kiosks';
export const FAILING_SOURCE = 'roaming';
const TROUBLED_SOURCES = [
  {
    ...{ code: SILENT_SOURCE, name: 'Kiosks', category: 'kiosk', is_system: false },
    stale_after_minutes: 1,
  },
  { code: FAILING_SOURCE, name: 'Roaming partner', category: 'app', is_system: false },
];
/** Bologna has late figures; the other cities' figures are good. */
export const TROUBLED_CITY = 'A944';

export type SourceCode = (typeof SOURCES)[number]['code'];

/** The subscription types of every city. Each is sold at meters, or not, for another reason. */
const SUBSCRIPTION_TYPES = [
  { code: 'RES', name: 'Residents', renewal_opens_days_before: 30 },
  { code: 'WORK', name: 'Commuters' },
  { code: 'SEASON', name: 'One season', renewal_allowed: false },
  { code: 'FLEET', name: 'Car sharing fleets' },
  { code: 'OPEN', name: 'For anybody', freely_sold: true },
] as const;
export type SubscriptionType = (typeof SUBSCRIPTION_TYPES)[number]['code'];

const PLANS = [
  plan('101', 'RES', 2_500, 'P1M', 'RESIDENTI MENSILE'),
  plan('102', 'RES', 7_000, 'P3M', 'RESIDENTI TRIMESTR'),
  plan('103', 'RES', 25_000, 'P1Y', 'RESIDENTI ANNUALE'),
  plan('201', 'WORK', 1_800, 'P1W', 'PENDOLARI SETTIMANA'),
  plan('202', 'WORK', 6_000, 'P1M', 'PENDOLARI MENSILE'),
  plan('301', 'SEASON', 15_000, 'P6M', 'STAGIONALE'),
  // Fleets pay the office, not a meter.
  { ...plan('401', 'FLEET', 90_000, 'P1Y', 'FLOTTE ANNUALE'), on_parking_meter: false },
  plan('501', 'OPEN', 9_000, 'P1M', 'LIBERO MENSILE'),
];

/** A facility of this size or larger has long tolerances, and admits subscriptions. */
const LARGE = 300;

/** Two facilities of Torino whose gates stay closed. */
const SWITCHED_OFF: Record<string, object> = {
  STURA: { service_enabled: false },
  'VENCHI-UNICA': { plate_control_enabled: false },
};

/** The demonstration's configuration: real areas with their real capacities, and made-up settings. */
export function configurationDocument(areas: readonly DemoArea[]) {
  return {
    tenants: [{ code: TENANT, name: 'Demonstration' }],
    municipalities: municipalityCodes(areas).map((code) =>
      municipality(areas.filter((area) => area.municipalityCode === code)),
    ),
  };
}

function municipality(areas: readonly DemoArea[]) {
  const [first] = areas;
  if (first === undefined) throw new Error('a municipality without areas');
  return {
    code: first.municipalityCode,
    name: first.municipality,
    timezone: TIME_ZONE,
    tenant: TENANT,
    services: { public_occupancy: true },
    ...(first.municipalityCode === PATROL_CITY && PATROL_TOLERANCE),
    areas: areas.map(areaItem),
    sources: first.municipalityCode === TROUBLED_CITY ? [...SOURCES, ...TROUBLED_SOURCES] : SOURCES,
    subscription_types: SUBSCRIPTION_TYPES,
    plans: PLANS,
  };
}

function areaItem(area: DemoArea, index: number) {
  const { municipalityCode, code, name, areaType, capacity, latitude, longitude } = area;
  const item = {
    ...{ code, name, area_type: areaType, capacity, latitude, longitude, ...publicDetails(area, index) },
    ...(municipalityCode === PATROL_CITY && code === FREE_STREET && { price_note: null, paid_hours: [] }),
  };
  return areaType === 'street' ? item : { ...item, facility: facilitySettings(code, capacity) };
}

/** The settings of a facility's gate, with tolerances that depend on its size. */
function facilitySettings(code: string, capacity: number | null) {
  const isLarge = (capacity ?? 0) >= LARGE;
  return {
    service_enabled: true,
    plate_control_enabled: true,
    subscription_access: isLarge,
    entry_grace_minutes: isLarge ? 15 : 10,
    exit_grace_minutes: isLarge ? 20 : 15,
    ...SWITCHED_OFF[code],
  };
}

function plan(code: string, type: SubscriptionType, cents: number, duration: string, text: string) {
  return {
    codice_tariffa: code,
    subscription_type: type,
    importo_eurocent: cents,
    duration,
    descrizione: text,
  };
}
