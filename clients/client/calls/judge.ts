import { ERROR_CODES } from '../../types/operations.ts';
import { isObject, type JsonObject, parseObject } from '../json.ts';
import {
  type ClientCode,
  type Failure,
  type FailureKind,
  failed,
  type Issue,
  type ServiceCode,
} from '../result.ts';

/** The parts of a response that a judgement needs. */
export interface Received {
  readonly status: number;
  readonly contentType: string;
  readonly requestIdHeader: string | null;
  readonly retryAfter: string | null;
  /** Null for another content type, which is not read. */
  readonly text: string | null;
}

/** What an answer has to be. */
export interface Expected<Answer> {
  readonly status: number;
  /** Such as `application/json`, without parameters. */
  readonly contentType: string;
  /** Reads the answer's text; null when it does not have the described form. */
  readonly read: (text: string) => ReadAnswer<Answer> | null;
}

interface ReadAnswer<Answer> {
  readonly answer: Answer;
  /** The id in the body; null if it has none. */
  readonly requestId: string | null;
}

export const JSON_TYPE = 'application/json';

/**
 * What a response means. `ours` says whether the service itself has answered; `again` whether another try may help;
 * `notBeforeMs` how long that try should wait at least.
 */
export type Judgement<Answer> = ({ readonly kind: 'answer' } & ReadAnswer<Answer>) | FailedTry;

export interface FailedTry {
  readonly kind: 'failure';
  readonly failure: Failure;
  readonly ours: boolean;
  readonly again: boolean;
  readonly notBeforeMs: number;
}

/** Refusals about the credential or the deployment: a person has to act. */
const MISCONFIGURED_CODES: ReadonlySet<string> = new Set<ServiceCode>([
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'TOKEN_EXPIRED',
  'TOKEN_REVOKED',
  'SCOPE_NOT_ALLOWED',
  'IP_NOT_ALLOWED',
  'TENANT_DISABLED',
  'METHOD_NOT_ALLOWED',
]);

/** Judges a response. It needs no clock and does no I/O. */
export function judge<Answer>(received: Received, expected: Expected<Answer>): Judgement<Answer> {
  const { status } = received;
  if (status < 200 || (status >= 300 && status < 400))
    return notOurs('REDIRECTED', redirected(status), false);
  if (status < 300) return judgeSuccess(received, expected);
  const body = received.contentType === JSON_TYPE ? parseObject(received.text) : null;
  return body === null || !isEnvelope(body, received)
    ? judgeForeign(received)
    : judgeRefusal(received, body.error, body.request_id);
}

function judgeSuccess<Answer>(received: Received, expected: Expected<Answer>): Judgement<Answer> {
  const { status, contentType, text, requestIdHeader } = received;
  const read =
    status === expected.status && contentType === expected.contentType && text !== null
      ? expected.read(text)
      : null;
  if (read === null || !agreesWithHeader(read.requestId, requestIdHeader)) {
    return notOurs('NOT_OUR_ANSWER', `A ${status} came that is not an answer of the service.`, true);
  }
  return { kind: 'answer', answer: read.answer, requestId: read.requestId ?? requestIdHeader };
}

/** An error in our envelope. */
function judgeRefusal(received: Received, error: ServiceError, requestId: string): FailedTry {
  const { status } = received;
  const retryAfterSeconds = secondsOf(received.retryAfter);
  const issues = issuesOf(error.details);
  const failure: Failure = {
    ok: false,
    failure: kindOf(status, error.code),
    ...(isServiceCode(error.code) ? { code: error.code } : { code: 'UNKNOWN_CODE', unknownCode: error.code }),
    message: error.message,
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
    requestId,
    ...(issues !== null && { issues }),
  };
  // Retry a 500 at once: a driver is waiting. A 503 says when to retry.
  const notBeforeMs = status === 503 ? (retryAfterSeconds ?? 0) * 1_000 : 0;
  return { kind: 'failure', failure, ours: true, again: status >= 500, notBeforeMs };
}

/** An error of a proxy between us and the service. */
function judgeForeign({ status, retryAfter }: Received): FailedTry {
  if (status === 429) {
    const retryAfterSeconds = secondsOf(retryAfter);
    const failure: Failure = {
      ...failed('limited', 'NOT_OUR_ANSWER', 'Something before the service limits the calls.'),
      ...(retryAfterSeconds !== null && { retryAfterSeconds }),
    };
    return { kind: 'failure', failure, ours: false, again: false, notBeforeMs: 0 };
  }
  return notOurs('NOT_OUR_ANSWER', `A ${status} came that is not an answer of the service.`, status >= 500);
}

const isServiceCode = (code: string): code is ServiceCode =>
  (ERROR_CODES as readonly string[]).includes(code);

function kindOf(status: number, code: string): FailureKind {
  if (status === 429) return 'limited';
  if (status >= 500) return 'unavailable';
  return MISCONFIGURED_CODES.has(code) ? 'misconfigured' : 'refused';
}

function notOurs(code: ClientCode, message: string, again: boolean): FailedTry {
  const failure = failed('unavailable', code, message);
  return { kind: 'failure', failure, ours: false, again, notBeforeMs: 0 };
}

function redirected(status: number): string {
  return `A redirect came (${status || 'opaque'}), which the service never sends: a captive portal, or a wrong address.`;
}

interface ServiceError {
  readonly code: string;
  readonly message: string;
  readonly details?: unknown;
}

interface ErrorEnvelope extends JsonObject {
  readonly request_id: string;
  readonly error: ServiceError & JsonObject;
}

function isEnvelope(body: JsonObject, { requestIdHeader }: Received): body is ErrorEnvelope {
  const { error } = body;
  return (
    body.success === false &&
    body.ok === false &&
    typeof body.request_id === 'string' &&
    agreesWithHeader(body.request_id, requestIdHeader) &&
    isObject(error) &&
    typeof error.code === 'string' &&
    typeof error.message === 'string'
  );
}

/** A header may be hidden from a page of another origin; one that is there names the same call. */
function agreesWithHeader(requestId: string | null, header: string | null): boolean {
  return requestId === null || header === null || requestId === header;
}

function issuesOf(details: unknown): readonly Issue[] | null {
  if (!isObject(details) || !Array.isArray(details.issues)) return null;
  return details.issues.flatMap((issue: unknown) =>
    isObject(issue) && typeof issue.path === 'string' && typeof issue.message === 'string'
      ? [{ path: issue.path, message: issue.message }]
      : [],
  );
}

/** `Retry-After` in seconds; the service never sends a date. */
function secondsOf(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : null;
}
