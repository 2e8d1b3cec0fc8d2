import { ERROR_STATUS, ERROR_TEXT, type ErrorCode } from '../../base/errors/error-codes.ts';
import { Refusal } from '../../base/errors/refusal.ts';
import { UNREAD_TEXT, UnreadError } from '../../base/errors/unread.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import type { ErrorAnswer, SuccessEnvelope } from '../http/envelope-schemas.ts';
import { hasVersion } from '../http/etag.ts';
import type { Call } from './call.ts';
import { JsonText, LinesText, type Operation, VersionedText } from './operation.ts';
import { NDJSON } from './read-request.ts';

/**
 * Answers a success: `answer`, after the envelope where the operation has one; 304 where the client already has that
 * version.
 */
export function successResponse(
  call: Call,
  { envelope, mediaType, status }: Pick<Operation, 'envelope' | 'mediaType' | 'status'>,
  answer: object | JsonText | LinesText,
): Response {
  if (answer instanceof LinesText) {
    return textResponse(call, answer.text, NDJSON, status);
  }
  if (!(answer instanceof VersionedText)) {
    return jsonResponse(call, successBody(call, envelope, answer), status, {}, mediaType);
  }
  const { etag } = answer;
  const kept = versionHeaders(answer);
  return hasVersion(call.request.headers.get('If-None-Match'), etag)
    ? new Response(null, { status: 304, headers: { ...call.headers, ...kept } })
    : jsonResponse(call, successBody(call, envelope, answer), status, kept, mediaType);
}

/** The headers of an answer that clients may keep. */
export const versionHeaders = ({ etag, maxAgeSeconds }: VersionedText): Record<string, string> => ({
  ETag: etag,
  'Cache-Control': `public, max-age=${maxAgeSeconds}`,
  // A cached answer must not reach a reader of another language.
  Vary: 'Accept-Language',
});

function successBody(call: Call, hasEnvelope: boolean, answer: object | JsonText): string {
  if (!hasEnvelope) {
    return answer instanceof JsonText ? answer.text : JSON.stringify(answer);
  }
  const envelope: SuccessEnvelope = { success: true, ok: true, request_id: call.requestId };
  return answer instanceof JsonText
    ? `${JSON.stringify(envelope).slice(0, -1)},${answer.text.slice(1)}`
    : JSON.stringify({ ...envelope, ...answer });
}

/**
 * Answers an error: a refusal as itself, any other error as `TEMPORARY_ERROR`, with the details in the
 * structured log only.
 */
export function errorResponse(call: Call, error: unknown): Response {
  const refusal = error instanceof Refusal ? error : new Refusal('TEMPORARY_ERROR', textOf(error));
  if (refusal !== error) {
    logFailure(call, error);
  }
  const { code, text, issues, failing } = refusal;
  const { language } = call;
  call.log.outcome = code;
  const details = issues
    ? { issues: issues.map(({ path, message }) => ({ path, message: message[language] })) }
    : failing && { failing: [...failing] };
  const body: ErrorAnswer = {
    success: false,
    ok: false,
    request_id: call.requestId,
    error: { code, message: (text ?? ERROR_TEXT[code])[language], ...(details && { details }) },
  };
  return jsonResponse(call, JSON.stringify(body), ERROR_STATUS[code], {
    ...headersOf(code),
    ...refusal.headers,
  });
}

function jsonResponse(
  call: Call,
  json: string,
  status: number,
  headers: Readonly<Record<string, string>> = {},
  mediaType: Operation['mediaType'] = 'application/json',
): Response {
  call.answered = json;
  return textResponse(call, json, mediaType, status, headers);
}

function textResponse(
  call: Call,
  text: string,
  mediaType: string,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(text, {
    status,
    headers: {
      ...call.headers,
      ...headers,
      'Content-Language': call.language,
      'Content-Type': mediaType,
    },
  });
}

/** The stored data caused this failure, so a retry would fail too: the message says what to do instead. */
const textOf = (error: unknown) => (error instanceof UnreadError ? { message: UNREAD_TEXT } : {});

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

function logFailure({ requestId, log }: Call, error: unknown): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const about =
    error instanceof UnreadError ? { municipality_code: error.municipality, source_code: error.source } : {};
  logEvent('error', 'failure', {
    request_id: requestId,
    operation: log.operation,
    name,
    message,
    ...about,
    stack,
  });
}
