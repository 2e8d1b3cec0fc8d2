import { isObject } from './shape.ts';

/** A lone surrogate: UTF-8 cannot encode it, so a writer would replace it by another character. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether all text of a value is well-formed Unicode, names of properties included. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return !LONE_SURROGATE.test(value);
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isObject(value)) return true;
  return Object.entries(value).every(([name, inner]) => isWellFormed(name) && isWellFormed(inner));
}
