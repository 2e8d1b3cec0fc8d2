import * as z from 'zod';
import { line, utcText } from '../../base/forms/fields.ts';
import { MAX_CENTS, PURCHASE_OPERATIONS } from '../../domain/purchase-options.ts';
import { CODE_LENGTH, NAME_LENGTH } from '../db/schema/columns.ts';
import { ADDRESS_LENGTH, AREA_TYPES, PRICE_NOTE_LENGTH } from '../db/schema/configuration.ts';
import { group, kind } from './declare.ts';
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

/*
 * The configuration: one declaration a property, with its form, the value of a new item that leaves it out, and its words. The schemas
 * of requests, answers and stored versions, and the merge, follow from it.
 */

const CODE = 'Unique in the municipality.';
const name = line(NAME_LENGTH).describe('Its name.');
const on = z.boolean().default(true);
const off = z.boolean().default(false);
const upTo = (max: number, min = 0) => z.int().min(min).max(max);
/** Null unless it is given. */
const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

export const TENANT = kind(
  'code',
  {
    code: newCode().describe('Unique in the service.'),
    name,
    active: on.describe('Whether its credentials may call.'),
  },
  ['name', 'active'],
);

/** A day is the longest tolerance. */
const graceMinutes = upTo(1_440).default(0);
/** A larger number is a typing error. */
const spaces = orNull(upTo(1_000_000));
const specialSpaces = orNull(upTo(100_000));
const degrees = (most: number) =>
  orNull(z.number().min(-most).max(most)).describe(
    'WGS 84, in decimal degrees. Give both coordinates or neither.',
  );

export const AREA = kind('code', {
  code: newCode().describe(CODE),
  name,
  area_type: z.enum(AREA_TYPES).describe('Street or facility.'),
  capacity: spaces.describe('How many spaces it has. Null: unknown.'),
  latitude: degrees(90),
  longitude: degrees(180),
  address: orNull(line(ADDRESS_LENGTH)).describe('Where it is, for people.'),
  website: orNull(website).describe('A page about it: `https:`.'),
  price_note: orNull(line(PRICE_NOTE_LENGTH)).describe('What parking costs there, in a sentence.'),
  // From a sports car to twice the height of a lorry.
  max_height_cm: orNull(upTo(1_000, 100)).describe(
    'Maximum height of a vehicle, in centimetres. Null: unknown.',
  ),
  disabled_spaces: specialSpaces.describe('Spaces for disabled drivers, free or not. Null: unknown.'),
  charging_spaces: specialSpaces.describe('Spaces with a charging point, free or not. Null: unknown.'),
  closed_until: orNull(utcText).describe(
    'The public sees it as closed before this instant. No decision depends on it.',
  ),
  paid_hours: orNull(paidHours).describe('When parking must be paid there. Null: always. Empty: never.'),
  active: on.describe('Whether calls may name it.'),
  facility: group('Facility', 'The settings of a facility.', {
    service_enabled: on.describe('Whether its gate may open at all.'),
    plate_control_enabled: on.describe('Whether plates are checked there; if not, its gate stays closed.'),
    subscription_access: off.describe('Whether subscriptions open its gate.'),
    entry_grace_minutes: graceMinutes.describe('Entry tolerance: minutes before a session’s start.'),
    exit_grace_minutes: graceMinutes.describe('Exit tolerance: minutes after a session’s end.'),
    offline_minutes: upTo(10_080)
      .default(720)
      .describe(
        'Minutes for which its gate may use an entitlement list that it cannot renew. 0: it gets no list.',
      ),
  }).describe('The settings of a facility. Absent for a street.'),
});

export const SOURCE = kind('code', {
  code: newCode().describe(CODE),
  name,
  category: line(CODE_LENGTH).describe('The kind of source, such as `app` or `meter`.'),
  is_system: off.describe('Whether it is the municipality’s own system, which is never stale.'),
  active: on.describe('Whether calls and imports may name it.'),
  stale_after_minutes: upTo(525_600, 1)
    .default(15)
    .describe('Minutes after its last successful import until it is stale.'),
  report_delay_minutes: upTo(1_440)
    .default(5)
    .describe(
      'Minutes after the fact within which it reports, 0 to 1,440: a patrol waits so long before it trusts the source’s silence.',
    ),
  open_session_max_hours: upTo(8_760, 1)
    .default(72)
    .describe('Hours until a start-and-stop session that is never stopped expires.'),
});

