import type { CallBodies } from '../call-log/call-record.ts';
import { maskedText } from '../call-log/masked-text.ts';
import { QUERY_BODY, readUpTo } from './body.ts';
import type { AppMiddleware } from './context.ts';
import { within } from './deadline.ts';

/** What the log keeps of a request that was refused for its credential, in bytes: who sends it may mean to fill the log. */
const REFUSED_BODY = 2 * 1024;

/** Both sides of a call, as they were said. */
export interface Transcript {
  /** As far as the body was read; null while it was not. */
  received: Uint8Array | null;
  /** The body of the answer; a later one takes the place of an earlier. */
  answered: object | null;
  /** The time that the whole answer may take, its way into the log included. */
  readonly answerWithinMs: number;
}

/**
 * Has the call logged whole, request and response, before it is answered.
 *
 * @param answerWithinMs the time that the whole answer may take, in milliseconds from the start of the call
 */
export function loggedWhole(answerWithinMs: number): AppMiddleware {
  return async (c, next) => {
    c.set('transcript', { received: null, answered: null, answerWithinMs });
    await next();
  };
}

/**
 * What the log keeps of both sides, masked. Of a body larger than the operation takes it keeps as much as that; of a call
 * that was refused for its credential, the first 2 KiB; of a body that is no UTF-8, what can be read of it.
 *
 * @param status the status of the answer
 * @param arriveWithinMs how long a body that nobody has read yet may take to arrive
 */
export async function bodiesOf(
  { received, answered }: Transcript,
  request: Request,
  status: number,
  arriveWithinMs: number,
): Promise<CallBodies> {
  const mostBytes = status === 401 || status === 403 ? REFUSED_BODY : QUERY_BODY;
  const bytes = received ?? (await unreadBody(request, mostBytes, arriveWithinMs));
  return {
    request: bytes && maskedText(readable(bytes, mostBytes)),
    response: answered && maskedText(JSON.stringify(answered)),
  };
}

/**
 * The first bytes as text that takes no more room than they do. In a body that is no UTF-8 a question mark stands for
 * what cannot be read, since U+FFFD would take three bytes for one.
 */
function readable(body: Uint8Array, mostBytes: number): string {
  const bytes = body.subarray(0, mostBytes);
  // A character that the cut has gone through is left out, and makes the rest no less UTF-8.
  const options = { stream: bytes.byteLength === mostBytes };
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes, options);
  } catch {
    return new TextDecoder().decode(bytes, options).replaceAll('\uFFFD', '?');
  }
}

/** @returns null for a body that broke off, or that did not arrive in time */
async function unreadBody(
  request: Request,
  mostBytes: number,
  arriveWithinMs: number,
): Promise<Uint8Array | null> {
  if (request.bodyUsed) {
    return null;
  }
  try {
    const { bytes } = await within(arriveWithinMs, readUpTo(request, mostBytes));
    return bytes;
  } catch {
    return null;
  }
}
