import * as z from 'zod';
import { ANSWERED_INSTANT } from '../../../../src/serving/http/response-fields.ts';
import { errorAnswer, successEnvelope } from './envelope.ts';
import type { DescribedOperation } from './parts.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * The reference to a schema that has a name, as `.meta({ id })` gives it one.
 *
 * @throws Error for a schema without a name
 */
export function refTo(schema: z.ZodType): { readonly $ref: string } {
  const name = z.globalRegistry.get(schema)?.id;
  if (name === undefined) {
    throw new Error('the schema of a body or an answer has no name: add .meta({ id, description })');
  }
  return { $ref: `${COMPONENTS}${name}` };
}

const COMPONENTS = '#/components/schemas/';

/** The input of an operation: its body, or a line. */
export const bodySchema = ({ of, schema }: DescribedOperation): z.ZodObject | null =>
  schema ?? (of.body?.kind === 'json' ? of.body.schema : null);

const enveloped = new WeakMap<z.ZodObject, z.ZodObject>();

/**
 * The whole answers of an operation, with the envelope if it has one; for an answer of lines, each kind of
 * line.
 */
export function answerSchemas({ of: { answer, mediaType } }: DescribedOperation): readonly z.ZodObject[] {
  if (answer === null) return [];
  if ('line' in answer) return answer.line.options;
  if (mediaType !== undefined) return [answer];
  const made =
    enveloped.get(answer) ?? successEnvelope.extend(answer.shape).meta(z.globalRegistry.get(answer) ?? {});
  enveloped.set(answer, made);
  return [made];
}

/** All schemas with a name that the operations take and answer, and those that these refer to. */
export function namedSchemas(operations: readonly DescribedOperation[]): Record<string, JsonSchema> {
  const bodies = operations.flatMap((operation) => bodySchema(operation) ?? []);
  const answers = [...operations.flatMap(answerSchemas), errorAnswer];
  return { ...definitionsOf(bodies, describeInput), ...definitionsOf(answers, describeOutput) };
}

function definitionsOf(
  roots: readonly z.ZodType[],
  override: typeof describeInput | typeof describeOutput,
): Record<string, JsonSchema> {
  const all = z.object(Object.fromEntries(roots.entries()));
  const { $defs = {} } = z.toJSONSchema(all, {
    io: override === describeInput ? 'input' : 'output',
    override,
  });
  return JSON.parse(JSON.stringify($defs).replaceAll('#/$defs/', COMPONENTS));
}

/** The schemas of parameters, by name. */
export const parameterSchemas = (parameters: z.ZodObject): JsonSchema =>
  z.toJSONSchema(parameters, { io: 'input', override: describeInput });

interface Context {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: JsonSchema;
}

/**
 * Adds the parts that zod cannot derive from a schema that transforms its input: the values of a text that is
 * trimmed first, and the default of a property. Both are found by running the schema, so that they match the
 * code.
 */
function describeInput({ zodSchema, jsonSchema }: Context): void {
  const { def } = zodSchema._zod;
  if (def.type === 'pipe') {
    const values = valuesOf(def.out);
    if (values.length > 0) {
      const others = ['', null].filter((value) => z.safeParse(zodSchema, value).success);
      jsonSchema.enum = [...values, ...others];
      delete jsonSchema.maxLength;
    }
  }
  if (def.type === 'object') {
    for (const [name, property] of Object.entries(def.shape)) {
      const absent = z.safeParse(property, undefined);
      const described = jsonSchema.properties?.[name];
      if (absent.success && isDefault(absent.data) && typeof described === 'object') {
        described.default = absent.data;
      }
    }
  }
  simplify(jsonSchema);
}

const isDefault = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

function valuesOf(schema: z.core.$ZodType): readonly (string | number)[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'enum':
      return Object.values(def.entries);
    case 'default':
    case 'optional':
      return valuesOf(def.innerType);
    default:
      return [];
  }
}

const MAX_INT32 = 2_147_483_647;
/** Shorter constraints for these formats: zod's own pattern is a page long. */
const FORMATS: Readonly<Record<string, object>> = {
  'date-time': { pattern: ANSWERED_INSTANT.source },
  date: {},
  uuid: {},
};

/** The keyword of an open list. Validators ignore it; our own tests do not. */
const OPEN_LIST = 'x-extensible-enum';

/**
 * Opens an answer for later versions, which may add properties, and values to open lists: no validator may
 * refuse them. The present codes are in the words, and in the keyword for open lists.
 */
function describeOutput({ jsonSchema }: Context): void {
  simplify(jsonSchema);
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.open !== true) return;
  const { enum: codes = [], description } = jsonSchema;
  delete jsonSchema.open;
  delete jsonSchema.enum;
  const known = codes.map((code) => `\`${code}\``).join(', ');
  Object.assign(jsonSchema, {
    description: [description, `Today: ${known}; a later version may add others.`].join(' ').trim(),
    [OPEN_LIST]: codes,
  });
}

/** One type for a nullable one, the width of an integer, and shorter constraints of the usual formats. */
function simplify(schema: JsonSchema): void {
  flattenNullable(schema);
  if ([schema.type].flat().includes('integer')) {
    schema.format = Math.abs(schema.maximum ?? Number.MAX_SAFE_INTEGER) <= MAX_INT32 ? 'int32' : 'int64';
  }
  const ofFormat = FORMATS[schema.format ?? ''];
  if (ofFormat === undefined) return;
  delete schema.pattern;
  Object.assign(schema, ofFormat);
}

/** `anyOf` a simple type and null, as one schema with two types. */
function flattenNullable(schema: JsonSchema): void {
  const [simple, nothing, ...others] = schema.anyOf ?? [];
  if (typeof simple?.type !== 'string' || nothing?.type !== 'null' || others.length > 0) return;
  delete schema.anyOf;
  Object.assign(schema, { ...simple, ...schema, type: [simple.type, 'null'] });
  if (schema.enum !== undefined) schema.enum = [...schema.enum, null];
}
