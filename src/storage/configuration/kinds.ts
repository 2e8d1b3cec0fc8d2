import * as z from 'zod';
import { line, utcText } from '../../base/forms/fields.ts';
import { CODE_LENGTH, NAME_LENGTH } from '../db/schema/columns.ts';
import {
  ADDRESS_LENGTH,
  AREA_TYPES,
  type areas,
  type municipalities,
  PRICE_NOTE_LENGTH,
  type plans,
  type subscriptionTypes,
  type tenants,
  WEBSITE_LENGTH,
} from '../db/schema/configuration.ts';
import type { sources } from '../db/schema/sources.ts';
import { type Declarations, kind } from './declare.ts';
import {
  country,
  holidays,
  newCode,
  paidHours,
  planCode,
  planDescription,
  planDuration,
  timeZone,
  website,
} from './forms.ts';
import {
  MAX_AREAS,
  MAX_CENTS,
  MAX_GRACE_MINUTES,
  MAX_HEIGHT_CM,
  MAX_LATITUDE,
  MAX_LONGITUDE,
  MAX_OBSERVATION_MINUTES,
  MAX_OF_OTHER_KINDS,
  MAX_OFFLINE_MINUTES,
  MAX_OPEN_SESSION_HOURS,
  MAX_OVERSTAY_MINUTES,
  MAX_PLANS,
  MAX_PUBLIC_AGE_MINUTES,
  MAX_RENEWAL_DAYS,
  MAX_REPORT_DELAY_MINUTES,
  MAX_SPACES,
  MAX_SPECIAL_SPACES,
  MAX_STALE_MINUTES,
  MIN_HEIGHT_CM,
  MIN_PUBLIC_AGE_MINUTES,
} from './limits.ts';

/**
 * The configuration: one declaration a property. The schemas of requests, answers and stored versions, the merge, the columns that
 * are written and the public pages follow from it.
 */

type Of<Table extends { readonly $inferSelect: object }> = Declarations<keyof Table['$inferSelect'] & string>;

const CODE = 'Unique in the municipality.';
const flag = z.boolean();
const upTo = (max: number, min = 0) => z.int().min(min).max(max);
const minutes = upTo(MAX_GRACE_MINUTES);
const shownCount = () => z.int().min(0).nullable();

const TENANT_PROPERTIES = {
  code: { column: 'code', schema: newCode(), words: 'Unique in the service.' },
  name: { column: 'name', schema: line(NAME_LENGTH), words: 'Its name.', isAdministrators: true },
  active: {
    column: 'active',
    schema: flag,
    words: 'Whether its credentials may call.',
    initial: true,
    isAdministrators: true,
  },
} as const satisfies Of<typeof tenants>;
export const TENANT = kind('code', TENANT_PROPERTIES);

