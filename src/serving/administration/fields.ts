import * as z from 'zod';
import { holdsSteering, type Text } from '../../base/text/text.ts';
import { CODE_LENGTH } from '../../storage/db/schema/columns.ts';
import { holdsNoToken, NO_TOKEN } from '../http/fields.ts';
import { customIssue } from '../http/validation.ts';

/** For a `NOT_FOUND`. */
export const UNKNOWN_MUNICIPALITY: Text = {
  en: 'There is no municipality with this code.',
  it: 'Non c’è un comune con questo codice.',
};

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
