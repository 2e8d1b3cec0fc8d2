import * as z from 'zod';
import { line, newCode, params, storedCode } from '../../serving/administration/fields.ts';
import { holdsNoToken, instantText, NO_TOKEN } from '../../serving/http/fields.ts';
import { count, utcDateTime } from '../../serving/http/response-fields.ts';
import { CODE_LENGTH, NAME_LENGTH } from '../../storage/db/schema/columns.ts';
import {
  ADDRESS_LENGTH,
  AREA_TYPES,
  PRICE_NOTE_LENGTH,
  WEBSITE_LENGTH,
} from '../../storage/db/schema/configuration.ts';
import { country, planCode, planDescription, planDuration, timeZone } from './fields.ts';
import {
  MAX_CENTS,
  MAX_DAILY_CHANGES,
  MAX_GRACE_MINUTES,
  MAX_HEIGHT_CM,
  MAX_LATITUDE,
  MAX_LONGITUDE,
  MAX_OFFLINE_MINUTES,
  MAX_OPEN_SESSION_HOURS,
  MAX_PUBLIC_AGE_MINUTES,
  MAX_RENEWAL_DAYS,
  MAX_SPACES,
  MAX_SPECIAL_SPACES,
  MAX_STALE_MINUTES,
  MIN_HEIGHT_CM,
  MIN_PUBLIC_AGE_MINUTES,
} from './limits.ts';
import { patrolDetails, patrolSettings } from './patrol-fields.ts';

/** An address that a page can link to: printable ASCII, as a browser's address bar gives it. */
const website = () =>
  z
    .string()
    .trim()
    .refine(
      (text) => text.length <= WEBSITE_LENGTH && /^https:\/\/[!-~]+$/.test(text) && URL.canParse(text),
      params(
        `must be an address that begins with https://, in ASCII, of at most ${WEBSITE_LENGTH} characters`,
        `deve essere un indirizzo che inizia con https://, in ASCII, di al massimo ${WEBSITE_LENGTH} caratteri`,
      ),
    )
    .refine(holdsNoToken, NO_TOKEN)
    .meta({ pattern: '^https://[!-~]+$', maxLength: WEBSITE_LENGTH });

const spaces = () => z.int().min(0).max(MAX_SPECIAL_SPACES).nullable().optional();

/** The fields of an area that only the public is shown. */
export const publicDetails = {
  address: line(ADDRESS_LENGTH).nullable().optional().describe('Where it is, for people. New: null.'),
  website: website().nullable().optional().describe('A page about it: `https:`. New: null.'),
  price_note: line(PRICE_NOTE_LENGTH)
    .nullable()
    .optional()
    .describe('What parking costs there, in a sentence. New: null.'),
  max_height_cm: z
    .int()
    .min(MIN_HEIGHT_CM)
    .max(MAX_HEIGHT_CM)
    .nullable()
    .optional()
    .describe('The greatest height of a vehicle, in centimetres. Null: not known. New: null.'),
  disabled_spaces: spaces().describe('Spaces for disabled drivers. Null: not known. New: null.'),
  charging_spaces: spaces().describe('Spaces where a vehicle is charged. Null: not known. New: null.'),
  closed_until: instantText
    .nullable()
    .optional()
    .describe('Before this instant the public sees it as closed. It keeps nobody out. New: null.'),
};

/** The statements that a municipality's page links to in its footer. */
const publicStatements = {
  data_protection_url: website()
    .nullable()
    .optional()
    .describe('Its data protection statement, linked from its public page: `https:`. New: null.'),
  accessibility_url: website()
    .nullable()
    .optional()
    .describe('Its accessibility statement, linked from its public page: `https:`. New: null.'),
};

/** How old the figures may be that the public is shown. */
const publicMaxAge = () =>
  z
    .int()
    .min(MIN_PUBLIC_AGE_MINUTES)
    .max(MAX_PUBLIC_AGE_MINUTES)
    .optional()
    .describe(
      'The age in minutes of the newest success of its sources, past which the public is shown no figures. New: 60.',
    );

