import * as z from 'zod';
import {
  INSTANT_LENGTH,
  INSTANT_PATTERN,
  type Instant,
  isInRange,
  LAST_INSTANT,
  parseInstant,
} from '../../domain/instant.ts';
import { holdsSteering, holdsToken, type Text } from '../text/text.ts';

/** Fields of documents and requests, with messages of our own. */

/**
 * The `params` that `refine` and `addIssue` of our schemas pass on, so that the caller reads the text in their own
 * language: `{ code: 'custom', params: customIssue({ en, it }) }`.
 */
export const customIssue = (text: Text): { text: Text } => ({ text });

/** The message of a refinement. Only the first that fails is reported. */
export const params = (en: string, it: string): { params: { text: Text }; abort: true } => ({
  params: customIssue({ en, it }),
  abort: true,
});

/**
 * The issue of a stored text that contains one of our tokens, put into the wrong field. For `refine`, with
 * {@link holdsNoToken}.
 */
export const NO_TOKEN = {
  params: customIssue({
    en: 'must not contain an access token or an API key',
    it: 'non deve contenere un token di accesso o una chiave API',
  }),
};

export const holdsNoToken = (text: string): boolean => !holdsToken(text);

/** A text of 1 to `longest` characters (code points, as the database counts them), trimmed, on one line. */
export const line = (longest: number) =>
  z
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

const NOT_AN_INSTANT = customIssue({
  en: 'must be an ISO 8601 instant with date, time and offset, such as 2026-03-07T17:44:12+01:00',
  it: 'deve essere un istante ISO 8601 con data, ora e differenza oraria, come 2026-03-07T17:44:12+01:00',
});

const OUT_OF_RANGE = customIssue({
  en: 'must lie from 1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z',
  it: 'deve essere compreso tra 1970-01-01T00:00:00Z e 9999-12-31T23:59:59.999Z',
});

const INSTANT_FORM = { pattern: INSTANT_PATTERN, maxLength: INSTANT_LENGTH };

/**
 * An ISO 8601 instant with an offset, parsed. The range is not checked, since some fields have their own error code for
 * that.
 */
export const anyInstantText = z
  .string()
  .transform((text, context): Instant => {
    const at = parseInstant(text.trim());
    if (at === null) {
      context.issues.push({ code: 'custom', input: text, params: NOT_AN_INSTANT });
      return z.NEVER;
    }
    return at;
  })
  .meta(INSTANT_FORM);

/** The same within the range: what is stored. */
export const instantText = anyInstantText.refine(isInRange, { params: OUT_OF_RANGE }).meta(INSTANT_FORM);

/** The same as a text in UTC, which it reads again as it wrote it. */
export const utcText = z
  .string()
  .trim()
  .refine((text) => parseInstant(text) !== null, { params: NOT_AN_INSTANT, abort: true })
  .refine((text) => isInRange(parseInstant(text) ?? LAST_INSTANT), { params: OUT_OF_RANGE, abort: true })
  // What is refused stays as it is.
  .overwrite((text) => {
    const at = parseInstant(text);
    return at !== null && isInRange(at) ? new Date(at).toISOString() : text;
  })
  .meta(INSTANT_FORM);

/** For `refine`, with {@link EACH_ONCE}. */
export const hasNoRepetition = (values: readonly string[]): boolean => new Set(values).size === values.length;
export const EACH_ONCE = params('must not repeat a value', 'nomina qualcosa due volte');

/** An optional text: null and a blank text are the same as absent. */
export const optionalText = z
  .string()
  .trim()
  .nullish()
  .transform((text) => text || undefined);

/** An optional instant to ask about: null and a blank text are the same as absent. */
export const optionalInstantText = optionalText
  .pipe(anyInstantText.optional())
  .meta({ pattern: `^$|${INSTANT_PATTERN}`, maxLength: INSTANT_LENGTH });
