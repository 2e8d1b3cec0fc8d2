import * as z from 'zod';
import { line, newCode, params, storedCode } from '../../serving/administration/fields.ts';
import { contract } from '../../serving/contract.ts';
import { CONFIGURATION_BODY } from '../../serving/http/body.ts';
import { dryRun, holdsNoToken, instantText, NO_TOKEN } from '../../serving/http/fields.ts';
import { count, dateTime } from '../../serving/http/response-fields.ts';
import { CODE_LENGTH, NAME_LENGTH } from '../../storage/db/schema/columns.ts';
import {
  ADDRESS_LENGTH,
  AREA_TYPES,
  PRICE_NOTE_LENGTH,
  WEBSITE_LENGTH,
} from '../../storage/db/schema/configuration.ts';
import {
  country,
  patrolDetails,
  patrolSettings,
  planCode,
  planDescription,
  planDuration,
  timeZone,
} from './fields.ts';
import {
  MAX_CENTS,
  MAX_GRACE_MINUTES,
  MAX_HEIGHT_CM,
  MAX_LATITUDE,
  MAX_LONGITUDE,
  MAX_OFFLINE_MINUTES,
  MAX_OPEN_SESSION_HOURS,
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
 * The form of the configuration in requests and answers. In a request any property but a code may be absent: only the merge
 * with the stored state knows which items are new and need it.
 */

/** An address that a page can link to. Printable ASCII, which is what a browser's address bar copies. */
const website = () =>
  z
    .string()
    .trim()
    .refine(
      (text) => text.length <= WEBSITE_LENGTH && /^https:\/\/[!-~]+$/.test(text) && URL.canParse(text),
      params(
        `must begin with https:// and have at most ${WEBSITE_LENGTH} ASCII characters`,
        `deve essere un indirizzo che inizia con https://, in ASCII, di al massimo ${WEBSITE_LENGTH} caratteri`,
      ),
    )
    .refine(holdsNoToken, NO_TOKEN)
    .meta({ pattern: '^https://[!-~]+$', maxLength: WEBSITE_LENGTH });

const spaces = () => z.int().min(0).max(MAX_SPECIAL_SPACES).nullable().optional();

/** The fields of an area that only pages for the public show. */
export const publicDetails = {
  address: line(ADDRESS_LENGTH).nullable().optional().describe('Where it is, for people. Default: null.'),
  website: website().nullable().optional().describe('A page about it: `https:`. Default: null.'),
  price_note: line(PRICE_NOTE_LENGTH)
    .nullable()
    .optional()
    .describe('What parking costs there, in a sentence. Default: null.'),
  max_height_cm: z
    .int()
    .min(MIN_HEIGHT_CM)
    .max(MAX_HEIGHT_CM)
    .nullable()
    .optional()
    .describe('Maximum height of a vehicle, in centimetres. Null: unknown. Default: null.'),
  disabled_spaces: spaces().describe('Spaces for disabled drivers. Null: unknown. Default: null.'),
  charging_spaces: spaces().describe('Spaces with a charging point. Null: unknown. Default: null.'),
  closed_until: instantText
    .nullable()
    .optional()
    .describe('The public sees it as closed before this instant. No decision depends on it. Default: null.'),
};

/** The statements that a municipality's page links to in its footer. */
const publicStatements = {
  data_protection_url: website()
    .nullable()
    .optional()
    .describe('Its data protection statement, linked from its public page: `https:`. Default: null.'),
  accessibility_url: website()
    .nullable()
    .optional()
    .describe('Its accessibility statement, linked from its public page: `https:`. Default: null.'),
};

const publicMaxAge = () =>
  z
    .int()
    .min(MIN_PUBLIC_AGE_MINUTES)
    .max(MAX_PUBLIC_AGE_MINUTES)
    .optional()
    .describe(
      'The public sees no figures once the newest successful import of its sources is older than this, in minutes. Default: 60.',
    );

const OPERATIONS = ['first_activation', 'renewal'] as const;

const PUT =
  'In an existing item, an absent property keeps its value and null resets it; in a new item, an absent property gets its default.';

const code = newCode().describe('Unique in the municipality.');
const name = line(NAME_LENGTH).optional().describe('Its name. Required if new.');
const flag = z.boolean().optional();
const upTo = (max: number, min = 0) => z.int().min(min).max(max);
const degrees = (max: number) => z.number().min(-max).max(max).nullable().optional();
const minutes = upTo(MAX_GRACE_MINUTES).optional();
const areaType = z.enum(AREA_TYPES).optional();

export const tenantItem = z
  .strictObject({
    code: newCode().describe('Unique in the service.'),
    name,
    active: flag.describe('Whether its credentials may call. Default: true.'),
  })
  .meta({ id: 'Tenant', description: `A tenant. ${PUT}` });

const services = z
  .strictObject({
    plate_check: flag.describe('The plate check. Default: true.'),
    subscriptions: flag.describe('Subscriptions in the plate check, and the options query. Default: true.'),
    subscription_options: flag.describe('The options query. Default: true.'),
    report: flag.describe('The report. Default: true.'),
    public_occupancy: flag.describe('The public occupancy, which needs no credential. Default: false.'),
  })
  .meta({ id: 'Services', description: `Which operations are switched on. ${PUT}` });

const facility = z
  .strictObject({
    service_enabled: flag.describe('Whether its gate may open at all. Default: true.'),
    plate_control_enabled: flag.describe(
      'Whether plates are checked there; if not, its gate stays closed. Default: true.',
    ),
    subscription_access: flag.describe('Whether subscriptions open its gate. Default: false.'),
    entry_grace_minutes: minutes.describe('Entry tolerance: minutes before a session’s start. Default: 0.'),
    exit_grace_minutes: minutes.describe('Exit tolerance: minutes after a session’s end. Default: 0.'),
    offline_minutes: upTo(MAX_OFFLINE_MINUTES)
      .optional()
      .describe(
        'Minutes for which its gate may use an entitlement list that it cannot renew. 0: it gets no list. Default: 720.',
      ),
  })
  .meta({ id: 'Facility', description: `The settings of a facility. ${PUT}` });

const FACILITY = 'The settings of a facility. Absent for a street.';

export const areaItem = z
  .strictObject({
    code,
    name,
    area_type: areaType.describe('Street or facility. Required if new.'),
    capacity: upTo(MAX_SPACES)
      .nullable()
      .optional()
      .describe('How many spaces it has. Null: unknown. Default: null.'),
    latitude: degrees(MAX_LATITUDE).describe(
      'WGS 84, in decimal degrees. Give both coordinates or neither. Default: null.',
    ),
    longitude: degrees(MAX_LONGITUDE).describe(
      'WGS 84, in decimal degrees. Give both coordinates or neither. Default: null.',
    ),
    ...publicDetails,
    ...patrolDetails,
    active: flag.describe('Whether calls may name it. Default: true.'),
    facility: facility.optional().describe(FACILITY),
  })
  .meta({ id: 'Area', description: `An area. ${PUT}` });

export const sourceItem = z
  .strictObject({
    code,
    name,
    category: line(CODE_LENGTH)
      .optional()
      .describe('The kind of source, such as `app` or `meter`. Required if new.'),
    is_system: flag.describe(
      'Whether it is the municipality’s own system, which is never stale. Default: false.',
    ),
    active: flag.describe('Whether calls and imports may name it. Default: true.'),
    stale_after_minutes: upTo(MAX_STALE_MINUTES, 1)
      .optional()
      .describe('Minutes after its last successful import until it is stale. Default: 15.'),
    report_delay_minutes: upTo(MAX_REPORT_DELAY_MINUTES)
      .optional()
      .describe(
        'Minutes after the fact within which it reports, 0 to 1,440: a patrol waits so long before it trusts the source’s silence. Default: 5.',
      ),
    open_session_max_hours: upTo(MAX_OPEN_SESSION_HOURS, 1)
      .optional()
      .describe('Hours until a start-and-stop session that is never stopped expires. Default: 72.'),
  })
  .meta({ id: 'SessionSource', description: `A source. ${PUT}` });

export const subscriptionTypeItem = z
  .strictObject({
    code,
    name,
    freely_sold: flag.describe(
      'Whether it is sold without authorization; meters do not sell it then. Default: false.',
    ),
    renewal_allowed: flag.describe('Whether a meter may renew it. Default: true.'),
    renewal_opens_days_before: upTo(MAX_RENEWAL_DAYS)
      .nullable()
      .optional()
      .describe(
        'Days before the end of the active period from which it may be renewed. Null: at any time. Default: null.',
      ),
    sold_within_authorization: flag.describe(
      'Whether meters offer only plans that end no later than the authorization or its planned revocation. Default: false.',
    ),
  })
  .meta({ id: 'SubscriptionType', description: `A type of subscription. ${PUT}` });

const SOLD_FOR = 'What it is sold for. Default: both.';

export const planItem = z
  .strictObject({
    codice_tariffa: planCode().describe('Three digits, not `000`; unique in the municipality.'),
    subscription_type: storedCode()
      .optional()
      .describe('The code of its subscription type. Required if new.'),
    importo_eurocent: upTo(MAX_CENTS, 1).optional().describe('Its price, in euro cents. Required if new.'),
    duration: planDuration()
      .optional()
      .describe(
        'Its duration in ISO 8601: whole years, months, weeks or days, such as `P1M`. Required if new.',
      ),
    descrizione: planDescription().optional().describe('The text that the meter shows. Required if new.'),
    operations: z.array(z.enum(OPERATIONS)).min(1).optional().describe(SOLD_FOR),
    on_parking_meter: flag.describe('Whether meters sell it. Default: true.'),
    active: flag.describe('Whether it is sold. Default: true.'),
  })
  .meta({ id: 'Plan', description: `A plan. ${PUT}` });

const SWITCHED_ON = 'The operations that are switched on.';

/** A municipality without its areas, sources, subscription types and plans. */
export const municipalityItem = z.strictObject({
  code: newCode().describe('Unique in the service.'),
  name,
  timezone: timeZone().optional().describe('IANA time zone. Required if new.'),
  country: country().optional().describe('ISO 3166-1 alpha-2 code. Default: IT.'),
  public_max_age_minutes: publicMaxAge(),
  ...publicStatements,
  ...patrolSettings,
  tenant: storedCode().optional().describe('The code of its tenant, which cannot change. Required if new.'),
  active: flag.describe('Whether calls may name it. Default: true.'),
  services: services.optional().describe(SWITCHED_ON),
});

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
    description: 'Items to create or change, by code. Items that it does not name stay as they are.',
  });

