import type { Input } from '../../../clients/client/index.ts';
import { AREAS, CITIES, type DemoArea } from './areas.ts';
import { TRENTO } from './plates.ts';

export const TENANT = 'demo';
/** Bologna has late figures; the other cities' figures are good. */
export const TROUBLED_CITY = 'A944';
/** Two sources of that city: the first is silent since the first start, the second sends unreadable lines. */
export const SILENT_SOURCE = 'kiosks';
export const FAILING_SOURCE = 'roaming';

/** The sources of every city. One is the city's own system; the others report what they sold. */
export const SOURCES = [
  { code: 'meters', name: 'Parking meters and pay stations', category: 'meter', is_system: true },
  { code: 'app', name: 'Parking app', category: 'app', stale_after_minutes: 15, open_session_max_hours: 24 },
  { code: 'booking', name: 'Online booking', category: 'web', stale_after_minutes: 15 },
] as const;

/** What the cities differ in. */
const SPECIAL_CITIES: Readonly<Record<string, object>> = {
  [TROUBLED_CITY]: {
    sources: [
      ...SOURCES,
      { code: SILENT_SOURCE, name: 'Kiosks', category: 'kiosk', stale_after_minutes: 1 },
      { code: FAILING_SOURCE, name: 'Roaming partner', category: 'app' },
    ],
  },
  // How long an officer waits, and how long a driver may overstay.
  [TRENTO]: { observation_minutes: 2, overstay_minutes: 30 },
};

/** Admits subscriptions, opens 15 min early, and lets cars out 20 min late: it is large. */
export const LARGE_FACILITY = 'BOLZANO';
/** Where the objections are about. Its exit tolerance was shortened after the checks. */
export const SMALL_FACILITY = 'MADAMA-CRISTINA';
/** Where payment is always due, and where it never is: both in Trento. */
export const PATROL_FACILITY = 'DUOMO-P5';
export const FREE_STREET = 'CROSSO';

/** Two facilities of Torino whose gates stay closed. */
const SWITCHED_OFF: Readonly<Record<string, object>> = {
  STURA: { service_enabled: false },
  'VENCHI-UNICA': { plate_control_enabled: false },
};

/** The subscription types of every city. Each is sold at meters, or not, for another reason. */
const SUBSCRIPTION_TYPES = [
  { code: 'RES', name: 'Residents', renewal_opens_days_before: 30 },
  { code: 'WORK', name: 'Commuters' },
  { code: 'SEASON', name: 'One season', renewal_allowed: false },
  { code: 'FLEET', name: 'Car sharing fleets' },
  { code: 'OPEN', name: 'For anybody', freely_sold: true },
];

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

const WORKING_DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
/** Assigned in turn. */
const PRICES = ['2,00 €/h, max 14 €', '1,50 €/h, max 10 €', '2,50 €/h, max 18 €'];
const HEIGHTS = [190, 200, 210, 230];

/** The demonstration's configuration: real areas with their real capacities, and made-up settings. */
export const CONFIGURATION: Input<'putConfiguration'> = {
  tenants: [{ code: TENANT, name: 'Demonstration' }],
  municipalities: CITIES.map((code) => {
    const areas = AREAS.filter((area) => area.municipality_code === code);
    return {
      code,
      name: areas[0]?.municipality ?? code,
      timezone: 'Europe/Rome',
      tenant: TENANT,
      services: { public_occupancy: true },
      areas: areas.map(areaItem),
      sources: [...SOURCES],
      subscription_types: SUBSCRIPTION_TYPES,
      plans: PLANS,
      ...SPECIAL_CITIES[code],
    };
  }),
};

/** An area with details for the public: plausible but made up, as each address says, since the open data has none. */
function areaItem(area: DemoArea, index: number) {
  const { area_code, area_name, area_type, capacity, latitude, longitude } = area;
  const spaces = capacity ?? 0;
  const item = {
    ...{ code: area_code, name: area_name, area_type, capacity, latitude, longitude },
    price_note: `${PRICES[index % PRICES.length]} (esempio)`,
  };
  if (area_type === 'street') {
    // Paid for on working days; car parks are always.
    const paid_hours = [{ days: [...WORKING_DAYS], from: '08:00', to: '20:00' }];
    const free = area_code === FREE_STREET && { price_note: null, paid_hours: [] };
    return { ...item, address: `${area_name} (esempio)`, paid_hours, ...free };
  }
  return {
    ...item,
    address: `Piazza (esempio) ${index + 1}`,
    website: `https://parcheggi.example/${index + 1}`,
    max_height_cm: HEIGHTS[index % HEIGHTS.length] ?? null,
    disabled_spaces: Math.max(2, Math.ceil(spaces / 50)),
    charging_spaces: Math.floor(spaces / 80),
    facility: {
      service_enabled: true,
      plate_control_enabled: true,
      subscription_access: spaces >= LARGE,
      entry_grace_minutes: spaces >= LARGE ? 15 : 10,
      exit_grace_minutes: spaces >= LARGE ? 20 : 15,
      ...SWITCHED_OFF[area_code],
    },
  };
}

function plan(code: string, type: string, cents: number, duration: string, text: string) {
  return {
    codice_tariffa: code,
    subscription_type: type,
    importo_eurocent: cents,
    duration,
    descrizione: text,
  };
}
