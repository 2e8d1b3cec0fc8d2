import type { ERROR_CODES } from '../types/operations.ts';

/**
 * Why there is no answer.
 *
 * - `refused`: the service refuses this request (a field, an unknown area, an expired cursor), and would
 *   refuse it again.
 * - `limited`: the credential's budget is spent. `retryAfterSeconds` says when to retry.
 * - `unavailable`: no answer in time, an answer of another server, or a failure of the service.
 * - `misconfigured`: a person has to correct the token, its scope or its addresses, or this client's
 *   settings.
 *
 * A failure never says anything about a vehicle.
 */
export type FailureKind = 'refused' | 'limited' | 'unavailable' | 'misconfigured';

/** Codes that the service gives: `AREA_NOT_FOUND`, `CURSOR_GONE`, … */
export type ServiceCode = (typeof ERROR_CODES)[number];

/** Codes of this client's own. */
export type ClientCode =
  /** No connection, or it broke. */
  | 'NETWORK_ERROR'
  /** The time for the call was up. */
  | 'TIMED_OUT'
  /** The caller's signal ended it. */
  | 'ABORTED'
  /** The answer is not the service's: a proxy's page, a captive portal, a text cut short, another shape. */
  | 'NOT_OUR_ANSWER'
  /** A redirect. The service has none, and a token is never sent after one. */
  | 'REDIRECTED'
  /** The client was made without the token that this operation needs. */
  | 'TOKEN_NOT_SET'
  /** The source of an import failed, or a line of it is too long for a part. */
  | 'SOURCE_FAILED'
  | 'LINE_TOO_LONG'
  /** The input cannot be sent: text that is not well-formed Unicode, or a value that JSON does not have. */
  | 'ILL_FORMED_INPUT'
  /** The service gave a code that is newer than this client: `unknownCode` has it. */
  | 'UNKNOWN_CODE'
  /** A gate was made for an area that has none. */
  | 'NO_FACILITY'
  /** The runtime's cryptography fails: a gate cannot read its list. */
  | 'NO_CRYPTOGRAPHY';

/** Every code that a failure may have. */
export type FailureCode = ServiceCode | ClientCode;

/** One field that the service refused. */
export interface Issue {
  /** Such as `municipalities.0.areas.3.capacity`. */
  readonly path: string;
  readonly message: string;
}

/** A call that got its answer: a 200 (201) of the service in the shape that its description promises. */
export interface Success<Answer> {
  readonly ok: true;
  readonly answer: Answer;
  /** The id of the call; null if the answer has none or hides it. */
  readonly requestId: string | null;
  /** Milliseconds from the call to its result, further tries included. */
  readonly tookMs: number;
}

/** A call without an answer. No field of it could be taken for a verdict about a vehicle. */
export interface Failure {
  readonly ok: false;
  readonly failure: FailureKind;
  readonly code: FailureCode;
  /** Of `UNKNOWN_CODE`. */
  readonly unknownCode?: string;
  /** For people. It holds no token. */
  readonly message?: string;
  /** Whole seconds, of `limited` and of a service that says when it will be back. */
  readonly retryAfterSeconds?: number;
  /** The id of the call, for the service's operator. Absent where the service was not reached. */
  readonly requestId?: string;
  /** Of `INVALID_REQUEST`: every field that was refused. */
  readonly issues?: readonly Issue[];
}

export type Result<Answer> = Success<Answer> | Failure;

/** A failure that the client detects. */
export function failed(failure: FailureKind, code: ClientCode, message: string): Failure {
  return { ok: false, failure, code, message };
}
