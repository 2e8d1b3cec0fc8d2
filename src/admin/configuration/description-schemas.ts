import { ENVELOPE_WORDS, inEnvelope } from '../../openapi/envelope.ts';
import { input, output } from '../../openapi/words.ts';
import {
  areaItem,
  configurationDocument,
  facility,
  municipalityWithLists,
  planItem,
  services,
  sourceItem,
  subscriptionTypeItem,
  tenantItem,
} from './document.ts';
import { configurationQuery } from './request.ts';
import {
  configurationAnswer,
  configurationChanged,
  storedArea,
  storedConfiguration,
  storedFacility,
  storedMunicipality,
  storedPlan,
  storedServices,
  storedSource,
  storedSubscriptionType,
  storedTenant,
} from './response.ts';

const TENANT_WORDS = {
  code: 'Unique in the service.',
  name: 'Its name. A new one needs it.',
  active: 'Whether its credentials may call. New: true.',
} as const;

const SERVICE_WORDS = {
  plate_check: 'The plate check. New: true.',
  subscriptions: 'Subscriptions in the plate check, and the options query. New: true.',
  subscription_options: 'The options query. New: true.',
  report: 'The report. New: true.',
  public_occupancy: 'The public occupancy, which anybody may ask for. New: false.',
} as const;

const FACILITY_WORDS = {
  service_enabled: 'Whether its gate answers at all. New: true.',
  plate_control_enabled: 'Whether plates are controlled there. New: true.',
  subscription_access: 'Whether subscriptions open its gate. New: false.',
  entry_grace_minutes: 'Minutes before a session’s start in which an entry is let in. New: 0.',
  exit_grace_minutes: 'Minutes after a session’s end in which an exit is let out. New: 0.',
  offline_minutes:
    'For how many minutes its gate may go by an entitlement list that it cannot renew. 0: there is no list. New: 720.',
} as const;

const AREA_WORDS = {
  code: 'Unique in the municipality.',
  name: 'Its name. A new one needs it.',
  area_type: 'Street or facility. A new one needs it.',
  capacity: 'Its spaces. Null: not configured.',
  latitude: 'WGS 84, in decimal degrees. Both coordinates or none. New: null.',
  longitude: 'WGS 84, in decimal degrees. Both coordinates or none. New: null.',
  active: 'Whether it can be asked for. New: true.',
  facility: 'A facility’s settings; a street has none.',
} as const;

const SOURCE_WORDS = {
  code: 'Unique in the municipality.',
  name: 'Its name. A new one needs it.',
  category: 'What kind of source it is, such as `app` or `meter`. A new one needs it.',
  is_system: 'Whether it is the municipality’s own, which is never stale. New: false.',
  active: 'Whether it may be imported from and asked for. New: true.',
  stale_after_minutes: 'The age of its last success from which on it is stale. New: 15.',
  open_session_max_hours: 'How long a start-and-stop session is valid that nobody stops. New: 72.',
} as const;

const TYPE_WORDS = {
  code: 'Unique in the municipality.',
  name: 'Its name. A new one needs it.',
  freely_sold: 'Whether anybody may buy it: then no meter sells it. New: false.',
  renewal_allowed: 'Whether it can be renewed at a meter. New: true.',
  renewal_opens_days_before:
    'Days before the end of the active period in which it can. Null: any time. New: null.',
} as const;

const PLAN_WORDS = {
  codice_tariffa: 'Three digits, not `000`; unique in the municipality.',
  subscription_type: 'The code of the type that it is a plan of. A new one needs it.',
  importo_eurocent: 'Its price in euro cents. A new one needs it.',
  duration: 'ISO 8601 duration of whole years, months, weeks or days, such as `P1M`. A new one needs it.',
  descrizione: 'What the meter shows. A new one needs it.',
  operations: 'What it is sold for. New: both.',
  on_parking_meter: 'Whether meters sell it. New: true.',
  active: 'Whether it is sold. New: true.',
} as const;

const MUNICIPALITY_WORDS = {
  code: 'Unique in the service.',
  name: 'Its name. A new one needs it.',
  timezone: 'IANA time zone. A new one needs it.',
  country: 'ISO 3166-1 alpha-2. New: IT.',
  tenant: 'The code of its tenant; it cannot move to another. A new one needs it.',
  database: 'The name of its database; a document does not move it to another. New: `DB`.',
  active: 'Whether it can be asked for. New: true.',
  services: 'The operations that are switched on.',
  areas: 'Its streets and facilities.',
  sources: 'Its sources of sessions.',
  subscription_types: 'Its types of subscription.',
  plans: 'Its plans.',
} as const;

const DOCUMENT_WORDS = { tenants: 'Tenants, by code.', municipalities: 'Municipalities, by code.' } as const;

const PUT = 'An absent property keeps what the item has; an explicit null resets one that may be null.';

export const QUERY = input('ConfigurationQuery', configurationQuery, 'Which configuration to get.', {
  municipality_code: 'The municipality.',
});

export const CONFIGURATION_COMPONENTS = [
  input('Tenant', tenantItem, `A tenant. ${PUT}`, TENANT_WORDS),
  input('Services', services, `The operations of a municipality. ${PUT}`, SERVICE_WORDS),
  input('Facility', facility, `The settings of a facility. ${PUT}`, FACILITY_WORDS),
  input('Area', areaItem, `An area. ${PUT}`, AREA_WORDS),
  input('SessionSource', sourceItem, `A source. ${PUT}`, SOURCE_WORDS),
  input('SubscriptionType', subscriptionTypeItem, `A type of subscription. ${PUT}`, TYPE_WORDS),
  input('Plan', planItem, `A plan. ${PUT}`, PLAN_WORDS),
  input('Municipality', municipalityWithLists, `A municipality. ${PUT}`, MUNICIPALITY_WORDS),
  output('StoredTenant', storedTenant, 'A tenant as it is stored.', TENANT_WORDS),
  output('StoredServices', storedServices, 'The operations of a municipality.', SERVICE_WORDS),
  output('StoredFacility', storedFacility, 'The settings of a facility.', FACILITY_WORDS),
  output('StoredArea', storedArea, 'An area as it is stored.', AREA_WORDS),
  output('StoredSource', storedSource, 'A source as it is stored.', SOURCE_WORDS),
  output('StoredSubscriptionType', storedSubscriptionType, 'A type as it is stored.', TYPE_WORDS),
  output('StoredPlan', storedPlan, 'A plan as it is stored.', PLAN_WORDS),
  output('StoredMunicipality', storedMunicipality, 'A municipality as it is stored.', MUNICIPALITY_WORDS),
  output('StoredConfiguration', storedConfiguration, 'Ready to be put again.', DOCUMENT_WORDS),
];

export const DOCUMENT = input(
  'ConfigurationDocument',
  configurationDocument,
  'What to create or change, by code. What it does not name is left alone.',
  DOCUMENT_WORDS,
);

export const CHANGED = output(
  'ConfigurationChanged',
  inEnvelope(configurationChanged),
  'Every item that the document names, counted once.',
  {
    ...ENVELOPE_WORDS,
    created: 'Items that were not there.',
    updated: 'Items that the document changed.',
    unchanged: 'Items that were so already.',
  },
);

export const CONFIGURATION = output(
  'ConfigurationResponse',
  inEnvelope(configurationAnswer),
  'The configuration of a municipality and of its tenant.',
  { ...ENVELOPE_WORDS, configuration: 'In the form in which it is put.' },
);
