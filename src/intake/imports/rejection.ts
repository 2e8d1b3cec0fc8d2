import type { core } from 'zod';
import type { Issue } from '../../base/errors/refusal.ts';
import type { Language, Text } from '../../base/text/text.ts';
import { issuesOf } from '../../serving/http/validation.ts';

/** Why a line is rejected. The codes mean the same as for a whole request. */
export const LINE_CODES = [
  'INVALID_JSON',
  'INVALID_REQUEST',
  'INVALID_PLATE',
  'AREA_NOT_FOUND',
  'SUBSCRIPTION_TYPE_NOT_FOUND',
] as const;
type LineCode = (typeof LINE_CODES)[number];

/** Why one line was rejected. Its neighbours are not affected. */
export interface Rejection {
  readonly code: LineCode;
  /** The reason. Made lazily: a file may have a hundred thousand bad lines, and a thousand are listed. */
  readonly message: () => Text;
}

/** The result of reading a line: a row to store, or a rejection. */
export type Reading<Row> =
  | { readonly row: Row; readonly rejection?: undefined }
  | { readonly rejection: Rejection };

/** Wrong fields named of one line. Its sender sees the rest next time. */
const MAX_ISSUES = 10;

/** The text of each code about a line. */
const LINE_TEXTS: Record<Exclude<LineCode, 'INVALID_REQUEST'>, Text> = {
  INVALID_JSON: { en: 'the line is not a JSON object', it: 'la riga non è un oggetto JSON' },
  INVALID_PLATE: {
    en: 'it is blank, too long, or has a character that no plate can have',
    it: 'è vuota, troppo lunga, o contiene un carattere che nessuna targa può avere',
  },
  AREA_NOT_FOUND: {
    en: 'the municipality has no area with this code',
    it: 'il comune non ha aree con questo codice',
  },
  SUBSCRIPTION_TYPE_NOT_FOUND: {
    en: 'the municipality has no subscription type with this code',
    it: 'il comune non ha tipi di abbonamento con questo codice',
  },
};

/** The line as a whole is no JSON object. */
export const NO_JSON_OBJECT: Rejection = {
  code: 'INVALID_JSON',
  message: () => LINE_TEXTS.INVALID_JSON,
};

/** The line is longer than any good line. */
export const TOO_LONG: Rejection = {
  code: 'INVALID_REQUEST',
  message: () => ({ en: 'the line is too long', it: 'la riga è troppo lunga' }),
};

/** A field with the right form and a wrong value. */
export interface WrongValue {
  readonly code: Extract<LineCode, 'INVALID_PLATE' | 'AREA_NOT_FOUND' | 'SUBSCRIPTION_TYPE_NOT_FOUND'>;
  readonly path: string;
}

/** A line with wrong values: the first of them in its words, with the code of the first. */
export function rejectValues(wrong: readonly WrongValue[]): { rejection: Rejection } {
  const message = () => textOf(wrong.map(({ code, path }) => ({ path, message: LINE_TEXTS[code] })));
  return { rejection: { code: wrong[0]?.code ?? 'INVALID_PLATE', message } };
}

/**
 * The rejection for fields of the wrong form, which its text names.
 *
 * @param issues returns the issues; called only when they are listed, since zod makes them then
 */
export function rejectShape(issues: () => readonly core.$ZodIssue[]): { rejection: Rejection } {
  return {
    rejection: {
      code: 'INVALID_REQUEST',
      message: () => textOf(issuesOf(issues())),
    },
  };
}

function textOf(issues: readonly Issue[]): Text {
  const listed = issues.slice(0, MAX_ISSUES);
  const inLanguage = (language: Language) =>
    listed.map(({ path, message }) => `${path}: ${message[language]}`).join('; ');
  return { en: inLanguage('en'), it: inLanguage('it') };
}
