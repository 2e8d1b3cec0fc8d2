import type { OperationId } from './operation-types.ts';
import type { FailureCode, FailureKind } from './result.ts';

/** A request on its way, as hooks see it. It contains no plate, no token and no other input. */
export interface RequestEvent {
  /** The operation's id in the description. */
  readonly operation: OperationId;
  readonly method: string;
  /** With the names of its parameters in it: `/api/v2/admin/credentials/{credential_id}`. */
  readonly path: string;
  /** Which try of its call it is, from 1. */
  readonly attempt: number;
}

/** A response of the service or of a proxy. */
export interface ResponseEvent extends RequestEvent {
  readonly status: number;
  /** The header `X-Request-Id`; null where it is not there, or hidden from a page of another origin. */
  readonly requestId: string | null;
  /** Milliseconds from the request to the head of the response. */
  readonly tookMs: number;
}

/** A try that has failed, and is made again. */
export interface RetryEvent extends RequestEvent {
  readonly failure: FailureKind;
  readonly code: FailureCode;
  /** Milliseconds until the next one. */
  readonly pauseMs: number;
}

/**
 * Functions that are called for every request, for a log or for figures. Errors that they throw are dropped
 * and end no call.
 */
export interface Hooks {
  readonly onRequest?: (event: RequestEvent) => void;
  readonly onResponse?: (event: ResponseEvent) => void;
  readonly onRetry?: (event: RetryEvent) => void;
}

/** Calls a user's function, whose errors must not end the call. */
export function tell<Args extends readonly unknown[]>(
  listener: ((...args: Args) => void) | undefined,
  ...args: Args
): void {
  try {
    listener?.(...args);
  } catch {
    // Theirs, not ours.
  }
}
