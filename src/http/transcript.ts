import type { CallBodies } from '../call-log/call-record.ts';
import { maskedText } from '../call-log/masked-text.ts';
import { QUERY_BODY, readUpTo } from './body.ts';
import type { AppMiddleware } from './context.ts';
import { within } from './deadline.ts';

/** How long the log waits for a body that nobody has read, since the call was refused before it. */
const BODY_ARRIVES_WITHIN_MS = 250;

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
 * What the log keeps of both sides, masked. Of a body larger than the operation takes it keeps as much as that; of one
 * that is no UTF-8, what can be read of it.
 */
export async function bodiesOf({ received, answered }: Transcript, request: Request): Promise<CallBodies> {
  const bytes = received ?? (await unreadBody(request));
  return {
    request: bytes && maskedText(new TextDecoder().decode(bytes)),
    response: answered && maskedText(JSON.stringify(answered)),
  };
}

/** @returns null for a body that broke off, or that did not arrive in time */
async function unreadBody(request: Request): Promise<Uint8Array | null> {
  if (request.bodyUsed) {
    return null;
  }
  try {
    const { bytes } = await within(BODY_ARRIVES_WITHIN_MS, readUpTo(request, QUERY_BODY));
    return bytes;
  } catch {
    return null;
  }
}
