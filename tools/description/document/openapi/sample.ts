import type * as z from 'zod';
import { SAMPLES } from '../samples.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;
export type Components = Readonly<Record<string, JsonSchema>>;

/**
 * An example of a schema: the given parts, and the others by the samples of their names, else plain. A property that may be
 * null is null, and a list has one item.
 *
 * @param path its name after that of the object around it, such as `sources.code`
 * @throws Error for a text without a sample
 */
export function sampleOf(schema: JsonSchema, components: Components, path: string, given?: unknown): unknown {
  const known = given === undefined ? (SAMPLES[path] ?? SAMPLES[nameIn(path)]) : given;
  if (known === undefined && mayBeNull(dereferenced(schema, components))) return null;
  const chosen = firstChoice(schema, components);
  const { items, properties } = chosen;
  if (isSchema(items) && (known === undefined || Array.isArray(known))) {
    return (known ?? [undefined]).map((item: unknown) => sampleOf(items, components, path, item));
  }
  if (properties && (known === undefined || isObject(known))) {
    return objectOf(chosen, components, nameIn(path), known);
  }
  return given === undefined ? (onlyValue(chosen) ?? known ?? plainValue(chosen, path)) : given;
}

const dereferenced = (schema: JsonSchema, components: Components): JsonSchema =>
  components[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;

/** The schema, or the first of several that is not null. */
function firstChoice(schema: JsonSchema, components: Components): JsonSchema {
  const found = dereferenced(schema, components);
  const choice = (found.anyOf ?? found.oneOf)?.find(({ type }) => type !== 'null');
  return choice ? firstChoice(choice, components) : found;
}

/** An object with what is required, and beside that what is given; if nothing is, what has a sample. */
function objectOf(
  { properties = {}, required = [] }: JsonSchema,
  components: Components,
  name: string,
  given: Readonly<Record<string, unknown>> | undefined,
): object {
  const beside = given ?? SAMPLES;
  const shown = Object.entries(properties).filter(([one]) => required.includes(one) || one in beside);
  return Object.fromEntries(
    shown.map(([one, property]) => [
      one,
      isSchema(property) && sampleOf(property, components, `${name}.${one}`, given?.[one]),
    ]),
  );
}

const nameIn = (path: string): string => path.split('.').at(-1) ?? '';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSchema = (value: unknown): value is JsonSchema => isObject(value);

const mayBeNull = ({ type, anyOf = [] }: JsonSchema): boolean =>
  [type].flat().includes('null') || anyOf.some((choice) => choice.type === 'null');

/** The constant, or the first of the values. */
const onlyValue = ({ const: only, enum: values, 'x-extensible-enum': codes }: JsonSchema): unknown =>
  only ?? [values ?? codes ?? []].flat()[0];

function plainValue({ type, format = '' }: JsonSchema, path: string): unknown {
  if (format in SAMPLES) return SAMPLES[format];
  if (type === 'boolean') return true;
  if (type === 'integer') return 1;
  throw new Error(`no sample for ${path}: add one to samples.ts`);
}
