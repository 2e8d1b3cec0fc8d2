import { createMiddleware } from 'hono/factory';
import { refuseFields } from '../../base/errors/refusal.ts';
import { maskTokens } from '../../base/text/text.ts';
import type { AppEnv } from '../call.ts';
import { MAX_OFFICER_CHARACTERS } from '../http/response-fields.ts';

/** The header that says who looked: a badge's pseudonym. */
export const OFFICER_HEADER = 'Officer-Reference';

const VISIBLE = new RegExp(`^[!-~]{1,${MAX_OFFICER_CHARACTERS}}$`);

/**
 * Keeps who looked for the call log. An empty header is an absent one.
 *
 * @throws Refusal `INVALID_REQUEST` for a header that is no reference
 */
export const officer = createMiddleware<AppEnv>(async (c, next) => {
  const reference = c.req.header(OFFICER_HEADER) ?? '';
  if (reference !== '') {
    if (!VISIBLE.test(reference)) refuseFields([{ path: OFFICER_HEADER, message: NO_REFERENCE }]);
    c.get('log').officerReference = maskTokens(reference);
  }
  await next();
});

const NO_REFERENCE = {
  en: `must be 1 to ${MAX_OFFICER_CHARACTERS} visible ASCII characters`,
  it: `deve essere di 1-${MAX_OFFICER_CHARACTERS} caratteri ASCII visibili`,
};
