import type { Context } from 'hono';
import { ERROR_STATUS, ERROR_TEXT, type ErrorCode } from '../../base/errors/error-codes.ts';
import { Refusal } from '../../base/errors/refusal.ts';
import { UNREAD_TEXT, UnreadError } from '../../base/errors/unread.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import type { Admission } from '../access/grant.ts';
import type { AppEnv } from '../call.ts';
import type { ErrorAnswer } from '../http/envelope-schemas.ts';

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

/** A refusal as itself; any other error as `TEMPORARY_ERROR`, with its details in the structured log alone. */
export function fail(c: Context<AppEnv>, error: unknown): Response {
  const { code, text, issues, failing, headers } = refusalOf(error);
  if (ERROR_STATUS[code] === 500) logFailure(c, error);
  const language = c.get('language');
  const requestId = c.get('requestId');
  const log = c.get('log');
  log.outcome = code;
  const details = issues
    ? { issues: issues.map(({ path, message }) => ({ path, message: message[language] })) }
    : failing && { failing: [...failing] };
  for (const [name, value] of Object.entries({ ...headersOf(code), ...headers })) c.header(name, value);
  c.header('Content-Language', language);
  return c.json(
    {
      success: false,
      ok: false,
      request_id: requestId,
      error: { code, message: (text ?? ERROR_TEXT[code])[language], ...(details && { details }) },
    } satisfies ErrorAnswer,
    ERROR_STATUS[code],
  );
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  // The stored data caused this failure, so a retry would fail too: the message says what to do instead.
  return new Refusal('TEMPORARY_ERROR', error instanceof UnreadError ? { message: UNREAD_TEXT } : {});
}

/** The headers that belong to a code, such as `WWW-Authenticate` of RFC 6750. */
function headersOf(code: ErrorCode): Record<string, string> {
  const realm = 'Bearer realm="parking-entitlements"';
  switch (code) {
    case 'TOKEN_MISSING':
      return { 'WWW-Authenticate': realm };
    case 'TOKEN_INVALID':
    case 'TOKEN_EXPIRED':
    case 'TOKEN_REVOKED':
      return { 'WWW-Authenticate': `${realm}, error="invalid_token"` };
    case 'SCOPE_NOT_ALLOWED':
      return { 'WWW-Authenticate': `${realm}, error="insufficient_scope"` };
    // Seconds. A 429 says when its budget has room again.
    case 'TEMPORARY_ERROR':
      return { 'Retry-After': '1' };
    case 'NOT_READY':
      return { 'Retry-After': '5' };
    default:
      return {};
  }
}

function logFailure({ var: { requestId, log } }: Context<AppEnv>, error: unknown): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  logEvent('error', 'failure', {
    request_id: requestId,
    operation: log.operation,
    name,
    message,
    ...(error instanceof UnreadError && { municipality_code: error.municipality, source_code: error.source }),
    stack,
  });
}
