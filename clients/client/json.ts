export type JsonObject = Readonly<Record<string, unknown>>;

/** Tells an object from everything else that JSON may hold. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text as a JSON object; null for anything else. */
export function parseObject(text: string | null | undefined): JsonObject | null {
  if (text === null || text === undefined) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** A lone surrogate: UTF-8 cannot encode it, so a writer would replace it by another character. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether all text of a value is well-formed Unicode, names of properties included. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return !LONE_SURROGATE.test(value);
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isObject(value)) return true;
  return Object.entries(value).every(([name, inner]) => isWellFormed(name) && isWellFormed(inner));
}