export const configurationChanged = z
  .object({
    created: count.describe('How many items were created.'),
    updated: count.describe('How many items changed.'),
    unchanged: count.describe('How many items already had these values.'),
    changes: z
      .array(
        z
          .object({
            path: z
              .string()
              .describe('The path of the item in the document, such as `municipalities.0.areas.3`.'),
            property: z
              .string()
              .nullable()
              .describe('Such as `facility.entry_grace_minutes`. Null: the item is created.'),
            from: z.unknown().describe('The old value. Null for a new item.'),
            to: z.unknown().describe('The new value, or the new item.'),
          })
          .meta({ id: 'ConfigurationChange', description: 'A new item, or a changed property of an item.' }),
      )
      .max(1_000)
      .describe('The first 1,000 changes.'),
  })
  .meta({ id: 'ConfigurationChanged', description: 'Counts each item that the document names once.' });

export const putQuery = z.strictObject({ dry_run: dryRun() });

export const configurationQuery = z.strictObject({
  municipality_code: storedCode().describe('The municipality.'),
});

const storedTenant = tenantItem.required().meta({ id: 'StoredTenant', description: 'A stored tenant.' });
const storedServices = services
  .required()
  .meta({ id: 'StoredServices', description: 'Which operations are switched on.' });
const storedFacility = facility
  .required()
  .meta({ id: 'StoredFacility', description: 'The settings of a facility.' });