const AREA_PROPERTIES = {
  code: { column: 'code', schema: newCode(), words: CODE },
  name: { column: 'name', schema: line(NAME_LENGTH), words: 'Its name.' },
  area_type: { column: 'areaType', schema: z.enum(AREA_TYPES), words: 'Street or facility.' },
  capacity: {
    column: 'capacity',
    schema: upTo(MAX_SPACES).nullable(),
    words: 'How many spaces it has. Null: unknown.',
    initial: null,
  },
  latitude: {
    column: 'latitude',
    schema: z.number().min(-MAX_LATITUDE).max(MAX_LATITUDE).nullable(),
    words: 'WGS 84, in decimal degrees. Give both coordinates or neither.',
    initial: null,
  },
  longitude: {
    column: 'longitude',
    schema: z.number().min(-MAX_LONGITUDE).max(MAX_LONGITUDE).nullable(),
    words: 'WGS 84, in decimal degrees. Give both coordinates or neither.',
    initial: null,
  },
  address: {
    column: 'address',
    schema: line(ADDRESS_LENGTH).nullable(),
    words: 'Where it is, for people.',
    initial: null,
    shown: z.string().min(1).max(ADDRESS_LENGTH).nullable(),
  },
  website: {
    column: 'website',
    schema: website().nullable(),
    words: 'A page about it: `https:`.',
    initial: null,
    shown: z.url().max(WEBSITE_LENGTH).nullable(),
  },
  price_note: {
    column: 'priceNote',
    schema: line(PRICE_NOTE_LENGTH).nullable(),
    words: 'What parking costs there, in a sentence.',
    initial: null,
    shown: z.string().min(1).max(PRICE_NOTE_LENGTH).nullable(),
  },
  max_height_cm: {
    column: 'maxHeightCm',
    schema: upTo(MAX_HEIGHT_CM, MIN_HEIGHT_CM).nullable(),
    words: 'Maximum height of a vehicle, in centimetres. Null: unknown.',
    initial: null,
    shown: shownCount(),
  },
  disabled_spaces: {
    column: 'disabledSpaces',
    schema: upTo(MAX_SPECIAL_SPACES).nullable(),
    words: 'Spaces for disabled drivers, free or not. Null: unknown.',
    initial: null,
    shown: shownCount(),
  },
  charging_spaces: {
    column: 'chargingSpaces',
    schema: upTo(MAX_SPECIAL_SPACES).nullable(),
    words: 'Spaces with a charging point, free or not. Null: unknown.',
    initial: null,
    shown: shownCount(),
  },
  closed_until: {
    column: 'closedUntil',
    isInstant: true,
    schema: utcText.nullable(),
    words: 'The public sees it as closed before this instant. No decision depends on it.',
    initial: null,
    shown: z.iso.datetime({ offset: true }).nullable(),
  },
  paid_hours: {
    column: 'paidHours',
    schema: paidHours().nullable(),
    words: 'When parking must be paid there. Null: always. Empty: never.',
    initial: null,
  },
  active: { column: 'active', schema: flag, words: 'Whether calls may name it.', initial: true },
  facility: {
    id: 'Facility',
    description: 'The settings of a facility.',
    words: 'The settings of a facility. Absent for a street.',
    properties: {
      service_enabled: {
        column: 'serviceEnabled',
        schema: flag,
        words: 'Whether its gate may open at all.',
        initial: true,
      },
      plate_control_enabled: {
        column: 'plateControlEnabled',
        schema: flag,
        words: 'Whether plates are checked there; if not, its gate stays closed.',
        initial: true,
      },
      subscription_access: {
        column: 'subscriptionAccess',
        schema: flag,
        words: 'Whether subscriptions open its gate.',
        initial: false,
      },
      entry_grace_minutes: {
        column: 'entryGraceMinutes',
        schema: minutes,
        words: 'Entry tolerance: minutes before a session’s start.',
        initial: 0,
      },
      exit_grace_minutes: {
        column: 'exitGraceMinutes',
        schema: minutes,
        words: 'Exit tolerance: minutes after a session’s end.',
        initial: 0,
      },
      offline_minutes: {
        column: 'offlineMinutes',
        schema: upTo(MAX_OFFLINE_MINUTES),
        words:
          'Minutes for which its gate may use an entitlement list that it cannot renew. 0: it gets no list.',
        initial: 720,
      },
    },
  },
} as const satisfies Of<typeof areas>;
export const AREA = kind('code', AREA_PROPERTIES);