export const SUBSCRIPTION_TYPE = kind('code', {
  code: newCode().describe(CODE),
  name,
  freely_sold: off.describe('Whether it is sold without authorization; meters do not sell it then.'),
  renewal_allowed: on.describe('Whether a meter may renew it.'),
  // Ten years, longer than any period.
  renewal_opens_days_before: orNull(upTo(3_660)).describe(
    'Days before the end of the active period from which it may be renewed. Null: at any time.',
  ),
  sold_within_authorization: off.describe(
    'Whether meters offer only plans that end no later than the authorization or its planned revocation.',
  ),
});

export const PLAN = kind('codice_tariffa', {
  codice_tariffa: planCode.describe('Three digits, not `000`; unique in the municipality.'),
  subscription_type: line(CODE_LENGTH).describe('The code of its subscription type.'),
  importo_eurocent: upTo(MAX_CENTS, 1).describe('Its price, in euro cents.'),
  duration: planDuration.describe(
    'Its duration in ISO 8601: whole years, months, weeks or days, such as `P1M`.',
  ),
  descrizione: planDescription.describe('The text that the meter shows.'),
  operations: z
    .array(z.enum(PURCHASE_OPERATIONS))
    .min(1)
    // Each once, in this order, so that equal lists are equal texts.
    .overwrite((given) => PURCHASE_OPERATIONS.filter((operation) => given.includes(operation)))
    .default([...PURCHASE_OPERATIONS])
    .describe('What it is sold for.'),
  on_parking_meter: on.describe('Whether meters sell it.'),
  active: on.describe('Whether it is sold.'),
});

/** A municipality without its areas, sources, subscription types and plans. */
export const MUNICIPALITY = kind(
  'code',
  {
    code: newCode().describe('Unique in the service.'),
    name,
    timezone: timeZone.describe('IANA time zone.'),
    country: country.default('IT').describe('ISO 3166-1 alpha-2 code.'),
    public_max_age_minutes: upTo(1_440, 5)
      .default(60)
      .describe(
        'The public sees no figures once the newest successful import of its sources is older than this, in minutes.',
      ),
    data_protection_url: orNull(website).describe(
      'Its data protection statement, linked from its public page: `https:`.',
    ),
    accessibility_url: orNull(website).describe(
      'Its accessibility statement, linked from its public page: `https:`.',
    ),
    holidays: holidays
      .default([])
      .describe('Local dates on which only the paid hours of `holiday` count, without repetition.'),
    observation_minutes: upTo(60)
      .default(0)
      .describe('Minutes that an officer waits, since the driver may be paying.'),
    overstay_minutes: upTo(120)
      .default(0)
      .describe('Minutes after the end of an entitlement that an officer tolerates.'),
    tenant: line(CODE_LENGTH).describe('The code of its tenant, which cannot change.'),
    active: on.describe('Whether calls may name it.'),
    services: group('Services', 'Which operations are switched on.', {
      plate_check: on.describe('The plate check.'),
      subscriptions: on.describe('Subscriptions in the plate check, and the options query.'),
      subscription_options: on.describe('The options query.'),
      report: on.describe('The report.'),
      public_occupancy: off.describe('The public occupancy, which needs no credential.'),
    }).describe('The operations that are switched on.'),
  },
  ['tenant', 'active'],
);

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
  areas: { max: 2_000, words: 'Its streets and facilities.' },
  sources: { max: 1_000, words: 'Its sources of sessions.' },
  subscription_types: { max: 1_000, words: 'Its types of subscription.' },
  // Their codes have three digits.
  plans: { max: 999, words: 'Its plans.' },
} as const;
export type ListName = keyof typeof LISTS;

/** A municipality's whole configuration: what a version holds. */
export const wholeMunicipality = MUNICIPALITY.whole.extend({
  areas: z.array(AREA.whole),
  sources: z.array(SOURCE.whole),
  subscription_types: z.array(SUBSCRIPTION_TYPE.whole),
  plans: z.array(PLAN.whole),
});

export type WholeMunicipality = z.output<typeof wholeMunicipality>;
