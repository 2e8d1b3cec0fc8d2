import type { CallDescription } from '../../storage/call-log/call-record.ts';
import { MAX_TARGET_LENGTH } from '../../storage/call-log/masked-text.ts';

/** Characters of codes in a `target`: the rest is for the number of further ones. */
const MAX_CODES_LENGTH = MAX_TARGET_LENGTH - 20;

/** What an administrator's write is about, by code. */
interface About {
  readonly tenants: readonly string[];
  readonly municipalities: readonly string[];
}

/**
 * Notes for the call log the tenant and the municipality that a call of the administration is about, if it is about exactly one.
 * An office's call is its tenant's, whichever it names.
 */
export function noteAbout(log: CallDescription, { tenants, municipalities }: About): void {
  if (log.credentialId === null) log.tenant = onlyOne(tenants) ?? log.tenant;
  log.municipalityCode = onlyOne(municipalities) ?? log.municipalityCode;
}

/**
 * Codes as they are listed in a `target`: `H501,L219`. A long list ends with the number of further ones:
 * `H501,L219,+4998`.
 *
 * @returns null for no codes
 */
export function targetOfCodes(codes: readonly string[]): string | null {
  const listed: string[] = [];
  let length = 0;
  for (const code of codes) {
    length += [...code].length + 1;
    if (length > MAX_CODES_LENGTH) {
      break;
    }
    listed.push(code);
  }
  const more = codes.length - listed.length;
  return codes.length === 0 ? null : [...listed, ...(more > 0 ? [`+${more}`] : [])].join(',');
}

function onlyOne(codes: readonly string[]): string | undefined {
  const [first, ...others] = new Set(codes);
  return others.length === 0 ? first : undefined;
}
