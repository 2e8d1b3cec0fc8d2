import { isAscii, isUtf8 } from 'node:buffer';
import type { Text } from '../../../src/base/text/text.ts';
import { EXIT } from '../exit-codes.ts';
import { Stop, wrongUsage } from '../stop.ts';
import type { OpenedFile } from './chunks.ts';

/** Decodes the bytes of a file, in chunks of any length. */
export interface Decoder {
  /**
   * @param chunk null at the end
   * @throws Stop for bytes that are not in the encoding
   */
  decode(chunk: Uint8Array | null): string;
  /** Null while the text is ASCII, which is the same in every encoding. */
  readonly encoding: string | null;
}

/**
 * The decoder of a file.
 *
 * @param encoding null: UTF-8, or the encoding that the file shows, which is noted
 * @throws Stop for an encoding that is not known
 */
export function decoderOf(file: string, encoding: string | null, note: (text: Text) => void): Decoder {
  return encoding === null ? new FindingDecoder(file, note) : new StrictDecoder(encoding, file);
}

/**
 * Whether a file is UTF-8 without a byte order mark, or only ASCII. It reads as far as necessary; for a pipe,
 * which can be read only once, it is unknown.
 *
 * @throws Stop for bytes that are not in the encoding
 */
export async function isPlainUtf8(file: OpenedFile, encoding: string | null): Promise<boolean> {
  if (file.bytes === null) return false;
  const decoder = decoderOf(file.name, encoding, () => {});
  let isBeginning = true;
  for await (const chunk of file.chunks()) {
    if (isBeginning && chunk.subarray(0, UTF8_MARK.length).equals(UTF8_MARK)) return false;
    isBeginning = false;
    decoder.decode(chunk);
    if (decoder.encoding !== null) break;
  }
  return decoder.encoding === null || decoder.encoding === 'utf-8';
}

const UTF8_MARK = Buffer.from('\ufeff');

/** Refuses bytes that are not in the encoding. */
export class StrictDecoder implements Decoder {
  readonly #decoder: InstanceType<typeof TextDecoder>;
  readonly #encoding: string;
  readonly #file: string;

  /** @throws Stop for an encoding that is not known */
  constructor(encoding: string, file: string) {
    this.#encoding = encoding;
    this.#file = file;
    try {
      this.#decoder = new TextDecoder(encoding, { fatal: true });
    } catch {
      throw wrongUsage({
        en: `There is no encoding ${encoding}: use utf-8, windows-1252, …`,
        it: `Non c’è una codifica ${encoding}: indicare utf-8, windows-1252, …`,
      });
    }
  }

  get encoding(): string {
    return this.#decoder.encoding;
  }

  decode(chunk: Uint8Array | null): string {
    try {
      return chunk === null ? this.#decoder.decode() : this.#decoder.decode(chunk, { stream: true });
    } catch {
      throw this.#wrongEncoding();
    }
  }

  #wrongEncoding(): Stop {
    const [file, encoding] = [this.#file, this.#encoding];
    return new Stop(
      EXIT.refused,
      { en: `${file} is not in ${encoding}.`, it: `${file} non è in ${encoding}.` },
      {
        advice: {
          en: 'Files that Excel saved as CSV are often in another encoding: try --encoding windows-1252.',
          it: 'I file salvati da Excel come CSV hanno spesso un’altra codifica: provare --encoding windows-1252.',
        },
      },
    );
  }
}

/** The first character beyond ASCII decides: until then all these encodings read the same. */
class FindingDecoder implements Decoder {
  readonly #file: string;
  readonly #note: (text: Text) => void;
  #decoder: Decoder | null = null;
  /** The beginning of a character whose end is in the next chunk. */
  #held: Uint8Array = new Uint8Array();
  #isBeginning = true;

  constructor(file: string, note: (text: Text) => void) {
    this.#file = file;
    this.#note = note;
  }

  get encoding(): string | null {
    return this.#decoder?.encoding ?? null;
  }

  decode(chunk: Uint8Array | null): string {
    if (this.#decoder !== null) return this.#decoder.decode(chunk);
    const bytes = Buffer.concat(chunk === null ? [this.#held] : [this.#held, chunk]);
    this.#held = new Uint8Array();
    if (isAscii(bytes)) {
      if (bytes.length > 0) this.#isBeginning = false;
      return bytes.toString('latin1');
    }
    const encoding = encodingOf(bytes, this.#isBeginning, chunk === null);
    if (encoding === null) {
      this.#held = bytes;
      return '';
    }
    if (encoding !== 'utf-8') this.#note(FOUND[encoding](this.#file));
    this.#decoder = new StrictDecoder(encoding, this.#file);
    return this.#decoder.decode(bytes) + (chunk === null ? this.#decoder.decode(null) : '');
  }
}

type Found = 'utf-8' | 'windows-1252' | 'utf-16le' | 'utf-16be';

const MARKS = { fffe: 'utf-16le', feff: 'utf-16be' } as const;

/** By the first character beyond ASCII, or the mark that "Unicode text" of Excel begins with. Null: it is cut off. */
function encodingOf(bytes: Buffer, isBeginning: boolean, isEnd: boolean): Found | null {
  const at = bytes.findIndex((byte) => byte > 0x7f);
  const length = lengthOf(bytes[at] ?? 0);
  const character = bytes.subarray(at, at + length);
  if (character.length < length && !isEnd) return null;
  const mark = character.toString('hex');
  if (at === 0 && isBeginning && (mark === 'fffe' || mark === 'feff')) return MARKS[mark];
  return isUtf8(character) ? 'utf-8' : 'windows-1252';
}

/** The length of a UTF-8 character with this first byte; two for a mark. */
function lengthOf(lead: number): number {
  if (lead < 0xe0 || lead > 0xf7) return 2;
  return lead < 0xf0 ? 3 : 4;
}

const utf16 = (file: string): Text => ({
  en: `${file} is read as UTF-16: its first bytes say so.`,
  it: `${file} è letto come UTF-16, come indicano i suoi primi byte.`,
});

const FOUND: Readonly<Record<Exclude<Found, 'utf-8'>, (file: string) => Text>> = {
  'windows-1252': (file) => ({
    en: `${file} is read as Windows-1252: it is not UTF-8. If it is something else, pass --encoding NAME.`,
    it: `${file} è letto come Windows-1252: non è UTF-8. Se è altro, indicare --encoding NOME.`,
  }),
  'utf-16le': utf16,
  'utf-16be': utf16,
};
