import * as z from 'zod';
import { holdsToken } from '../../base/text/text.ts';
import {
  INSTANT_LENGTH,
  INSTANT_PATTERN,
  type Instant,
  isInRange,
  parseInstant,
} from '../../domain/instant.ts';
import { customIssue } from './validation.ts';

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

/** An optional text: null and a blank text are the same as absent. */
export const optionalText = z
  .string()
  .trim()
  .nullish()
  .transform((text) => text || undefined);

/** The parameter of a call that only judges. */
export const dryRun = () =>
  z
    .enum(['true', 'false'])
    .optional()
    .transform((text) => text === 'true')
    .describe('With `true`, everything is judged and answered, and nothing is stored.');

const NOT_AN_INSTANT = customIssue({
  en: 'must be an ISO 8601 instant with date, time and offset, such as 2026-03-07T17:44:12+01:00',
  it: 'deve essere un istante ISO 8601 con data, ora e differenza oraria, come 2026-03-07T17:44:12+01:00',
});

const OUT_OF_RANGE = customIssue({
  en: 'must lie from 1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z',
  it: 'deve essere compreso tra 1970-01-01T00:00:00Z e 9999-12-31T23:59:59.999Z',
});

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
  .meta({ pattern: INSTANT_PATTERN, maxLength: INSTANT_LENGTH });

/** The same within the range: what is stored. */
export const instantText = anyInstantText
  .refine(isInRange, { params: OUT_OF_RANGE })
  .meta({ pattern: INSTANT_PATTERN, maxLength: INSTANT_LENGTH });

/** An optional instant to ask about: null and a blank text are the same as absent. */
export const optionalInstantText = optionalText
  .pipe(anyInstantText.optional())
  .meta({ pattern: `^$|${INSTANT_PATTERN}`, maxLength: INSTANT_LENGTH });
