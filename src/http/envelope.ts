import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ErrorAnswer, SuccessEnvelope } from './answer-schemas.ts';
import type { AppContext } from './context.ts';
import { ERROR_STATUS, ERROR_TEXT, type ErrorCode } from './error-codes.ts';
import { Refusal } from './refusal.ts';

/** The first three fields of every success. */
export function successEnvelope(c: AppContext): SuccessEnvelope {
  return { success: true, ok: true, request_id: c.get('requestId') };
}

/** Answers a success: `body` behind the envelope, with the language it is written in. */
export function answer<Body extends object>(c: AppContext, body: Body, status: ContentfulStatusCode = 200) {
  return say(c, { ...successEnvelope(c), ...body }, status);
}

/** Answers a success whose body, a JSON object, was made before. */
export function answerText(c: AppContext, json: string): Response {
  const envelope = JSON.stringify(successEnvelope(c));
  return respond(c, `${envelope.slice(0, -1)},${json.slice(1)}`, 200);
}

/** The transcript has the last body that was said, which is the one that leaves. */
function say<Body extends object>(
  c: AppContext,
  body: Body,
  status: ContentfulStatusCode,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const transcript = c.get('transcript');
  if (transcript !== undefined) {
    transcript.answered = body;
  }
  return respond(c, JSON.stringify(body), status, headers);
}

function respond(
  c: AppContext,
  json: string,
  status: ContentfulStatusCode,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return c.body(json, status, {
    ...c.get('headers'),
    ...headers,
    'Content-Language': c.get('language'),
    'Content-Type': 'application/json',
  });
}

/**
 * Answers whatever was thrown: a refusal as itself, anything else as `TEMPORARY_ERROR`, told in full to the
 * structured log alone.
 */
export function answerError(c: AppContext, error: unknown): Response {
  const refusal = error instanceof Refusal ? error : new Refusal('TEMPORARY_ERROR');
  if (refusal !== error) {
    logFailure(c, error);
  }
  const { code, text, issues } = refusal;
  const language = c.get('language');
  c.get('call').outcome = code;
  const details = issues && {
    issues: issues.map(({ path, message }) => ({ path, message: message[language] })),
  };
  const body: ErrorAnswer = {
    success: false,
    ok: false,
    request_id: c.get('requestId'),
    error: { code, message: (text ?? ERROR_TEXT[code])[language], ...(details && { details }) },
  };
  return say(c, body, ERROR_STATUS[code], { ...headersOf(code), ...refusal.headers });
}

/** The headers that a code brings wherever it is answered. `WWW-Authenticate` as RFC 6750 has it. */
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
    case 'TEMPORARY_ERROR':
      return { 'Retry-After': '1' };
    default:
      return {};
  }
}

function logFailure(c: AppContext, error: unknown): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const { requestId, call } = c.var;
  console.error(
    JSON.stringify({
      event: 'failure',
      request_id: requestId,
      operation: call.operation,
      name,
      message,
      stack,
    }),
  );
}
