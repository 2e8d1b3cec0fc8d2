import { parseInstant } from '../../../src/domain/instant.ts';
import { readTime, type TimeField, Zone } from '../../tables/index.ts';
import { municipalityFacts } from '../municipality-facts.ts';
import type { Office } from '../office.ts';
import { wrongUsage } from '../stop.ts';

/** An instant to ask about. */
const MOMENT: TimeField = { side: 'earlier', isEnd: false };

/**
 * The end of an entitlement: a bare date is that whole day, and the night of a clock change is read in the
 * driver's favour.
 */
export const END: TimeField = { side: 'later', isEnd: true };

/**
 * Reads an instant with an offset, or in the municipality's local time.
 *
 * @throws Stop for an invalid time, or if the time zone is unknown
 */
export async function askedInstant(
  office: Office,
  text: string,
  municipality: string | undefined,
  field: TimeField = MOMENT,
): Promise<string> {
  const at = parseInstant(text);
  // In the one form that JavaScript's own Date can read.
  if (at !== null) return new Date(at).toISOString();
  const { timezone } = await municipalityFacts(office, office.municipality(municipality).municipality_code);
  const rules = {
    zone: timezone === null ? null : new Zone(timezone),
    dateOrder: 'dmy',
    endDates: 'included',
  } as const;
  const reading = readTime(text, rules, field);
  if (reading.trouble === undefined) return reading.at;
  if (timezone === null) {
    throw wrongUsage({
      en: `The municipality’s time zone is not known: give the offset too, as in 2026-03-07T17:44:00+01:00. This has none: ${text}`,
      it: `Il fuso orario del comune non è noto: indicare anche la differenza oraria, come in 2026-03-07T17:44:00+01:00. Qui manca: ${text}`,
    });
  }
  throw wrongUsage({ en: `${text} ${reading.trouble.en}`, it: `${text} ${reading.trouble.it}` });
}
