import * as z from 'zod';
import { QUERY_BODY } from '../http/body.ts';
import { ANSWERED_INSTANT } from '../http/response-fields.ts';
import type { Component } from './words.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The reference to a schema of the document. */
export const schemaRef = (name: string): string => `#/components/schemas/${name}`;

/**
 * The components of one direction as JSON Schemas, which refer to each other. The constraints come only from the schemas that
 * the code enforces; the words come from the components.
 *
 * @param maxBytes the bytes of the largest body that a component comes in
 */
export function jsonSchemas(
  components: readonly Component[],
  io: Component['io'],
  maxBytes: ReadonlyMap<Component, number> = new Map(),
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const { schema, name } of components) {
    registry.add(schema, { id: name });
  }
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: schemaRef,
    override: ({ zodSchema, jsonSchema }) => {
      if (io === 'input') {
        describeInput(zodSchema, jsonSchema);
      }
    },
  });
  return Object.fromEntries(
    components.map((component) => {
      const schema = schemas[component.name] ?? {};
      tidy(schema, io === 'input' ? (maxBytes.get(component) ?? QUERY_BODY) : null);
      return [component.name, withWords(schema, component)];
    }),
  );
}

/** The schema of an answer that is not a component. */
export function answerSchema(schema: z.ZodType): JsonSchema {
  const made = z.toJSONSchema(schema, { io: 'output' });
  tidy(made, null);
  delete made.$schema;
  return made;
}

/**
 * Adds what zod cannot tell about a schema that transforms its input: the values of a text that is trimmed first, and the
 * default of a property. Both are found by running the schema, so that they are what the code does.
 */
function describeInput(zodSchema: z.core.$ZodTypes, jsonSchema: JsonSchema): void {
  const { def } = zodSchema._zod;
  if (def.type === 'pipe') {
    const values = valuesOf(def.out);
    if (values.length > 0) {
      const others = ['', null].filter((value) => z.safeParse(zodSchema, value).success);
      jsonSchema.enum = [...values, ...others];
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
}

const isDefault = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

function valuesOf(schema: z.core.$ZodType): readonly (string | number)[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'enum':
      return Object.values(def.entries);
    case 'default':
      return valuesOf(def.innerType);
    default:
      return [];
  }
}

const MAX_INT32 = 2_147_483_647;
/** Shorter constraints for these formats: zod's own pattern is a page long. */
const FORMATS: Readonly<Record<string, { readonly maxLength: number; readonly pattern?: string }>> = {
  'date-time': { maxLength: 29, pattern: ANSWERED_INSTANT.source },
  uuid: { maxLength: 36 },
};

/**
 * Simplifies a schema and all of its parts, and adds missing limits.
 *
 * @param maxBytes of the body that it is in, which limit texts and lists that have no other limit; null for an answer
 */
function tidy(schema: JsonSchema, maxBytes: number | null): void {
  flattenNullable(schema);
  const types = [schema.type].flat();
  if (types.includes('integer')) {
    schema.format = Math.abs(schema.maximum ?? Number.MAX_SAFE_INTEGER) <= MAX_INT32 ? 'int32' : 'int64';
  }
  const ofFormat = FORMATS[schema.format ?? ''];
  if (ofFormat !== undefined) {
    delete schema.pattern;
    Object.assign(schema, ofFormat);
  }
  if (maxBytes !== null) {
    addLimits(schema, types, maxBytes);
  }
  const parts = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.anyOf ?? []),
    schema.items ?? [],
  ].flat();
  for (const part of parts) {
    if (typeof part === 'object') tidy(part, maxBytes);
  }
}

function addLimits(schema: JsonSchema, types: readonly unknown[], maxBytes: number): void {
  if (types.includes('string') && (schema.enum ?? schema.const) === undefined) {
    schema.maxLength ??= maxBytes;
  }
  if (types.includes('array')) {
    schema.maxItems ??= maxBytes;
  }
}

/** `anyOf` a simple type and null, as one schema with two types. */
function flattenNullable(schema: JsonSchema): void {
  const [simple, nothing, ...others] = schema.anyOf ?? [];
  if (
    simple === undefined ||
    nothing?.type !== 'null' ||
    others.length > 0 ||
    typeof simple.type !== 'string'
  ) {
    return;
  }
  delete schema.anyOf;
  Object.assign(schema, { ...simple, ...schema, type: [simple.type, 'null'] });
  if (schema.enum !== undefined) {
    schema.enum = [...schema.enum, null];
  }
}

function withWords(made: JsonSchema, { words, fields }: Component): JsonSchema {
  const { $schema: _, $id: __, properties = {}, ...schema } = made;
  const described = Object.entries(properties).map(([name, property]) => [
    name,
    { ...(property as JsonSchema), description: fields[name] },
  ]);
  return { ...schema, description: words, properties: Object.fromEntries(described) };
}