export const SOURCE = kind('code', {
  code: { column: 'code', schema: newCode(), words: CODE },
  name: { column: 'name', schema: line(NAME_LENGTH), words: 'Its name.' },
  category: {
    column: 'category',
    schema: line(CODE_LENGTH),
    words: 'The kind of source, such as `app` or `meter`.',
  },
  is_system: {
    column: 'isSystem',
    schema: flag,
    words: 'Whether it is the municipality’s own system, which is never stale.',
    initial: false,
  },
  active: { column: 'active', schema: flag, words: 'Whether calls and imports may name it.', initial: true },
  stale_after_minutes: {
    column: 'staleAfterMinutes',
    schema: upTo(MAX_STALE_MINUTES, 1),
    words: 'Minutes after its last successful import until it is stale.',
    initial: 15,
  },
  report_delay_minutes: {
    column: 'reportDelayMinutes',
    schema: upTo(MAX_REPORT_DELAY_MINUTES),
    words:
      'Minutes after the fact within which it reports, 0 to 1,440: a patrol waits so long before it trusts the source’s silence.',
    initial: 5,
  },
  open_session_max_hours: {
    column: 'openSessionMaxHours',
    schema: upTo(MAX_OPEN_SESSION_HOURS, 1),
    words: 'Hours until a start-and-stop session that is never stopped expires.',
    initial: 72,
  },
} as const satisfies Of<typeof sources>);

export const SUBSCRIPTION_TYPE = kind('code', {
  code: { column: 'code', schema: newCode(), words: CODE },
  name: { column: 'name', schema: line(NAME_LENGTH), words: 'Its name.' },
  freely_sold: {
    column: 'freelySold',
    schema: flag,
    words: 'Whether it is sold without authorization; meters do not sell it then.',
    initial: false,
  },
  renewal_allowed: {
    column: 'renewalAllowed',
    schema: flag,
    words: 'Whether a meter may renew it.',
    initial: true,
  },
  renewal_opens_days_before: {
    column: 'renewalOpensDaysBefore',
    schema: upTo(MAX_RENEWAL_DAYS).nullable(),
    words: 'Days before the end of the active period from which it may be renewed. Null: at any time.',
    initial: null,
  },
  sold_within_authorization: {
    column: 'soldWithinAuthorization',
    schema: flag,
    words:
      'Whether meters offer only plans that end no later than the authorization or its planned revocation.',
    initial: false,
  },
} as const satisfies Of<typeof subscriptionTypes>);

const OPERATIONS = ['first_activation', 'renewal'] as const;

export const PLAN = kind('codice_tariffa', {
  codice_tariffa: {
    column: 'code',
    schema: planCode(),
    words: 'Three digits, not `000`; unique in the municipality.',
  },
  subscription_type: {
    column: 'subscriptionTypeId',
    schema: line(CODE_LENGTH),
    words: 'The code of its subscription type.',
  },
  importo_eurocent: {
    column: 'amountCents',
    schema: upTo(MAX_CENTS, 1),
    words: 'Its price, in euro cents.',
  },
  duration: {
    column: 'duration',
    schema: planDuration(),
    words: 'Its duration in ISO 8601: whole years, months, weeks or days, such as `P1M`.',
  },
  descrizione: {
    column: 'description',
    schema: planDescription(),
    words: 'The text that the meter shows.',
  },
  operations: {
    flags: { first_activation: 'forFirstActivation', renewal: 'forRenewal' },
    // Each once, in this order, so that equal lists are equal texts.
    schema: z
      .array(z.enum(OPERATIONS))
      .min(1)
      .overwrite((given) => OPERATIONS.filter((operation) => given.includes(operation))),
    words: 'What it is sold for.',
    initial: [...OPERATIONS],
  },
  on_parking_meter: {
    column: 'onParkingMeter',
    schema: flag,
    words: 'Whether meters sell it.',
    initial: true,
  },
  active: { column: 'active', schema: flag, words: 'Whether it is sold.', initial: true },
} as const satisfies Of<typeof plans>);

