import type { Context } from 'hono';
import { methodNotAllowed as honoMethodNotAllowed } from 'hono/method-not-allowed';
import { ERROR_STATUS, ERROR_TEXT, type ErrorCode } from '../../base/errors/error-codes.ts';
import { Refusal } from '../../base/errors/refusal.ts';
import { UNREAD_TEXT, UnreadError } from '../../base/errors/unread.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import type { Admission } from '../access/admission.ts';
import type { App, AppEnv } from '../call.ts';

/**
 * Answers whatever was thrown. It asks the pending admission first: its 401, 403 and 429 come before every error of the
 * body and the fields, however early those were found. The admission ends within a second by itself.
 */
export async function onError(error: Error, c: Context<AppEnv>): Promise<Response> {
  const admission: Admission | undefined = c.get('admission');
  const first: unknown = await (admission?.granted.then(
    () => error,
    (refusal: unknown) => refusal,
  ) ?? error);
  return fail(c, first);
}

/** Answers a path that nothing has. */
export const notFound = (c: Context<AppEnv>): Response => fail(c, new Refusal('NOT_FOUND'));

/** Answers a method that a path does not have: 405, with `Allow`. */
export const methodNotAllowed = (app: App) =>
  honoMethodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) => {
      const allow = methods.filter((method) => method !== 'HEAD').sort();
      return fail(c, new Refusal('METHOD_NOT_ALLOWED', { headers: { Allow: allow.join(', ') } }));
    },
  });

const REALM = 'Bearer realm="parking-entitlements"';
const INVALID_TOKEN = { 'WWW-Authenticate': `${REALM}, error="invalid_token"` };

/** The headers that belong to a code, such as `WWW-Authenticate` of RFC 6750. */
const HEADERS: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  TOKEN_MISSING: { 'WWW-Authenticate': REALM },
  TOKEN_INVALID: INVALID_TOKEN,
  TOKEN_EXPIRED: INVALID_TOKEN,
  TOKEN_REVOKED: INVALID_TOKEN,
  SCOPE_NOT_ALLOWED: { 'WWW-Authenticate': `${REALM}, error="insufficient_scope"` },
  // Seconds. A 429 says when its budget has room again.
  TEMPORARY_ERROR: { 'Retry-After': '1' },
  NOT_READY: { 'Retry-After': '5' },
};

/** A refusal as itself; any other error as `TEMPORARY_ERROR`, with its details in the structured log alone. */
export function fail(c: Context<AppEnv>, error: unknown): Response {
  const { code, options } = refusalOf(error);
  if (ERROR_STATUS[code] === 500) logFailure(c, error);
  const language = c.get('language');
  c.get('log').outcome = code;
  const { message = ERROR_TEXT[code], issues, failing, headers } = options;
  const details = issues
    ? { issues: issues.map(({ path, message: text }) => ({ path, message: text[language] })) }
    : failing && { failing: [...failing] };
  for (const [name, value] of Object.entries({ ...HEADERS[code], ...headers })) c.header(name, value);
  c.header('Content-Language', language);
  return c.json(
    {
      success: false,
      ok: false,
      request_id: c.get('requestId'),
      error: { code, message: message[language], ...(details && { details }) },
    },
    ERROR_STATUS[code],
  );
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  // The stored data caused this failure, so a retry would fail too: the message says what to do instead.
  return new Refusal('TEMPORARY_ERROR', error instanceof UnreadError ? { message: UNREAD_TEXT } : {});
}

/** Logs a failure: of a call, or of an item of one that is answered. */
export function logFailure(c: Context<AppEnv>, error: unknown): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  logEvent('error', 'failure', {
    request_id: c.get('requestId'),
    operation: c.get('log').operation,
    name,
    message,
    ...(error instanceof UnreadError && { municipality_code: error.municipality, source_code: error.source }),
    stack,
  });
}
