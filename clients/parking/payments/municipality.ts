import type { Office } from '../office.ts';
import { wrongUsage } from '../stop.ts';

/**
 * The code of the municipality that was named, else of the profile's.
 *
 * @throws Stop without one
 */
export function requireMunicipality(office: Office, given: string | undefined): string {
  const { municipality_code: code } = office.municipality(given);
  if (code !== undefined) return code;
  throw wrongUsage({
    en: 'Choose the municipality: --municipality CODE.',
    it: 'Indicare il comune: --municipality CODICE.',
  });
}
