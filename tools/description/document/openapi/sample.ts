import type * as z from 'zod';
import { SAMPLES } from '../samples.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;
export type Components = Readonly<Record<string, JsonSchema>>;

/**
 * An example of a schema: the given parts, and everything else that is required by the sample of its name, else plain. A
 * property that may be null is null, and a list has one item.
 *
 * @param path its name after that of the object around it, such as `sources.code`
 * @throws Error for a text without a sample
 */
export function sampleOf(schema: JsonSchema, components: Components, path: string, given?: unknown): unknown {
  const referred = schema.$ref && components[schema.$ref.split('/').at(-1) ?? ''];
  if (referred) return sampleOf(referred, components, path, given);
  const [, name = ''] = path.split('.');
  const known = given === undefined ? (SAMPLES[path] ?? SAMPLES[name]) : given;
  if (known === undefined && mayBeNull(schema)) return null;
  const choice = (schema.anyOf ?? schema.oneOf)?.find(({ type }) => type !== 'null');
  if (choice) return sampleOf(choice, components, path, known);
  const { properties, items } = schema;
  if (isSchema(items) && (known === undefined || Array.isArray(known))) {
    return (known ?? [undefined]).map((item: unknown) => sampleOf(items, components, path, item));
  }
  if (properties && (known === undefined || isObject(known))) {
    const isShown = (one: string) => schema.required?.includes(one) || (known && one in known);
    const shown = Object.entries(properties).filter(([one]) => isShown(one));
    return Object.fromEntries(
      shown.map(([one, property]) => [
        one,
        isSchema(property) && sampleOf(property, components, `${name}.${one}`, known?.[one]),
      ]),
    );
  }
  return given === undefined ? (onlyValue(schema) ?? known ?? plainValue(schema, path)) : given;
}

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
