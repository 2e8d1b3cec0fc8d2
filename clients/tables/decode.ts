import type { Text } from '../../src/base/text/text.ts';
import type { TableFile } from './table.ts';
import { TableError } from './table-error.ts';

/** Node and browsers declare it differently. */
type Decoder = InstanceType<typeof TextDecoder>;

/** Decodes the bytes of a file, in chunks of any length. */
export class TextReader {
  readonly #file: string;
  readonly #note: (text: Text) => void;
  #decoder: Decoder | null = null;
  /** The beginning of a character whose end is in the next chunk. */
  #held = new Uint8Array();

  /**
   * @param encoding null: UTF-8, else Windows-1252, which is noted
   * @throws TableError for an encoding that is not known
   */
  constructor(file: string, encoding: string | null, note: (text: Text) => void) {
    this.#file = file;
    this.#note = note;
    if (encoding === null) return;
    try {
      this.#decoder = new TextDecoder(encoding, { fatal: true });
    } catch {
      throw new TableError('unknown_encoding', {
        en: `There is no encoding ${encoding}: use utf-8, windows-1252, …`,
        it: `Non c’è una codifica ${encoding}: indicare utf-8, windows-1252, …`,
      });
    }
  }

  /**
   * @param chunk null at the end
   * @throws TableError for bytes that are not in the encoding
   */
  read(chunk: Uint8Array | null): string {
    if (this.#decoder !== null) return this.#decoded(this.#decoder, chunk);
    const bytes = joined(this.#held, chunk ?? new Uint8Array());
    this.#held = new Uint8Array();
    const at = bytes.findIndex((byte) => byte > 0x7f);
    if (at === -1) return new TextDecoder().decode(bytes);
    // The first character beyond ASCII decides: until then both encodings read the same.
    const length = lengthOf(bytes[at] ?? 0);
    const character = bytes.subarray(at, at + length);
    if (character.length < length && chunk !== null) {
      this.#held = bytes;
      return '';
    }
    const encoding = isUtf8(character) ? 'utf-8' : 'windows-1252';
    if (encoding !== 'utf-8') this.#note(windows1252(this.#file));
    const decoder = new TextDecoder(encoding, { fatal: true });
    this.#decoder = decoder;
    return this.#decoded(decoder, bytes) + (chunk === null ? this.#decoded(decoder, null) : '');
  }

  #decoded(decoder: Decoder, chunk: Uint8Array | null): string {
    try {
      return chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw new TableError('encoding', {
        en: `${this.#file} is not in ${decoder.encoding}.`,
        it: `${this.#file} non è in ${decoder.encoding}.`,
      });
    }
  }
}

/** A line of a text file. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Bytes of the file that have been read. */
  readonly bytesRead: number;
  readonly text: string;
}

/** A carriage return at the end of a chunk may have its line feed in the next one. */
const LINE_END = /\r\n|\n|\r(?!$)/;

/**
 * The lines of a file, blank ones too. A line that never ends must not fill the memory: of a longer one the beginning is
 * enough to refuse it.
 */
export async function* linesOf(
  file: TableFile,
  reader: TextReader,
  maxCharacters: number,
  end = LINE_END,
): AsyncGenerator<Line, void, void> {
  let [number, bytesRead, rest] = [0, 0, ''];
  const line = (text: string): Line => {
    number += 1;
    return { number, bytesRead, text };
  };
  for await (const chunk of file.chunks()) {
    bytesRead += chunk.length;
    const texts = (rest + reader.read(chunk)).split(end);
    rest = (texts.pop() ?? '').slice(0, maxCharacters + 1);
    for (const text of texts) yield line(text);
  }
  const last = (rest + reader.read(null)).replace(/\r$/, '');
  for (const text of last.split(end)) if (text !== '') yield line(text);
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}

function isUtf8(character: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(character);
    return true;
  } catch {
    return false;
  }
}

/** The length of a UTF-8 character with this first byte. */
function lengthOf(lead: number): number {
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

const windows1252 = (file: string): Text => ({
  en: `${file} is read as Windows-1252: it is not UTF-8. If it is something else, name its encoding.`,
  it: `${file} è letto come Windows-1252: non è UTF-8. Se è altro, indicare la codifica.`,
});
