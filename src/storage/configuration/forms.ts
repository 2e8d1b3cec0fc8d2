import * as z from 'zod';
import { EACH_ONCE, hasNoRepetition, holdsNoToken, line, NO_TOKEN, params } from '../../base/forms/fields.ts';
import { isCountry } from '../../domain/country.ts';
import { parseInstant } from '../../domain/instant.ts';
import { PAID_DAYS, timeOfDayOf } from '../../domain/patrol/paid-hours.ts';
import { CALENDAR_DURATION, parseCalendarDuration } from '../../domain/plan-expiry.ts';
import { isTimeZone } from '../../domain/zoned-time.ts';
import { CODE_LENGTH, NAME_LENGTH } from '../db/schema/columns.ts';
import { WEBSITE_LENGTH } from '../db/schema/configuration.ts';

/**
 * A trimmed text that meets a condition.
 *
 * @param form of the text, for the description
 */
const textThat = (
  meets: (text: string) => boolean,
  message: ReturnType<typeof params>,
  form: { readonly pattern: string; readonly minLength?: number; readonly maxLength: number },
) => z.string().trim().refine(meets, message).meta(form);

/** A calendar date, such as `2026-12-25`. */
const localDate = textThat(
  (text) => /^\d{4}-\d\d-\d\d$/.test(text) && parseInstant(`${text}T00:00Z`) !== null,
  params('must be a date such as 2026-12-25', 'deve essere una data come 2026-12-25'),
  { pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', minLength: 10, maxLength: 10 },
);

const TIME = '([01][0-9]|2[0-3]):[0-5][0-9]';
const timeOfDay = (pattern: string, en: string, it: string) =>
  textThat((text) => new RegExp(pattern).test(text), params(en, it), { pattern, minLength: 5, maxLength: 5 });

const paidSpan = z
  .strictObject({
    days: z
      .array(z.enum(PAID_DAYS))
      .min(1)
      .max(PAID_DAYS.length)
      .refine(hasNoRepetition, EACH_ONCE)
      .describe('Days of the week; `holiday` means the municipality’s holidays.'),
    from: timeOfDay(`^${TIME}$`, 'must be a time such as 08:00', 'deve essere un orario come 08:00').describe(
      'Start in local time, included.',
    ),
    to: timeOfDay(
      `^(${TIME}|24:00)$`,
      'must be a time such as 20:00, at most 24:00',
      'deve essere un orario come 20:00, al massimo 24:00',
    ).describe('End in local time, excluded, later than `from`. `24:00` is the end of the day.'),
  })
  .refine(({ from, to }) => timeOfDayOf(from) < timeOfDayOf(to), {
    path: ['to'],
    ...params('must be later than from', 'deve essere successivo a from'),
  })
  .meta({
    id: 'PaidHours',
    description:
      'Hours in which parking must be paid on some days, in local time. When clocks go forward, the skipped hour does not count; when they go back, the repeated hour counts twice.',
  });

/** When payment is due in an area. */
export const paidHours = z.array(paidSpan).max(50);

/** Local dates, each once. */
export const holidays = z.array(localDate).max(200).refine(hasNoRepetition, EACH_ONCE);

/** A code: not `.` or `..`, which no path can name. */
export const newCode = (longest = CODE_LENGTH) =>
  line(longest).refine(
    (text) => text !== '.' && text !== '..',
    params('must not be . or ..', 'non deve essere . né ..'),
  );

/** An address that a page can link to. Printable ASCII, which is what a browser's address bar copies. */
export const website = textThat(
  (text) => text.length <= WEBSITE_LENGTH && /^https:\/\/[!-~]+$/.test(text) && URL.canParse(text),
  params(
    `must begin with https:// and have at most ${WEBSITE_LENGTH} ASCII characters`,
    `deve essere un indirizzo che inizia con https://, in ASCII, di al massimo ${WEBSITE_LENGTH} caratteri`,
  ),
  { pattern: '^https://[!-~]+$', maxLength: WEBSITE_LENGTH },
).refine(holdsNoToken, NO_TOKEN);

/** An IANA time zone name, such as `Europe/Rome`. */
export const timeZone = line(NAME_LENGTH).refine(
  isTimeZone,
  params(
    'must be the IANA name of a time zone, such as Europe/Rome',
    'deve essere il nome IANA di un fuso orario, come Europe/Rome',
  ),
);

/** An ISO 3166-1 alpha-2 code, such as `IT`. */
export const country = textThat(
  isCountry,
  params(
    'must be the ISO 3166-1 alpha-2 code of a country, such as IT',
    'deve essere il codice ISO 3166-1 alpha-2 di un paese, come IT',
  ),
  { pattern: '^[A-Z]{2}$', minLength: 2, maxLength: 2 },
);

/** The code of a plan: three digits, of which `000` is reserved. */
export const planCode = textThat(
  (text) => /^[0-9]{3}$/.test(text) && text !== '000',
  params('must be 3 digits other than 000', 'deve essere di 3 cifre, diverso da 000'),
  { pattern: '^(?!000)[0-9]{3}$', maxLength: 3 },
);

/** The text that a meter prints: uppercase ASCII letters, digits and spaces, as many as its line has. */
export const planDescription = textThat(
  (text) => /^[A-Z0-9 ]{1,20}$/.test(text),
  params(
    'must be 1 to 20 uppercase letters A to Z, digits and spaces',
    'deve essere di 1-20 lettere maiuscole dalla A alla Z, cifre e spazi',
  ),
  { pattern: '^[A-Z0-9 ]{1,20}$', maxLength: 20 },
);

/** A meter prints an expiry with a year of four digits. */
const MAX_PLAN_YEARS = 100;

/** An ISO 8601 duration of whole years, months, weeks and days, such as `P1M`, `P2W`, `P1Y6M`. */
export const planDuration = textThat(
  isPlanDuration,
  params(
    `must be an ISO 8601 duration of whole years, months, weeks or days, such as P1M, more than zero and at most ${MAX_PLAN_YEARS} years`,
    `deve essere una durata ISO 8601 di anni, mesi, settimane o giorni interi, come P1M: non zero, al massimo ${MAX_PLAN_YEARS} anni`,
  ),
  // `P` and four units of five digits.
  { pattern: CALENDAR_DURATION.source, maxLength: 25 },
);

/** Whether the meter's rule can add it, and it is not a typing error. */
function isPlanDuration(text: string): boolean {
  const duration = parseCalendarDuration(text);
  if (duration === null) return false;
  const { years, months, weeks, days } = duration;
  return years + months / 12 + weeks / 52 + days / 365 <= MAX_PLAN_YEARS;
}
