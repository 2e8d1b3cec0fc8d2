// The subjects of the examples. All are in the demonstration of `npm start`, so that you can try each example there.

export const TENANT = 'demo';
export const CITY = { code: 'L219', name: 'Torino' };
/** It admits subscriptions, opens 15 minutes early and lets out 20 minutes late. */
export const FACILITY = { code: 'BOLZANO', name: 'Bolzano' };
/** With prepaid sessions alone. */
export const SMALL_FACILITY = { code: 'MADAMA-CRISTINA', name: 'Madama Cristina' };
/** The city above has none. */
export const STREET_CITY = { code: 'L378', name: 'Trento' };
export const STREET = { code: 'CBLU', name: 'Prima corona blu' };
export const SOURCE = { code: 'app', name: 'Parking app' };
/** Parks in the facility, has a subscription, made an objection. */
export const PARKED = 'DE201MO';
export const SUBSCRIBED = 'DE101MO';
export const OBJECTING = 'DE501MO';
/** A parking meter. */
export const TERMINAL = 'PM-0417';
/** A plate that may be erased without harm to other examples. */
export const UNKNOWN = 'AB123CD';

export const CREDENTIAL = '5f0c1b7e9a3d4c2b8e6f0a1d';
/** Has the right form, and is clearly not a real one. */
const token = (kind: string): string => `pev_${kind}_${CREDENTIAL}_${'0'.repeat(64)}_${'0'.repeat(32)}`;

/** The values of the examples, by a property's name, by that after the name of its object, or by a format. */
export const SAMPLES: Readonly<Record<string, unknown>> = {
  'date-time': '2026-03-07T17:44:12+01:00',
  uuid: '7f1b6f6e-6f0e-4a53-9d0c-0d7f4f6c1b52',
  access_token: token('at'),
  active_after_30: 24,
  active_after_60: 15,
  active_now: 31,
  address: 'Piazza Centrale 1',
  api_key: token('ak'),
  area: FACILITY,
  area_code: FACILITY.code,
  areas_count: 1,
  'areas.code': FACILITY.code,
  'areas.name': FACILITY.name,
  available_after_30: 16,
  available_after_60: 25,
  available_now: 9,
  capacity: 40,
  charging_spaces: 4,
  codice_tariffa: '101',
  configured_areas_count: 1,
  configured_count: 1,
  country: 'IT',
  created_at: '2026-03-07T16:44:12.000Z',
  credential_id: CREDENTIAL,
  data_protection_url: 'https://comune.example/privacy',
  descrizione: 'RESIDENTI MENSILE',
  disabled_spaces: 6,
  duration: 'P1M',
  duration_ms: 14,
  ends_at: '2026-03-07T19:00:00+01:00',
  ending_between_30_60: 10,
  ending_within_30: 9,
  ending_within_60: 19,
  entry_grace_minutes: 15,
  excess_now: 0,
  exit_grace_minutes: 20,
  expected_eurocent: 2_500,
  freely_sold: false,
  historical_days_allowed: 1,
  holidays: ['2026-12-25', '2026-12-26'],
  importo_eurocent: 2_500,
  is_system: false,
  ip_allowlist: ['203.0.113.0/24'],
  latitude: 45.07,
  limit: 120,
  longitude: 7.69,
  max_height_cm: 210,
  municipalities: [CITY.code],
  'municipalities.code': CITY.code,
  'municipalities.name': CITY.name,
  municipality: CITY,
  municipality_code: CITY.code,
  observation_minutes: 5,
  occupancy_percent: 77.5,
  officer_reference: 'badge-0417',
  offline_minutes: 720,
  open_session_max_hours: 72,
  operations: ['first_activation', 'renewal'],
  overstay_minutes: 10,
  payment_id: 'PM-0417-000381',
  plate: PARKED,
  'plans.subscription_type': 'RES',
  price_note: '2 € l’ora, 12 € al giorno',
  public_max_age_minutes: 60,
  refresh_after_seconds: 60,
  renewal_opens_days_before: 30,
  report_delay_minutes: 5,
  requires_area_code: false,
  scadenza: '17:44 30/04/2026',
  session_id: `${PARKED}-1`,
  sold_within_authorization: false,
  source_code: SOURCE.code,
  'sources.category': 'app',
  'sources.code': SOURCE.code,
  'sources.name': SOURCE.name,
  spaces_count: 40,
  stale_after_minutes: 15,
  starts_at: '2026-03-07T17:00:00+01:00',
  subscription_number: `SUB-${PARKED}-1`,
  'subscription_types.code': 'RES',
  'subscription_types.name': 'Residents',
  tenant: TENANT,
  'tenants.code': TENANT,
  'tenants.name': 'Acme Parking',
  timezone: 'Europe/Rome',
  type: 'RES',
  unconfigured_count: 0,
  warnings: [],
  website: 'https://parcheggi.example/centro',
  window_seconds: 60,
};
