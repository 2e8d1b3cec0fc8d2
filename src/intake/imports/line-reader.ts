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
  if (body === null) return;
  const reader = body.getReader();
  let [number, left] = [0, maxBytes];
  let rest = new Uint8Array();
  try {
    for (let isOver = false; !isOver; ) {
      const { done, value } = await withTimeout(msLeft(), readOf(reader));
      isOver = done;
      // Behind the last line, which may have none, a line feed more is a blank line.
      rest = joined(rest, value?.subarray(0, left) ?? Uint8Array.of(LINE_FEED));
      let from = 0;
      for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED, from)) {
        number += 1;
        const bytes = end - from;
        const text = textIn(rest.subarray(from, end));
        if (text !== '' || bytes > MAX_LINE_BYTES) yield { number, text, bytes };
        from = end + 1;
      }
      // Of a line that is too long no more is kept than shows it.
      rest = rest.subarray(from, from + MAX_LINE_BYTES + 1);
      left -= value?.length ?? 0;
      if (left < 0) refuse(tooLarge(maxBytes));
    }
  } finally {
    // A client that is still sending gets its answer.
    await reader.cancel().catch(() => {});
  }
}

const readOf = (reader: ReadableStreamDefaultReader<Uint8Array>) =>
  reader.read().catch(() => refuse('INVALID_JSON', { message: BROKEN_OFF }));

/** Blank lines may come by the million: an empty one is not decoded, and neither is one that is too long. */
function textIn(line: Uint8Array): string {
  if (line.length === 0 || line.length > MAX_LINE_BYTES) return '';
  try {
    return decoder.decode(line).trim();
  } catch {
    refuse('INVALID_JSON', { message: NO_UTF8 });
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(one.length + other.length);
  whole.set(one);
  whole.set(other, one.length);
  return whole;
}
