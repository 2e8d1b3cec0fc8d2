import { refuseFields } from '../../base/errors/refusal.ts';
import { maskTokens } from '../../base/text/text.ts';
import { MAX_OFFICER_CHARACTERS } from '../http/response-fields.ts';

/** The header that says who looked: a badge's pseudonym. */
export const OFFICER_HEADER = 'Officer-Reference';

const VISIBLE = new RegExp(`^[!-~]{1,${MAX_OFFICER_CHARACTERS}}$`);

/** The officer's pseudonym for the call log. Null if the header is absent, empty, or invalid. */
export function officerIn(headers: Headers): string | null {
  const reference = headers.get(OFFICER_HEADER) ?? '';
  return VISIBLE.test(reference) ? maskTokens(reference) : null;
}

/** @throws Refusal `INVALID_REQUEST` for a header that is neither empty nor a reference */
export function requireOfficer(headers: Headers): void {
  const reference = headers.get(OFFICER_HEADER) ?? '';
  if (reference !== '' && !VISIBLE.test(reference)) {
    refuseFields([{ path: OFFICER_HEADER, message: NO_REFERENCE }]);
  }
}

const NO_REFERENCE = {
  en: `must be 1 to ${MAX_OFFICER_CHARACTERS} visible ASCII characters`,
  it: `deve essere di 1-${MAX_OFFICER_CHARACTERS} caratteri ASCII visibili`,
};