const storedArea = areaItem
  .required()
  .extend({
    closed_until: dateTime.nullable().describe('The public sees it as closed before this instant.'),
    facility: storedFacility.optional().describe(FACILITY),
  })
  .meta({ id: 'StoredArea', description: 'A stored area.' });
const storedSource = sourceItem.required().meta({ id: 'StoredSource', description: 'A stored source.' });
const storedSubscriptionType = subscriptionTypeItem
  .required()
  .meta({ id: 'StoredSubscriptionType', description: 'A stored subscription type.' });
const storedPlan = planItem
  .required()
  .extend({ operations: z.array(z.enum(OPERATIONS)).min(1).max(OPERATIONS.length).describe(SOLD_FOR) })
  .meta({ id: 'StoredPlan', description: 'A stored plan.' });
const storedMunicipality = municipalityItem
  .required()
  .extend({
    services: storedServices.describe(SWITCHED_ON),
    ...listsOf(storedArea, storedSource, storedSubscriptionType, storedPlan),
    plans: z.array(storedPlan).max(999).describe('Its plans.'),
  })
  .meta({ id: 'StoredMunicipality', description: 'A stored municipality.' });

const storedConfiguration = z
  .object({
    tenants: z.array(storedTenant).describe(TENANTS),
    municipalities: z.array(storedMunicipality).describe(MUNICIPALITIES),
  })
  .meta({ id: 'StoredConfiguration', description: 'A document that can be put again.' });

export const configurationAnswer = z
  .object({ configuration: storedConfiguration.describe('The document, with every property.') })
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

const path = '/api/v2/admin/configuration';

/** Creates or updates the items that a document names, and leaves the others alone. */
export const putConfigurationDocument = contract({
  id: 'putConfiguration',
  method: 'PUT',
  path,
  access: { by: 'administrator', office: 'changes' },
  // A document of 1 MiB may create more than 20,000 areas.
  deadlineMs: 30_000,
  // `readDocument` validates item by item, to report all errors at once.
  body: { kind: 'json', schema: z.looseObject({}), maxBytes: CONFIGURATION_BODY },
  query: putQuery,
  answer: configurationChanged,
  errors: ['TENANT_NOT_ALLOWED', 'MUNICIPALITY_NOT_ALLOWED', 'INVALID_REQUEST'],
  log: { operation: 'admin', action: 'configuration.put' },
});

/** Returns the configuration of one municipality as a document that can be put again. */
export const getConfiguration = contract({
  id: 'getConfiguration',
  method: 'GET',
  path,
  access: { by: 'administrator', office: 'reads' },
  deadlineMs: 5_000,
  query: configurationQuery,
  answer: configurationAnswer,
  errors: ['NOT_FOUND', 'MUNICIPALITY_NOT_ALLOWED'],
});
