import { config, type core } from 'zod';
import type { Issue } from '../../base/errors/refusal.ts';
import { maskTokens, type Text } from '../../base/text/text.ts';

/**
 * The message of an issue whose value is absent. The issue itself does not say whether it is absent or wrong.
 */
const MISSING_VALUE = 'missing value';

config({
  customError: ({ code, input }) =>
    (code === 'invalid_type' || code === 'invalid_union') && input === undefined ? MISSING_VALUE : undefined,
});

/** Zod's issues, with paths as `areas.3.capacity` and texts of our own. */
export function issuesOf(issues: readonly core.$ZodIssue[]): Issue[] {
  return issues.flatMap(expand);
}

function expand(issue: core.$ZodIssue): Issue[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: pathOf([...issue.path, key]), message: UNKNOWN_PROPERTY }));
  }
  return [{ path: pathOf(issue.path), message: textOf(issue) }];
}

/** The name of an unknown property may have any length, and may be a token. */
const MAX_PATH_LENGTH = 100;

const pathOf = (path: readonly PropertyKey[]): string =>
  maskTokens(path.map(String).join('.')).slice(0, MAX_PATH_LENGTH);

export const REPEATED: Text = {
  en: 'is in this list more than once',
  it: 'compare più di una volta in questo elenco',
};
const UNKNOWN_PROPERTY: Text = { en: 'is not a known property', it: 'non è una proprietà conosciuta' };
export const MISSING: Text = { en: 'is required', it: 'è obbligatorio' };

const TYPE_NAMES: Readonly<Record<string, Text>> = {
  string: { en: 'a text', it: 'un testo' },
  number: { en: 'a number', it: 'un numero' },
  int: { en: 'a whole number', it: 'un numero intero' },
  boolean: { en: 'true or false', it: 'true o false' },
  object: { en: 'an object', it: 'un oggetto' },
  array: { en: 'a list', it: 'una lista' },
};

function textOf(issue: core.$ZodIssue): Text {
  if (issue.message === MISSING_VALUE) return MISSING;
  switch (issue.code) {
    case 'invalid_type': {
      const type = TYPE_NAMES[issue.expected];
      return type
        ? { en: `must be ${type.en}`, it: `deve essere ${type.it}` }
        : { en: `must be of type ${issue.expected}`, it: `deve essere di tipo ${issue.expected}` };
    }
    case 'invalid_value': {
      const values = issue.values.map(String).join(', ');
      return { en: `must be one of: ${values}`, it: `deve essere uno tra: ${values}` };
    }
    case 'too_small':
      return bound(issue.origin, issue.minimum, { en: 'at least', it: 'almeno' });
    case 'too_big':
      return bound(issue.origin, issue.maximum, { en: 'at most', it: 'al massimo' });
    case 'custom':
      // Those of our own schemas have one: see `customIssue`.
      return (issue.params as { readonly text?: Text } | undefined)?.text ?? INVALID;
    case 'invalid_format':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
      return INVALID;
    default:
      return issue satisfies never;
  }
}

const INVALID: Text = { en: 'is not of a valid form', it: 'non ha una forma valida' };

function bound(origin: string, limit: number | bigint, word: Text): Text {
  const one = Number(limit) === 1;
  if (origin === 'string') {
    return {
      en: `must have ${word.en} ${limit} ${one ? 'character' : 'characters'}`,
      it: `deve avere ${word.it} ${limit} ${one ? 'carattere' : 'caratteri'}`,
    };
  }
  if (origin === 'array' || origin === 'set') {
    return {
      en: `must have ${word.en} ${limit} ${one ? 'item' : 'items'}`,
      it: `deve avere ${word.it} ${limit} ${one ? 'elemento' : 'elementi'}`,
    };
  }
  return { en: `must be ${word.en} ${limit}`, it: `deve essere ${word.it} ${limit}` };
}
