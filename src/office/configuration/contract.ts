import * as z from 'zod';
import { instantText } from '../../base/forms/fields.ts';
import { storedCode } from '../../serving/administration/fields.ts';
import type { Contract } from '../../serving/contract.ts';
import { CONFIGURATION_BODY } from '../../serving/http/body.ts';
import { count, utcDateTime } from '../../serving/http/response-fields.ts';
import { PUT } from '../../storage/configuration/declare.ts';
import {
  AREA,
  LISTS,
  MUNICIPALITY,
  PLAN,
  SOURCE,
  SUBSCRIPTION_TYPE,
  TENANT,
} from '../../storage/configuration/kinds.ts';

const listOf = <Item extends z.ZodObject>(item: Item, words: string) =>
  z.array(item).optional().describe(words);

const TENANTS = 'Tenants, by code.';
const MUNICIPALITIES = 'Municipalities, by code.';

const named = <Schema extends z.ZodType>(schema: Schema, id: string, description: string): Schema =>
  schema.meta({ id, description });

const givenMunicipality = MUNICIPALITY.given
  .extend({
    areas: listOf(named(AREA.given, 'Area', `An area. ${PUT}`), LISTS.areas.words),
    sources: listOf(named(SOURCE.given, 'SessionSource', `A source. ${PUT}`), LISTS.sources.words),
    subscription_types: listOf(
      named(SUBSCRIPTION_TYPE.given, 'SubscriptionType', `A type of subscription. ${PUT}`),
      LISTS.subscription_types.words,
    ),
    plans: listOf(named(PLAN.given, 'Plan', `A plan. ${PUT}`), LISTS.plans.words),
  })
  .meta({ id: 'Municipality', description: `A municipality. ${PUT}` });

export const configurationDocument = z
  .strictObject({
    tenants: listOf(named(TENANT.given, 'Tenant', `A tenant. ${PUT}`), TENANTS),
    municipalities: listOf(givenMunicipality, MUNICIPALITIES),
  })
  .meta({
    id: 'ConfigurationDocument',
    description: 'Items to create or change, by code. Items that it does not name stay as they are.',
  });

/** More changes are counted, and not listed. */
export const MAX_CHANGES = 1_000;

const change = z
  .object({
    path: z.string().max(100).describe('The path of the item in the document: `municipalities.0.areas.3`.'),
    property: z
      .string()
      .max(100)
      .nullable()
      .describe('The property that changes: `facility.entry_grace_minutes`. Null: the item is created.'),
    from: z.unknown().describe('Its value so far. Null for a created item.'),
    to: z.unknown().describe('Its new value; a created item, whole.'),
  })
  .meta({ id: 'ConfigurationChange', description: 'A change of a property, or a created item.' });

const configurationChanged = z
  .object({
    created: count.describe('How many items were created.'),
    updated: count.describe('How many items changed.'),
    unchanged: count.describe('How many items already had these values.'),
    changes: z.array(change).max(MAX_CHANGES).describe('What changed: the first 1,000.'),
  })
  .meta({ id: 'ConfigurationChanged', description: 'Counts each item that the document names once.' });

/** A street has no settings of a facility in an answer. */
const storedArea = AREA.whole.extend({ facility: AREA.whole.shape.facility.optional() });

const storedMunicipality = MUNICIPALITY.whole
  .extend({
    areas: z.array(named(storedArea, 'StoredArea', 'A stored area.')).describe(LISTS.areas.words),
    sources: z.array(named(SOURCE.whole, 'StoredSource', 'A stored source.')).describe(LISTS.sources.words),
    subscription_types: z
      .array(named(SUBSCRIPTION_TYPE.whole, 'StoredSubscriptionType', 'A stored subscription type.'))
      .describe(LISTS.subscription_types.words),
    plans: z
      .array(named(PLAN.whole, 'StoredPlan', 'A stored plan.'))
      .max(LISTS.plans.max)
      .describe(LISTS.plans.words),
  })
  .meta({ id: 'StoredMunicipality', description: 'A stored municipality.' });

const storedConfiguration = z
  .object({
    tenants: z.array(named(TENANT.whole, 'StoredTenant', 'A stored tenant.')).describe(TENANTS),
    municipalities: z.array(storedMunicipality).describe(MUNICIPALITIES),
  })
  .meta({ id: 'StoredConfiguration', description: 'A document that can be put again.' });

const configurationAnswer = z
  .object({
    configuration: storedConfiguration.describe('The document, with every property.'),
    version: utcDateTime.describe('The instant of its newest version: the `version` of a PUT.'),
  })
  .meta({
    id: 'ConfigurationResponse',
    description: 'The configuration of a municipality and of its tenant.',
  });

export type ConfigurationDocument = z.output<typeof configurationDocument>;
export type GivenMunicipality = z.output<typeof givenMunicipality>;
export type AnsweredMunicipality = z.output<typeof storedMunicipality>;
export type Change = z.infer<typeof change>;
export type ConfigurationChanged = z.infer<typeof configurationChanged>;

const path = '/api/v2/admin/configuration';

/** Creates or updates the items that a document names, and leaves the others alone. */
export const putConfigurationDocument = {
  id: 'putConfiguration',
  method: 'PUT',
  path,
  access: { by: 'administrator', office: 'changes' },
  // A document of 1 MiB may create more than 20,000 areas.
  deadlineMs: 30_000,
  query: z.strictObject({
    dry_run: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true`: all is judged and answered, and nothing is stored.'),
    version: instantText
      .optional()
      .describe('With which its one municipality was read: 409 if it has changed since.'),
  }),
  body: { kind: 'json', schema: configurationDocument, maxBytes: CONFIGURATION_BODY },
  answer: configurationChanged,
  errors: ['TENANT_NOT_ALLOWED', 'MUNICIPALITY_NOT_ALLOWED', 'CONFIGURATION_CONFLICT', 'RATE_LIMIT_EXCEEDED'],
  log: { operation: 'admin', action: 'configuration.put' },
} as const satisfies Contract;

/** Returns the configuration of one municipality as a document that can be put again. */
export const getConfiguration = {
  id: 'getConfiguration',
  method: 'GET',
  path,
  access: { by: 'administrator', office: 'reads' },
  deadlineMs: 5_000,
  query: z.strictObject({ municipality_code: storedCode().describe('The municipality.') }),
  answer: configurationAnswer,
  errors: ['NOT_FOUND', 'MUNICIPALITY_NOT_ALLOWED'],
} as const satisfies Contract;
