import { refuse } from '../../base/errors/refusal.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import { tooLarge } from '../../serving/http/body.ts';

const LINE_FEED = 0x0a;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** A line that is not blank. */
export interface Line {
  /** From 1, blank lines counted. */
  readonly number: number;
  readonly text: string;
  readonly bytes: number;
}

/**
 * The lines of a body in UTF-8, as they arrive. The last one needs no line feed.
 *
 * @param msLeft the time that the import still has
 * @throws Refusal `INVALID_JSON` where the body breaks off or is no UTF-8, `PAYLOAD_TOO_LARGE`; behind the lines before that
 */
export async function* linesOf(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  msLeft: () => number,
): AsyncGenerator<Line> {
  const reader = body?.getReader();
  let [number, left] = [0, maxBytes];
  let rest: Uint8Array = new Uint8Array();
  try {
    for (let isOver = reader === undefined; !isOver; ) {
      const { done, value = new Uint8Array() } = await withTimeout(msLeft(), readOf(reader));
      isOver = done;
      rest = joined(rest, value.subarray(0, left));
      let from = 0;
      for (let end = endOfLine(rest, 0, done); end !== -1; end = endOfLine(rest, from, done)) {
        number += 1;
        const text = textIn(rest.subarray(from, end)).trim();
        if (text !== '') yield { number, text, bytes: end - from };
        from = end + 1;
      }
      rest = rest.subarray(from);
      left -= value.length;
      if (left < 0) refuse(tooLarge(maxBytes));
    }
  } finally {
    // A client that is still sending gets its answer.
    await reader?.cancel().catch(() => {});
  }
}

/** The next bytes of a body; none behind its end. */
const readOf = async (reader: ReadableStreamDefaultReader<Uint8Array> | undefined) =>
  (await reader?.read().catch(() => refuse('INVALID_JSON'))) ?? { done: true, value: undefined };

/** The position behind the line that begins at a byte; -1: it is not whole yet. */
function endOfLine(bytes: Uint8Array, from: number, isLast: boolean): number {
  const feed = bytes.indexOf(LINE_FEED, from);
  return feed === -1 && isLast && from < bytes.length ? bytes.length : feed;
}

function textIn(line: Uint8Array): string {
  try {
    return decoder.decode(line);
  } catch {
    refuse('INVALID_JSON');
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const whole = new Uint8Array(one.length + other.length);
  whole.set(one);
  whole.set(other, one.length);
  return whole;
}
