import { parseInstant } from '../../../src/domain/instant.ts';
import { municipalityFacts } from '../municipality-facts.ts';
import type { Office } from '../office.ts';
import { wrongUsage } from '../stop.ts';
import { readTime, type TimeField } from './read-time.ts';
import { Zone } from './wall-clock.ts';

/** A moment that somebody asks about. */
const MOMENT: TimeField = { side: 'earlier', isEnd: false };

/** The end of a right: a date alone is that whole day, and the night of a clock change leaves the driver more. */
export const END: TimeField = { side: 'later', isEnd: true };

/**
 * The instant that somebody named: with its offset, or as the municipality's clocks show it.
 *
 * @throws Stop for what is not a time, or where the time zone is not known
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
