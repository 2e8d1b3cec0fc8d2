import type * as z from 'zod';
import { type Issue, refuse } from '../../base/errors/refusal.ts';
import { TimeoutError } from '../../base/platform/deadline.ts';
import type { Text } from '../../base/text/text.ts';
import { tooLarge } from '../../serving/http/body.ts';
import { issuesOf } from '../../serving/http/validation.ts';
import type { LineCode, RejectedLines } from './rejected-lines.ts';

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
const MAX_LINE_BYTES = 256 * 1024;
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
 * The lines of a body in UTF-8, as its pieces arrive. The last one needs no line feed.
 *
 * @param ms the time for all lines
 * @throws Refusal `INVALID_JSON` where the body breaks off or is no UTF-8, `PAYLOAD_TOO_LARGE`; after the lines before that
 * @throws TimeoutError
 */
export async function* linesOf(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  ms: number,
): AsyncGenerator<Iterable<Line>> {
  if (body === null) return;
  const reader = body.getReader();
  let isLate = false;
  // One timer for all pieces: the runtime cuts a body into thousands.
  const timer = setTimeout(() => {
    isLate = true;
    reader.cancel().catch(() => {});
  }, ms);
  const cut = new LineCutter();
  let left = maxBytes;
  try {
    for (let isOver = false; !isOver; ) {
      // A body that is cancelled ends, or breaks off.
      const piece = await reader.read().catch(() => null);
      if (isLate) throw new TimeoutError(`not all lines were read within ${ms} ms`);
      const { done, value } = piece ?? refuse('INVALID_JSON', { message: BROKEN_OFF });
      isOver = done;
      // After the last line, which may have none, one more line feed is a blank line.
      yield cut.linesIn(value?.subarray(0, left) ?? Uint8Array.of(LINE_FEED));
      left -= value?.length ?? 0;
      if (left < 0) refuse(tooLarge(maxBytes));
    }
  } finally {
    clearTimeout(timer);
    // A client that is still sending gets its answer.
    await reader.cancel().catch(() => {});
  }
}

/** Cuts pieces of bytes, which end anywhere, into lines. */
class LineCutter {
  #number = 0;
  #rest = new Uint8Array();

  *linesIn(piece: Uint8Array): Generator<Line> {
    const bytes = new Uint8Array(this.#rest.length + piece.length);
    bytes.set(this.#rest);
    bytes.set(piece, this.#rest.length);
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      this.#number += 1;
      const length = end - from;
      const text = textIn(bytes.subarray(from, end));
      from = end + 1;
      if (text !== '' || length > MAX_LINE_BYTES) yield { number: this.#number, text, bytes: length };
    }
    // Of a line that is too long no more is kept than shows it.
    this.#rest = bytes.subarray(from, from + MAX_LINE_BYTES + 1);
  }
}

/** Blank lines may come by the million: an empty one is not decoded, and neither is one that is too long. */
function textIn(line: Uint8Array): string {
  if (line.length === 0 || line.length > MAX_LINE_BYTES) return '';
  try {
    return decoder.decode(line).trim();
  } catch {
    refuse('INVALID_JSON', { message: NO_UTF8 });
  }
}

/** The texts about a field that has the right form and a wrong value. */
const VALUE_TEXTS = {
  INVALID_PLATE: {
    en: 'it is blank, too long, or has a character that no plate can have',
    it: 'è vuota, troppo lunga, o contiene un carattere che nessuna targa può avere',
  },
  AREA_NOT_FOUND: {
    en: 'the municipality has no area with this code',
    it: 'il comune non ha aree con questo codice',
  },
  SUBSCRIPTION_TYPE_NOT_FOUND: {
    en: 'the municipality has no subscription type with this code',
    it: 'il comune non ha tipi di abbonamento con questo codice',
  },
} as const satisfies Partial<Record<LineCode, Text>>;
type ValueCode = keyof typeof VALUE_TEXTS;

const ofLine = (message: Text): readonly Issue[] => [{ path: '', message }];
const NO_JSON_OBJECT = ofLine({ en: 'the line is not a JSON object', it: 'la riga non è un oggetto JSON' });
const TOO_LONG = ofLine({ en: 'the line is too long', it: 'la riga è troppo lunga' });

/** Returns the value of a field. Without one the line is rejected, and what is made of it is thrown away. */
type Known = <T>(value: T | null | undefined, code: ValueCode, path: string) => T;

/** Reads a line by its schema; null if it is rejected. */
export function readLine<Fields, Row>(
  schema: z.ZodType<Fields>,
  line: Line,
  rejected: RejectedLines,
  rowOf: (fields: Fields, known: Known) => Row,
): Row | null {
  const { number, text, bytes } = line;
  if (bytes > MAX_LINE_BYTES) return rejected.add(number, null, 'INVALID_REQUEST', () => TOO_LONG);
  const value = objectIn(text);
  if (value === null) return rejected.add(number, null, 'INVALID_JSON', () => NO_JSON_OBJECT);
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    return rejected.add(number, value, 'INVALID_REQUEST', () => issuesOf(parsed.error.issues));
  }
  const wrong: (Issue & { readonly code: ValueCode })[] = [];
  const row = rowOf(parsed.data, (found, code, path) => {
    if (found === null || found === undefined) wrong.push({ code, path, message: VALUE_TEXTS[code] });
    return found as NonNullable<typeof found>;
  });
  const [first] = wrong;
  return first === undefined ? row : rejected.add(number, value, first.code, () => wrong);
}

/** Parses a line as an object; null if it is no JSON, or no object. */
function objectIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
