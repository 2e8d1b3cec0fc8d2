import type { CallBodies } from '../call-log/call-record.ts';
import { maskedText } from '../call-log/masked-text.ts';
import { QUERY_BODY, readBody } from '../http/body.ts';
import { withTimeout } from '../platform/deadline.ts';
import type { Call } from './call.ts';

/**
 * How many bytes the log keeps of a request that was refused for its credential: the sender may want to fill the log.
 */
const REFUSED_BODY = 2 * 1024;

/**
 * What the log keeps of both sides of a call, masked. A body that is too large is cut at the operation's limit, that of a
 * call refused for its credential at 2 KiB. Of a body that is not UTF-8 it keeps what can be read.
 *
 * @param status the status of the answer
 * @param arriveWithinMs how long the body may still take to arrive
 */
export async function bodiesOf(call: Call, status: number, arriveWithinMs: number): Promise<CallBodies> {
  const bytes = await bytesOf(call, arriveWithinMs);
  const mostBytes = status === 401 || status === 403 ? REFUSED_BODY : QUERY_BODY;
  return {
    request: bytes && maskedText(readable(bytes, mostBytes)),
    response: call.answered && maskedText(call.answered),
  };
}

/** @returns null for a body that broke off, or that did not arrive in time */
async function bytesOf(call: Call, arriveWithinMs: number): Promise<Uint8Array | null> {
  try {
    const { bytes } = await withTimeout(arriveWithinMs, call.reading ?? readBody(call.request, QUERY_BODY));
    return bytes;
  } catch {
    return null;
  }
}

/**
 * The first bytes as text that takes no more room. In a body that is not UTF-8 a question mark replaces what cannot be
 * read, since U+FFFD would take three bytes for one.
 */
function readable(body: Uint8Array, mostBytes: number): string {
  const bytes = body.subarray(0, mostBytes);
  // A character that the cut splits is left out; the rest still counts as UTF-8.
  const options = { stream: bytes.byteLength === mostBytes };
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes, options);
  } catch {
    return new TextDecoder().decode(bytes, options).replaceAll('\uFFFD', '?');
  }
}
