import { withTimeout } from '../../base/platform/deadline.ts';
import { normalizePlate } from '../../domain/plate.ts';
import type { WholeCall } from '../../storage/call-log/call-record.ts';
import { isRefused } from '../../storage/call-log/daily-bounds.ts';
import { maskedText } from '../../storage/call-log/masked-text.ts';
import { readBody } from '../http/body.ts';
import type { Call } from './call.ts';

/** How much the log keeps of a refused request, in bytes: the sender may want to fill the log. */
const REFUSED_BODY = 2 * 1024;

/** The most characters that are kept of each field past the day's bound. A plate is shorter, and so is every code. */
const MAX_OF_A_FIELD = 80;

const NO_BODIES = { request: null, response: null };

/**
 * What the log keeps of both sides of a call, masked: of a call that was refused, the first 2 KiB of the
 * request; of a body that is not UTF-8, its readable characters.
 *
 * @param status the status of the answer
 * @param arriveWithinMs how long the body may still take to arrive
 */
export async function bodiesOf(
  call: Call,
  status: number,
  arriveWithinMs: number,
): Promise<Pick<WholeCall, 'request' | 'response' | 'pastBound'>> {
  const bytes = await bytesOf(call, arriveWithinMs);
  const request =
    bytes && maskedText(readable(bytes, isRefused(status) ? REFUSED_BODY : Number.POSITIVE_INFINITY));
  const response = call.answered && maskedText(call.answered);
  const pastBound = isRefused(status) ? NO_BODIES : { request: knownFieldsOf(call), response };
  return { request, response, pastBound };
}

/** The fields that the operation knows, each in a bounded form: as it was sent, a plate may be mostly hyphens. */
function knownFieldsOf({ body }: Call): string | null {
  if (body === null) {
    return null;
  }
  return maskedText(JSON.stringify(body, boundedField));
}

function boundedField(name: string, value: unknown): unknown {
  if (typeof value !== 'string') {
    return value;
  }
  const text = (name === 'plate' ? normalizePlate(value) : null) ?? value;
  return [...text].slice(0, MAX_OF_A_FIELD).join('');
}

/** @returns null for a body that broke off, or that did not arrive in time */
async function bytesOf(call: Call, arriveWithinMs: number): Promise<Uint8Array | null> {
  try {
    const { bytes } = await withTimeout(arriveWithinMs, call.reading ?? readBody(call.request, REFUSED_BODY));
    return bytes;
  } catch {
    return null;
  }
}

/**
 * The first bytes as text that takes no more room. In a body that is not UTF-8 a question mark replaces each
 * unreadable byte, since U+FFFD would take three bytes for one.
 */
function readable(body: Uint8Array, maxBytes: number): string {
  const bytes = body.subarray(0, maxBytes);
  // A character that the cut splits is left out; the rest still counts as UTF-8.
  const options = { stream: bytes.byteLength === maxBytes };
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes, options);
  } catch {
    return new TextDecoder().decode(bytes, options).replaceAll('\uFFFD', '?');
  }
}
