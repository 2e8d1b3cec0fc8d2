import * as z from 'zod';
import { INSTANT_LENGTH, INSTANT_PATTERN, type Instant, parseInstant } from '../domain/instant.ts';
import { said } from './validation.ts';

/** An optional text of a query: null, and a blank one, are the same as absent. */
export const optionalText = z
  .string()
  .trim()
  .nullish()
  .transform((text) => text || undefined);

const NOT_AN_INSTANT = said({
  en: 'must be an ISO 8601 instant with date, time and offset, such as 2026-03-07T17:44:12+01:00',
  it: 'deve essere un istante ISO 8601 con data, ora e differenza oraria, come 2026-03-07T17:44:12+01:00',
});

/** An instant with its offset, read into milliseconds. */
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

/** An optional instant of a query: null, and a blank text, are the same as absent. */
export const optionalInstantText = optionalText
  .pipe(instantText.optional())
  .meta({ pattern: `^$|${INSTANT_PATTERN}`, maxLength: INSTANT_LENGTH });