/** A municipality without its areas, sources, subscription types and plans. */
export const MUNICIPALITY = kind('code', {
  code: { column: 'code', schema: newCode(), words: 'Unique in the service.' },
  name: { column: 'name', schema: line(NAME_LENGTH), words: 'Its name.' },
  timezone: { column: 'timeZone', schema: timeZone(), words: 'IANA time zone.' },
  country: { column: 'country', schema: country(), words: 'ISO 3166-1 alpha-2 code.', initial: 'IT' },
  public_max_age_minutes: {
    column: 'publicMaxAgeMinutes',
    schema: upTo(MAX_PUBLIC_AGE_MINUTES, MIN_PUBLIC_AGE_MINUTES),
    words:
      'The public sees no figures once the newest successful import of its sources is older than this, in minutes.',
    initial: 60,
  },
  data_protection_url: {
    column: 'dataProtectionUrl',
    schema: website().nullable(),
    words: 'Its data protection statement, linked from its public page: `https:`.',
    initial: null,
  },
  accessibility_url: {
    column: 'accessibilityUrl',
    schema: website().nullable(),
    words: 'Its accessibility statement, linked from its public page: `https:`.',
    initial: null,
  },
  holidays: {
    column: 'holidays',
    schema: holidays(),
    words: 'Local dates on which only the paid hours of `holiday` count, without repetition.',
    initial: [],
  },
  observation_minutes: {
    column: 'observationMinutes',
    schema: upTo(MAX_OBSERVATION_MINUTES),
    words: 'Minutes that an officer waits, since the driver may be paying.',
    initial: 0,
  },
  overstay_minutes: {
    column: 'overstayMinutes',
    schema: upTo(MAX_OVERSTAY_MINUTES),
    words: 'Minutes after the end of an entitlement that an officer tolerates.',
    initial: 0,
  },
  tenant: {
    column: 'tenantId',
    schema: line(CODE_LENGTH),
    words: 'The code of its tenant, which cannot change.',
    isAdministrators: true,
  },
  active: {
    column: 'active',
    schema: flag,
    words: 'Whether calls may name it.',
    initial: true,
    isAdministrators: true,
  },
  services: {
    id: 'Services',
    description: 'Which operations are switched on.',
    words: 'The operations that are switched on.',
    properties: {
      plate_check: {
        column: 'plateCheckEnabled',
        schema: flag,
        words: 'The plate check.',
        initial: true,
      },
      subscriptions: {
        column: 'subscriptionsEnabled',
        schema: flag,
        words: 'Subscriptions in the plate check, and the options query.',
        initial: true,
      },
      subscription_options: {
        column: 'subscriptionOptionsEnabled',
        schema: flag,
        words: 'The options query.',
        initial: true,
      },
      report: { column: 'reportEnabled', schema: flag, words: 'The report.', initial: true },
      public_occupancy: {
        column: 'publicOccupancyEnabled',
        schema: flag,
        words: 'The public occupancy, which needs no credential.',
        initial: false,
      },
    },
  },
} as const satisfies Of<typeof municipalities>);

/** Every kind, by the name of its list in the document. */
export const KINDS = {
  tenants: TENANT,
  municipalities: MUNICIPALITY,
  areas: AREA,
  sources: SOURCE,
  subscription_types: SUBSCRIPTION_TYPE,
  plans: PLAN,
} as const;
export type KindName = keyof typeof KINDS;

/** The lists of a municipality, by their names in the document, each with the most items. */
export const LISTS = {
  areas: { max: MAX_AREAS, words: 'Its streets and facilities.' },
  sources: { max: MAX_OF_OTHER_KINDS, words: 'Its sources of sessions.' },
  subscription_types: {
    max: MAX_OF_OTHER_KINDS,
    words: 'Its types of subscription.',
  },
  plans: { max: MAX_PLANS, words: 'Its plans.' },
} as const;
export type ListName = keyof typeof LISTS;

/** A municipality's whole configuration: what a version holds. */
export const wholeMunicipality = MUNICIPALITY.whole.extend({
  areas: z.array(AREA.whole),
  sources: z.array(SOURCE.whole),
  subscription_types: z.array(SUBSCRIPTION_TYPE.whole),
  plans: z.array(PLAN.whole),
});

export type WholeTenant = z.output<typeof TENANT.whole>;
export type WholeMunicipality = z.output<typeof wholeMunicipality>;