/**
 * The form of the configuration, as it is put and as it is answered. A property is absent where an item that exists
 * keeps what it has; which ones a new item needs is judged with the stored state.
 */

const OPERATIONS = ['first_activation', 'renewal'] as const;

const PUT = 'An absent property keeps what the item has; an explicit null resets one that may be null.';

const code = newCode().describe('Unique in the municipality.');
const name = line(NAME_LENGTH).optional().describe('Its name. A new one needs it.');
const flag = z.boolean().optional();
const upTo = (max: number, min = 0) => z.int().min(min).max(max);
const degrees = (max: number) => z.number().min(-max).max(max).nullable().optional();
const minutes = upTo(MAX_GRACE_MINUTES).optional();
const areaType = z.enum(AREA_TYPES).optional();

export const tenantItem = z
  .strictObject({
    code: newCode().describe('Unique in the service.'),
    name,
    active: flag.describe('Whether its credentials may call. New: true.'),
    daily_changes: upTo(MAX_DAILY_CHANGES)
      .nullable()
      .optional()
      .describe(
        'Changes of sessions and subscriptions that it may store in a UTC day; a subscription counts the entries of its plates, or where that is more one for every 25 periods and areas, or for every 400 bytes that are kept beside its plates. Null: no limit. New: 2000000.',
      ),
  })
  .meta({ id: 'Tenant', description: `A tenant. ${PUT}` });

const services = z
  .strictObject({
    plate_check: flag.describe('The plate check. New: true.'),
    subscriptions: flag.describe('Subscriptions in the plate check, and the options query. New: true.'),
    subscription_options: flag.describe('The options query. New: true.'),
    report: flag.describe('The report. New: true.'),
    public_occupancy: flag.describe('The public occupancy, which anybody may ask for. New: false.'),
  })
  .meta({ id: 'Services', description: `The operations of a municipality. ${PUT}` });

const facility = z
  .strictObject({
    service_enabled: flag.describe('Whether its gate answers at all. New: true.'),
    plate_control_enabled: flag.describe('Whether plates are controlled there. New: true.'),
    subscription_access: flag.describe('Whether subscriptions open its gate. New: false.'),
    entry_grace_minutes: minutes.describe(
      'Minutes before a session’s start in which an entry is let in. New: 0.',
    ),
    exit_grace_minutes: minutes.describe(
      'Minutes after a session’s end in which an exit is let out. New: 0.',
    ),
    offline_minutes: upTo(MAX_OFFLINE_MINUTES)
      .optional()
      .describe(
        'For how many minutes its gate may rely on an entitlement list that it cannot renew. 0: there is no list. New: 720.',
      ),
  })
  .meta({ id: 'Facility', description: `The settings of a facility. ${PUT}` });

const FACILITY = 'A facility’s settings; a street has none.';

export const areaItem = z
  .strictObject({
    code,
    name,
    area_type: areaType.describe('Street or facility. A new one needs it.'),
    capacity: upTo(MAX_SPACES).nullable().optional().describe('Its spaces. Null: not configured.'),
    latitude: degrees(MAX_LATITUDE).describe(
      'WGS 84, in decimal degrees. Both coordinates or none. New: null.',
    ),
    longitude: degrees(MAX_LONGITUDE).describe(
      'WGS 84, in decimal degrees. Both coordinates or none. New: null.',
    ),
    ...publicDetails,
    ...patrolDetails,
    active: flag.describe('Whether it can be asked for. New: true.'),
    facility: facility.optional().describe(FACILITY),
  })
  .meta({ id: 'Area', description: `An area. ${PUT}` });

