/** The part of a JSON schema that tells a line of a list from anything else. */
export interface Shape {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Tells an object from everything else that JSON may hold. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether a value has a shape: types, required properties and constants, at any depth. Properties that the shape does not
 * know are fine: a newer service may have them.
 */
export function hasShape(value: unknown, shape: Shape): boolean {
  const { type, anyOf, items, required = [], properties = {} } = shape;
  return (
    hasType(value, type) &&
    (!('const' in shape) || value === shape.const) &&
    (anyOf === undefined || anyOf.some((one) => hasShape(value, one))) &&
    (items === undefined || !Array.isArray(value) || value.every((item) => hasShape(item, items))) &&
    (!isObject(value) ||
      (required.every((name) => Object.hasOwn(value, name)) &&
        Object.entries(properties).every(
          ([name, known]) => !Object.hasOwn(value, name) || hasShape(value[name], known),
        )))
  );
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
