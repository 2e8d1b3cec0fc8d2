import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { EXIT } from '../exit-codes.ts';
import { Stop, wrongUsage } from '../stop.ts';

/** Stands for standard input. */
export const STANDARD_INPUT = '-';

/** A file, its bytes so far unread. */
export interface OpenedFile {
  readonly name: string;
  /** Null where it is not known before the end. */
  readonly bytes: number | null;
  chunks(): AsyncIterable<Buffer>;
}

/**
 * Looks at a file that is to be read.
 *
 * @throws Stop when it is not there
 */
export function openFile(name: string, stdin: Readable): OpenedFile {
  if (name === STANDARD_INPUT) return { name, bytes: null, chunks: () => stdin };
  try {
    const { size } = statSync(name);
    return { name, bytes: size, chunks: () => createReadStream(name) };
  } catch {
    throw wrongUsage({
      en: `There is no file ${name} that can be read.`,
      it: `Non c’è un file ${name} leggibile.`,
    });
  }
}

/** Refuses bytes that are not in the encoding, wherever chunks are cut. */
export class Decoder {
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
        en: `There is no encoding ${encoding}: say utf-8, windows-1252, …`,
        it: `Non c’è una codifica ${encoding}: indicare utf-8, windows-1252, …`,
      });
    }
  }

  /** @param chunk null at the end */
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
