/** The part of a JSON schema that tells an answer of the service from anything else. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
  readonly $ref?: string;
}

export type Shapes = Readonly<Record<string, unknown>>;
export type JsonObject = Readonly<Record<string, unknown>>;

const REF = '#/components/schemas/';

/** Tells an object from everything else that JSON may hold. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether a value has a shape: types, required properties and constants, at any depth. Properties and codes that the
 * shape does not know are fine: a newer service may have them.
 */
export function hasShape(value: unknown, shape: unknown, shapes: Shapes): boolean {
  return isShape(shape) && matches(value, shape, shapes);
}

function matches(value: unknown, shape: Shape, shapes: Shapes): boolean {
  if (shape.$ref !== undefined) return hasShape(value, shapes[shape.$ref.slice(REF.length)], shapes);
  return (
    hasType(value, shape.type) &&
    (!('const' in shape) || value === shape.const) &&
    (shape.anyOf === undefined || shape.anyOf.some((one) => matches(value, one, shapes))) &&
    (shape.allOf === undefined || shape.allOf.every((one) => matches(value, one, shapes))) &&
    (!isObject(value) || hasMembers(value, shape, shapes)) &&
    (!Array.isArray(value) || hasItems(value, shape, shapes))
  );
}

function hasMembers(value: JsonObject, shape: Shape, shapes: Shapes): boolean {
  const { required = [], properties = {}, additionalProperties } = shape;
  if (required.some((name) => !Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, member]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return known === undefined || matches(member, known, shapes);
  });
}

function hasItems(value: readonly unknown[], { items }: Shape, shapes: Shapes): boolean {
  return items === undefined || value.every((item) => matches(item, items, shapes));
}

function hasType(value: unknown, type: Shape['type']): boolean {
  if (type === undefined) return true;
  return typeof type === 'string' ? isOfType(value, type) : type.some((one) => isOfType(value, one));
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isShape(value: unknown): value is Shape {
  return isObject(value);
}
