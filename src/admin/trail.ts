import type { CallSubject } from '../errors/call-subject.ts';

/** The most characters of codes in a `target`, so that a document of thousands of municipalities makes no giant row. */
const MOST_OF_CODES = 500;
/** What a `target` has at most: the codes, and how many more there were. */
export const TARGET_LENGTH = MOST_OF_CODES + 20;

/** What an administrator's write is about, by code. */
export interface About {
  readonly tenants: readonly string[];
  readonly municipalities: readonly string[];
}

/** What the call log is told of it: its tenant and its municipality, where there is exactly one. */
export function subjectOf({ tenants, municipalities }: About): CallSubject {
  return { ...only('tenant', tenants), ...only('municipality', municipalities) };
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

function only(name: 'tenant' | 'municipality', codes: readonly string[]): CallSubject {
  const [first, ...others] = new Set(codes);
  return first !== undefined && others.length === 0 ? { [name]: first } : {};
}
