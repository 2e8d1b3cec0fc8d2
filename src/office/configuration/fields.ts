import * as z from 'zod';
import { CALENDAR_DURATION, parseCalendarDuration } from '../../domain/calendar-duration.ts';
import { isCountry } from '../../domain/country.ts';
import { isTimeZone } from '../../domain/zoned-time.ts';
import { line, params } from '../../serving/administration/fields.ts';
import { NAME_LENGTH } from '../../storage/db/schema/columns.ts';
import { MAX_DESCRIPTION, MAX_PLAN_YEARS } from './limits.ts';

/** An IANA time zone name, such as `Europe/Rome`. */
export const timeZone = () =>
  line(NAME_LENGTH).refine(
    isTimeZone,
    params(
      'must be the IANA name of a time zone, such as Europe/Rome',
      'deve essere il nome IANA di un fuso orario, come Europe/Rome',
    ),
  );

/** An ISO 3166-1 alpha-2 code, such as `IT`. */
export const country = () =>
  z
    .string()
    .trim()
    .refine(
      isCountry,
      params(
        'must be the ISO 3166-1 alpha-2 code of a country, such as IT',
        'deve essere il codice ISO 3166-1 alpha-2 di un paese, come IT',
      ),
    )
    .meta({ pattern: '^[A-Z]{2}$', minLength: 2, maxLength: 2 });

/** The code of a plan: three digits, of which `000` is reserved. */
export const planCode = () =>
  z
    .string()
    .trim()
    .refine(
      (text) => /^[0-9]{3}$/.test(text) && text !== '000',
      params('must be 3 digits other than 000', 'deve essere di 3 cifre, diverso da 000'),
    )
    .meta({ pattern: '^(?!000)[0-9]{3}$', maxLength: 3 });

/** The text that a meter prints: uppercase ASCII letters, digits and spaces. */
export const planDescription = () =>
  z
    .string()
    .trim()
    .refine(
      (text) => text.length <= MAX_DESCRIPTION && /^[A-Z0-9 ]+$/.test(text),
      params(
        `must be 1 to ${MAX_DESCRIPTION} uppercase letters A to Z, digits and spaces`,
        `deve essere di 1-${MAX_DESCRIPTION} lettere maiuscole dalla A alla Z, cifre e spazi`,
      ),
    )
    .meta({ pattern: `^[A-Z0-9 ]{1,${MAX_DESCRIPTION}}$`, maxLength: MAX_DESCRIPTION });

/** An ISO 8601 duration of whole years, months, weeks and days, such as `P1M`, `P2W`, `P1Y6M`. */
export const planDuration = () =>
  z
    .string()
    .trim()
    .refine(
      (text) => isPlanDuration(text),
      params(
        `must be an ISO 8601 duration of whole years, months, weeks or days, such as P1M, more than zero and at most ${MAX_PLAN_YEARS} years`,
        `deve essere una durata ISO 8601 di anni, mesi, settimane o giorni interi, come P1M: non zero, al massimo ${MAX_PLAN_YEARS} anni`,
      ),
    )
    .meta({ pattern: CALENDAR_DURATION.source, maxLength: MAX_DURATION_CHARACTERS });

/** `P` and four units of five digits. */
const MAX_DURATION_CHARACTERS = 25;

/** Whether the meter's rule can add it, and it is not a typing error. */
function isPlanDuration(text: string): boolean {
  const duration = parseCalendarDuration(text);
  if (duration === null) {
    return false;
  }
  const { years, months, weeks, days } = duration;
  return years + months / 12 + weeks / 52 + days / 365 <= MAX_PLAN_YEARS;
}
