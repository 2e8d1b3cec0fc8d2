import type { CallDescription } from '../call-log/call-record.ts';

/** The most characters of codes in a `target`, so that a document of thousands of municipalities makes no giant row. */
const MOST_OF_CODES = 500;
/** What a `target` has at most: the codes, and how many more there were. */
export const TARGET_LENGTH = MOST_OF_CODES + 20;

/** What an administrator's write is about, by code. */
export interface About {
  readonly tenants: readonly string[];
  readonly municipalities: readonly string[];
}

/** Tells the call log whom a write is about: its tenant and its municipality, where there is exactly one. */
export function tellAbout(call: CallDescription, { tenants, municipalities }: About): void {
  call.tenant = onlyOne(tenants);
  call.municipalityCode = onlyOne(municipalities);
}

/**
 * Codes as a `target` lists them: `H501,L219`. Of a long list the first ones, and how many more there are: `H501,L219,+4998`.
 *
 * @returns null for no codes
 */
export function targetOfCodes(codes: readonly string[]): string | null {
  const listed: string[] = [];
  let length = 0;
  for (const code of codes) {
    length += [...code].length + 1;
    if (length > MOST_OF_CODES) {
      break;
    }
    listed.push(code);
  }
  const more = codes.length - listed.length;
  return codes.length === 0 ? null : [...listed, ...(more > 0 ? [`+${more}`] : [])].join(',');
}

function onlyOne(codes: readonly string[]): string | null {
  const [first = null, ...others] = new Set(codes);
  return others.length === 0 ? first : null;
}
