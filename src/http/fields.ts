import * as z from 'zod';
import { INSTANT_LENGTH, INSTANT_PATTERN, type Instant, parseInstant } from '../domain/instant.ts';
import { holdsToken } from '../text/token-mask.ts';
import { customIssue } from './validation.ts';

/**
 * The issue of a text that is stored and contains one of our tokens, which somebody has put into the wrong field. For
 * `refine`, with {@link holdsNoToken}.
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

const NOT_AN_INSTANT = customIssue({
  en: 'must be an ISO 8601 instant with date, time and offset, such as 2026-03-07T17:44:12+01:00',
  it: 'deve essere un istante ISO 8601 con data, ora e differenza oraria, come 2026-03-07T17:44:12+01:00',
});

/** An ISO 8601 instant with an offset, parsed. */
export const instantText = z
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

/** An optional instant: null and a blank text are the same as absent. */
export const optionalInstantText = optionalText
  .pipe(instantText.optional())
  .meta({ pattern: `^$|${INSTANT_PATTERN}`, maxLength: INSTANT_LENGTH });
