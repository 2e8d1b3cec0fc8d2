import type { CallBodies } from '../call-log/call-record.ts';
import { maskedText } from '../call-log/masked-text.ts';
import { QUERY_BODY, readBody } from '../http/body.ts';
import { withTimeout } from '../platform/deadline.ts';
import type { Call } from './call.ts';

/**
 * What the log keeps of a request that was refused for its credential, in bytes: who sends it may mean to fill the log.
 */
const REFUSED_BODY = 2 * 1024;

/**
 * What the log keeps of both sides of a call, masked. Of a body larger than the operation takes it keeps as much as
 * that; of a call that was refused for its credential, the first 2 KiB; of a body that is no UTF-8, what can be read of
 * it.
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
 * The first bytes as text that takes no more room than they do. In a body that is no UTF-8 a question mark stands for
 * what cannot be read, since U+FFFD would take three bytes for one.
 */
function readable(body: Uint8Array, mostBytes: number): string {
  const bytes = body.subarray(0, mostBytes);
  // A character that the cut goes through is left out, and makes the rest no less UTF-8.
  const options = { stream: bytes.byteLength === mostBytes };
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes, options);
  } catch {
    return new TextDecoder().decode(bytes, options).replaceAll('\uFFFD', '?');
  }
}
