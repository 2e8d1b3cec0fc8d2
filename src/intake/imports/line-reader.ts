import { refuse } from '../../base/errors/refusal.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import { tooLarge } from '../../serving/http/body.ts';

const BROKEN_OFF = {
  en: 'The body broke off: send the file again.',
  it: 'Il corpo della richiesta si è interrotto: reinviare il file.',
};
const NO_UTF8 = {
  en: 'A line is not in UTF-8: correct the file and send it again.',
  it: 'Una riga non è in UTF-8: correggere il file e reinviarlo.',
};

const LINE_FEED = 0x0a;
/** A longer line is rejected, and nothing of it is kept. */
export const MAX_LINE_BYTES = 256 * 1024;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** A line that is not blank. */
export interface Line {
  /** From 1, blank lines counted. */
  readonly number: number;
  /** Empty where the line is too long. */
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
  // What has arrived of a line, and how many of its bytes are not kept.
  let [rest, lost]: [Uint8Array, number] = [new Uint8Array(), 0];
  try {
    for (let isOver = reader === undefined; !isOver; ) {
      const { done, value = new Uint8Array() } = await withTimeout(msLeft(), readOf(reader));
      isOver = done;
      const known = rest.length;
      rest = joined(rest, value.subarray(0, left));
      let from = 0;
      // The last line may end without a line feed.
      const endOfLine = (searched: number) => {
        const feed = rest.indexOf(LINE_FEED, searched);
        return feed === -1 && done && (from < rest.length || lost > 0) ? rest.length : feed;
      };
      for (let end = endOfLine(known); end !== -1; end = endOfLine(from)) {
        number += 1;
        const bytes = lost + end - from;
        const text = bytes > MAX_LINE_BYTES ? '' : textIn(rest.subarray(from, end)).trim();
        if (text !== '' || bytes > MAX_LINE_BYTES) yield { number, text, bytes };
        [from, lost] = [end + 1, 0];
      }
      rest = rest.subarray(from);
      if (rest.length > MAX_LINE_BYTES) [rest, lost] = [new Uint8Array(), lost + rest.length];
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
  (await reader?.read().catch(() => refuse('INVALID_JSON', { message: BROKEN_OFF }))) ?? {
    done: true,
    value: undefined,
  };

/** Blank lines may come by the million: an empty one is not decoded. */
function textIn(line: Uint8Array): string {
  if (line.length === 0) return '';
  try {
    return decoder.decode(line);
  } catch {
    refuse('INVALID_JSON', { message: NO_UTF8 });
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const whole = new Uint8Array(one.length + other.length);
  whole.set(one);
  whole.set(other, one.length);
  return whole;
}