export const sourceItem = z
  .strictObject({
    code,
    name,
    category: line(CODE_LENGTH)
      .optional()
      .describe('What kind of source it is, such as `app` or `meter`. A new one needs it.'),
    is_system: flag.describe('Whether it is the municipality’s own, which is never stale. New: false.'),
    active: flag.describe('Whether it may be imported from and asked for. New: true.'),
    stale_after_minutes: upTo(MAX_STALE_MINUTES, 1)
      .optional()
      .describe('The age of its last success from which on it is stale. New: 15.'),
    open_session_max_hours: upTo(MAX_OPEN_SESSION_HOURS, 1)
      .optional()
      .describe('How long a start-and-stop session is valid if nobody stops it. New: 72.'),
  })
  .meta({ id: 'SessionSource', description: `A source. ${PUT}` });

export const subscriptionTypeItem = z
  .strictObject({
    code,
    name,
    freely_sold: flag.describe('Whether anybody may buy it: then no meter sells it. New: false.'),
    renewal_allowed: flag.describe('Whether it can be renewed at a meter. New: true.'),
    renewal_opens_days_before: upTo(MAX_RENEWAL_DAYS)
      .nullable()
      .optional()
      .describe('Days before the end of the active period in which it can. Null: any time. New: null.'),
    sold_within_authorization: flag.describe(
      'Whether meters offer only plans that end by the end of the authorization, or by a revocation to come. New: false.',
    ),
  })
  .meta({ id: 'SubscriptionType', description: `A type of subscription. ${PUT}` });

const SOLD_FOR = 'What it is sold for. New: both.';

export const planItem = z
  .strictObject({
    codice_tariffa: planCode().describe('Three digits, not `000`; unique in the municipality.'),
    subscription_type: storedCode()
      .optional()
      .describe('The code of the type that it is a plan of. A new one needs it.'),
    importo_eurocent: upTo(MAX_CENTS, 1).optional().describe('Its price in euro cents. A new one needs it.'),
    duration: planDuration()
      .optional()
      .describe(
        'ISO 8601 duration of whole years, months, weeks or days, such as `P1M`. A new one needs it.',
      ),
    descrizione: planDescription().optional().describe('What the meter shows. A new one needs it.'),
    operations: z.array(z.enum(OPERATIONS)).min(1).optional().describe(SOLD_FOR),
    on_parking_meter: flag.describe('Whether meters sell it. New: true.'),
    active: flag.describe('Whether it is sold. New: true.'),
  })
  .meta({ id: 'Plan', description: `A plan. ${PUT}` });

const SWITCHED_ON = 'The operations that are switched on.';

/** A municipality without the lists of what it has. */
export const municipalityItem = z.strictObject({
  code: newCode().describe('Unique in the service.'),
  name,
  timezone: timeZone().optional().describe('IANA time zone. A new one needs it.'),
  country: country().optional().describe('ISO 3166-1 alpha-2. New: IT.'),
  public_max_age_minutes: publicMaxAge(),
  ...publicStatements,
  ...patrolSettings,
  tenant: storedCode()
    .optional()
    .describe('The code of its tenant; it cannot move to another. A new one needs it.'),
  database: storedCode()
    .optional()
    .describe('The name of its database; a document does not move it to another. New: `DB`.'),
  active: flag.describe('Whether it can be asked for. New: true.'),
  services: services.optional().describe(SWITCHED_ON),
});

/** The lists of what a municipality has. */
const listsOf = <
  Area extends z.ZodType,
  Source extends z.ZodType,
  Type extends z.ZodType,
  Plan extends z.ZodType,
>(
  area: Area,
  source: Source,
  type: Type,
  plan: Plan,
) => ({
  areas: z.array(area).describe('Its streets and facilities.'),
  sources: z.array(source).describe('Its sources of sessions.'),
  subscription_types: z.array(type).describe('Its types of subscription.'),
  plans: z.array(plan).describe('Its plans.'),
});

const TENANTS = 'Tenants, by code.';
const MUNICIPALITIES = 'Municipalities, by code.';

