import * as z from 'zod';
import { holdsSteering, maskTokens, type Text, withSteeringShown } from '../../base/text/text.ts';
import { CODE_LENGTH } from '../../storage/db/schema/columns.ts';
import { holdsNoToken, NO_TOKEN } from '../http/fields.ts';
import { customIssue } from '../http/validation.ts';

/** For a `NOT_FOUND`. */
export const UNKNOWN_MUNICIPALITY: Text = {
  en: 'There is no municipality with this code.',
  it: 'Non c’è un comune con questo codice.',
};

/** Names that a message lists, so that it stays a sentence. */
const MAX_LISTED = 20;

/** A caller's name may have any length, and may be a token. */
const MAX_NAME_LENGTH = 100;

/**
 * @param name the one that was sent
 * @param bound the names of all databases that there are
 */
export function unknownDatabase(name: string, bound: readonly string[]): Text {
  const sent = withSteeringShown(maskTokens(name).slice(0, MAX_NAME_LENGTH));
  const more = bound.length - MAX_LISTED;
  const names = [...bound.slice(0, MAX_LISTED), ...(more > 0 ? [`+${more}`] : [])].join(', ');
  return {
    en: `${sent} is not a known database: choose one of ${names}`,
    it: `${sent} non è una base dati conosciuta: scegliere tra ${names}`,
  };
}

/** A text of 1 to `longest` characters (code points, as the database counts them), trimmed, on one line. */
export function line(longest: number) {
  return z
    .string()
    .trim()
    .refine((text) => text !== '', params('must not be blank', 'non deve essere vuoto'))
    .refine(
      (text) => [...text].length <= longest,
      params(`must have at most ${longest} characters`, `deve avere al massimo ${longest} caratteri`),
    )
    .refine(
      (text) => text.isWellFormed() && !/\p{Cc}/u.test(text),
      params('must not have control characters', 'non deve avere caratteri di controllo'),
    )
    .refine(
      (text) => !holdsSteering(text),
      params(
        'must not have characters that turn the direction of text',
        'non deve avere caratteri che invertono la direzione del testo',
      ),
    )
    .refine(holdsNoToken, NO_TOKEN)
    .meta({ minLength: 1, maxLength: longest });
}

/** The code of something that may exist. */
export const storedCode = () => line(CODE_LENGTH);

/** A new code: not `.` or `..`, which no path can name. */
export const newCode = () =>
  line(CODE_LENGTH).refine(
    (text) => text !== '.' && text !== '..',
    params('must not be . or ..', 'non deve essere . né ..'),
  );

/** The fields that name a plate and the tenant that may hold it. */
export const plateOfTenant = {
  tenant: storedCode()
    .optional()
    .describe('The code of the tenant that the person asked. Absent, for an office: its own.'),
  plate: z.string().trim().describe('The plate. It is normalized as in a plate check.'),
};

/** The message of a refinement. Only the first that fails is reported. */
export function params(en: string, it: string): { params: { text: Text }; abort: true } {
  return { params: customIssue({ en, it }), abort: true };
}
