import type { PaidDay } from '../../../../src/domain/patrol/paid-hours.ts';
import {
  type ConfigurationAnswer,
  type ConfigurationDocument,
  configurationDocument,
  getConfiguration,
  putConfigurationDocument,
} from '../../../../src/office/configuration/contract.ts';
import { CITY, FACILITY, TENANT } from '../examples/city.ts';
import { ENVELOPE } from '../examples/envelope.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

const STREET = {
  code: 'S1',
  name: 'Via Roma',
  area_type: 'street' as const,
  capacity: 40,
  latitude: null,
  longitude: null,
  address: 'Via Roma, tra via Po e via Dora',
  website: null,
  price_note: '1,50 € l’ora',
  max_height_cm: null,
  disabled_spaces: 2,
  charging_spaces: null,
  closed_until: null,
  paid_hours: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as PaidDay[], from: '08:00', to: '20:00' }],
  active: true,
};
const SERVICES = {
  plate_check: true,
  subscriptions: true,
  subscription_options: true,
  report: true,
  public_occupancy: false,
};
const MUNICIPALITY = {
  code: 'H501',
  name: 'Roma',
  timezone: 'Europe/Rome',
  country: 'IT',
  public_max_age_minutes: 60,
  data_protection_url: 'https://comune.example/privacy',
  accessibility_url: null,
  holidays: ['2026-12-25', '2026-12-26'],
  observation_minutes: 5,
  overstay_minutes: 10,
  tenant: 'acme',
  active: true,
  services: SERVICES,
};
const PLAN = {
  codice_tariffa: '101',
  subscription_type: 'RES',
  importo_eurocent: 2_500,
  duration: 'P1M',
  descrizione: 'RESIDENTI MENSILE',
  operations: ['first_activation', 'renewal'],
  on_parking_meter: true,
  active: true,
} satisfies NonNullable<NonNullable<ConfigurationDocument['municipalities']>[number]['plans']>[number];

const WHOLE: ConfigurationAnswer['configuration'] = {
  tenants: [{ code: 'acme', name: 'Acme Parking', active: true }],
  municipalities: [
    {
      ...MUNICIPALITY,
      areas: [
        {
          code: 'P1',
          name: 'Parcheggio Centro',
          area_type: 'facility',
          capacity: 300,
          latitude: 41.9028,
          longitude: 12.4964,
          address: 'Piazza Centrale 1',
          website: 'https://parcheggi.example/centro',
          price_note: '2 € l’ora, 12 € al giorno',
          max_height_cm: 210,
          disabled_spaces: 6,
          charging_spaces: 4,
          closed_until: '2026-12-27T06:00:00+01:00',
          paid_hours: null,
          active: true,
          facility: {
            service_enabled: true,
            plate_control_enabled: true,
            subscription_access: false,
            entry_grace_minutes: 10,
            exit_grace_minutes: 15,
            offline_minutes: 720,
          },
        },
        STREET,
      ],
      sources: [
        {
          code: 'app1',
          name: 'App One',
          category: 'app',
          is_system: false,
          active: true,
          stale_after_minutes: 15,
          report_delay_minutes: 5,
          open_session_max_hours: 72,
        },
      ],
      subscription_types: [
        {
          code: 'RES',
          name: 'Residents',
          freely_sold: false,
          renewal_allowed: true,
          renewal_opens_days_before: 30,
          sold_within_authorization: false,
        },
      ],
      plans: [PLAN],
    },
  ],
};

/** A stored configuration of the examples' city. */
const STORED: ConfigurationAnswer['configuration'] = {
  tenants: WHOLE.tenants.map((tenant) => ({ ...tenant, code: TENANT })),
  municipalities: WHOLE.municipalities.map((city) => ({ ...city, ...CITY, tenant: TENANT })),
};

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(putConfigurationDocument, {
    section: 'Administration',
    summary: 'Create and change tenants, municipalities, areas, sources, types and plans',
    words: `
Creates the items of the document that do not exist, updates those that differ, and leaves all others alone. Sending the same
document twice changes nothing. A document with an error changes nothing, and the 422 lists every error. With \`dry_run=true\`
the answer says what the document would change, and nothing is stored.
`.trim(),
    body: {
      words: 'The items to create or change.',
      schema: configurationDocument,
      examples: {
        one_tolerance: {
          summary: 'One tolerance of one facility',
          value: {
            municipalities: [
              { code: CITY.code, areas: [{ code: FACILITY.code, facility: { exit_grace_minutes: 20 } }] },
            ],
          } satisfies ConfigurationDocument,
        },
        city: { summary: 'A whole city, which only the administrator creates', value: WHOLE },
      },
    },
    answer: {
      words: 'The document is stored, unless it was a dry run.',
      example: {
        ...ENVELOPE,
        ...{ created: 0, updated: 1, unchanged: 1 },
        changes: [
          { path: 'municipalities.0.areas.0', property: 'facility.exit_grace_minutes', from: 15, to: 20 },
        ],
      },
    },
  }),
  describe(getConfiguration, {
    section: 'Administration',
    summary: 'Get the configuration of a municipality',
    words: 'Returns a document with every property, which can be put again.',
    parameters: { municipality_code: CITY.code },
    answer: {
      words: 'The configuration.',
      example: { ...ENVELOPE, configuration: STORED, version: '2026-03-07T16:44:12.345Z' },
    },
  }),
];
