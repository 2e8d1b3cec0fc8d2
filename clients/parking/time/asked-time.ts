import { parseInstant } from '../../../src/domain/instant.ts';
import { municipalityFacts } from '../municipality-facts.ts';
import type { Office } from '../office.ts';
import { wrongUsage } from '../stop.ts';
import { readTime } from './read-time.ts';
import { Zone } from './wall-clock.ts';

/**
 * The instant that somebody asked about: with its offset, or as the municipality's clocks show it.
 *
 * @throws Stop for what is no time, or where the time zone is not known
 */
export async function askedInstant(
  office: Office,
  text: string,
  municipality: string | undefined,
): Promise<string> {
  if (parseInstant(text) !== null) return text;
  const { timezone } = await municipalityFacts(office, office.municipality(municipality).municipality_code);
  const rules = {
    zone: timezone === null ? null : new Zone(timezone),
    dateOrder: 'dmy',
    endDates: null,
  } as const;
  const reading = readTime(text, rules, { side: 'earlier', isEnd: false });
  if (reading.trouble === undefined) return reading.at;
  if (timezone === null) {
    throw wrongUsage({
      en: `The municipality’s time zone is not known: say the offset, too, as in 2026-03-07T17:44:00+01:00. This has none: ${text}`,
      it: `Il fuso orario del comune non è noto: indicare anche la differenza oraria, come in 2026-03-07T17:44:00+01:00. Qui manca: ${text}`,
    });
  }
  throw wrongUsage({ en: `${text} ${reading.trouble.en}`, it: `${text} ${reading.trouble.it}` });
}