const municipalityWithLists = municipalityItem
  .extend(z.object(listsOf(areaItem, sourceItem, subscriptionTypeItem, planItem)).partial().shape)
  .meta({ id: 'Municipality', description: `A municipality. ${PUT}` });

export const configurationDocument = z
  .strictObject({
    tenants: z.array(tenantItem).optional().describe(TENANTS),
    municipalities: z.array(municipalityWithLists).optional().describe(MUNICIPALITIES),
  })
  .meta({
    id: 'ConfigurationDocument',
    description: 'What to create or change, by code. What it does not name is left alone.',
  });

/** What a put answers: how many of the items that the document names. */
export const configurationChanged = z
  .object({
    created: count.describe('Items that did not exist.'),
    updated: count.describe('Items that the document changed.'),
    unchanged: count.describe('Items that were already as the document says.'),
  })
  .meta({ id: 'ConfigurationChanged', description: 'Every item that the document names, counted once.' });

export const configurationQuery = z.strictObject({
  municipality_code: storedCode().describe('The municipality.'),
});

/** A stored item is answered with all that it has; a street has no facility. */
const storedTenant = tenantItem
  .required()
  .meta({ id: 'StoredTenant', description: 'A tenant as it is stored.' });
const storedServices = services
  .required()
  .meta({ id: 'StoredServices', description: 'The operations of a municipality.' });
const storedFacility = facility
  .required()
  .meta({ id: 'StoredFacility', description: 'The settings of a facility.' });
const storedArea = areaItem
  .required()
  .extend({
    closed_until: utcDateTime.nullable().describe('Before this instant the public sees it as closed.'),
    facility: storedFacility.optional().describe(FACILITY),
  })
  .meta({ id: 'StoredArea', description: 'An area as it is stored.' });
const storedSource = sourceItem
  .required()
  .meta({ id: 'StoredSource', description: 'A source as it is stored.' });
const storedSubscriptionType = subscriptionTypeItem
  .required()
  .meta({ id: 'StoredSubscriptionType', description: 'A type as it is stored.' });
const storedPlan = planItem
  .required()
  .extend({ operations: z.array(z.enum(OPERATIONS)).min(1).max(OPERATIONS.length).describe(SOLD_FOR) })
  .meta({ id: 'StoredPlan', description: 'A plan as it is stored.' });
const storedMunicipality = municipalityItem
  .required()
  .extend({
    services: storedServices.describe(SWITCHED_ON),
    ...listsOf(storedArea, storedSource, storedSubscriptionType, storedPlan),
    plans: z.array(storedPlan).max(999).describe('Its plans.'),
  })
  .meta({ id: 'StoredMunicipality', description: 'A municipality as it is stored.' });

const storedConfiguration = z
  .object({
    tenants: z.array(storedTenant).describe(TENANTS),
    municipalities: z.array(storedMunicipality).describe(MUNICIPALITIES),
  })
  .meta({ id: 'StoredConfiguration', description: 'Ready to be put again.' });

/** What a get answers, in the form in which it is put, each property named. */
export const configurationAnswer = z
  .object({ configuration: storedConfiguration.describe('In the form in which it is put.') })
  .meta({
    id: 'ConfigurationResponse',
    description: 'The configuration of a municipality and of its tenant.',
  });

export type ConfigurationDocument = z.output<typeof configurationDocument>;
export type TenantItem = z.output<typeof tenantItem>;
export type MunicipalityItem = z.output<typeof municipalityItem>;
export type AreaItem = z.output<typeof areaItem>;
export type SourceItem = z.output<typeof sourceItem>;
export type SubscriptionTypeItem = z.output<typeof subscriptionTypeItem>;
export type PlanItem = z.output<typeof planItem>;
export type StoredConfiguration = z.infer<typeof storedConfiguration>;
export type ConfigurationAnswer = z.infer<typeof configurationAnswer>;
