import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ErrorAnswer, SuccessEnvelope } from './answer-schemas.ts';
import type { AppContext } from './context.ts';
import { ERROR_STATUS, ERROR_TEXT, type ErrorCode } from './error-codes.ts';
import { Refusal } from './refusal.ts';

/** The first three fields of every success. */
export function successEnvelope(c: AppContext): SuccessEnvelope {
  return { success: true, ok: true, request_id: c.var.requestId };
}

/** Answers a success: `body` behind the envelope, with the language it is written in. */
export function answer<Body extends object>(c: AppContext, body: Body, status: ContentfulStatusCode = 200) {
  c.header('Content-Language', c.var.language);
  return say(c, { ...successEnvelope(c), ...body }, status);
}

/** The one place where an answer's body is made: the transcript has the last one, which is the one that leaves. */
function say<Body extends object>(c: AppContext, body: Body, status: ContentfulStatusCode) {
  const transcript = c.get('transcript');
  if (transcript !== undefined) {
    transcript.answered = body;
  }
  return c.json(body, status);
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
  const { language } = c.var;
  c.var.call.outcome = code;
  for (const [name, value] of Object.entries({ ...headersOf(code), ...refusal.headers })) {
    c.header(name, value);
  }
  c.header('Content-Language', language);
  const details = issues && {
    issues: issues.map(({ path, message }) => ({ path, message: message[language] })),
  };
  const body: ErrorAnswer = {
    success: false,
    ok: false,
    request_id: c.var.requestId,
    error: { code, message: (text ?? ERROR_TEXT[code])[language], ...(details && { details }) },
  };
  return say(c, body, ERROR_STATUS[code]);
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
