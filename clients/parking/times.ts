import { parseInstant } from '../../src/domain/instant.ts';
import type { TimeField } from '../tables/index.ts';
import { given } from './command.ts';
import type { Office } from './office.ts';
import { wrongUsage } from './stop.ts';

/** A short limit: an offset, or an option, can replace the answer. */
const LOOKUP_MS = 5_000;

/** An instant to ask about. */
const MOMENT: TimeField = { side: 'earlier', isEnd: false };

/** The end of a window or of an entitlement: a bare date is that whole day. */
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
  const { readTime, Zone } = await import('../tables/index.ts');
  const name = await zoneOf(office, municipality);
  const zone = name === null ? null : new Zone(name);
  const reading = readTime(text, { zone, dateOrder: 'dmy', endDates: 'included' }, field);
  if (reading.trouble === undefined) return reading.at;
  if (zone !== null) throw wrongUsage(`${text} ${reading.trouble.en}`);
  throw wrongUsage(
    `The municipality’s time zone is not known: give the offset too, as in 2026-03-07T17:44:00+01:00. This has none: ${text}`,
  );
}

/**
 * The time zone of a municipality, from what the profile's secrets may read: its configuration, the public directory,
 * the report. Null: none of them says.
 */
export async function zoneOf(office: Office, municipality: string | undefined): Promise<string | null> {
  const { client, call } = office;
  const short = { ...call, budgetMs: LOOKUP_MS };
  let { municipality_code } = office.municipality(municipality);
  if (municipality_code === undefined) {
    const own = await client.getOwnCredential({}, short);
    const [only, ...others] = own.ok ? own.answer.credential.municipalities : [];
    if (others.length === 0) municipality_code = only;
  }
  if (municipality_code !== undefined) {
    const configured = await client.getConfiguration({ municipality_code }, short);
    if (configured.ok) return configured.answer.configuration.municipalities[0]?.timezone ?? null;
    const listed = await client.listPublicMunicipalities({}, short);
    const found = listed.ok && listed.answer.municipalities.find(({ code }) => code === municipality_code);
    if (found) return found.timezone;
  }
  const report = await client.reportActiveByArea(given({ municipality_code }), short);
  return report.ok ? report.answer.timezone : null;
}
