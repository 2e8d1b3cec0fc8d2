import { once } from 'node:events';
import { createWriteStream, realpathSync, type WriteStream } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { wrongUsage } from '../stop.ts';
import type { RejectedRow } from './rejections.ts';

const OWNER_ONLY = 0o600;

/** How rejected rows are written: as a table that can be mended and imported again, or as lines of JSON. */
export type RejectedForm =
  | { readonly header: readonly string[]; readonly delimiter: string }
  | { readonly header: null };

/** The file of all rejected rows, each with its line and its reason. It holds plates: it is its owner's alone. */
export class RejectedFile {
  readonly #stream: WriteStream;
  readonly #name: string;
  #failure: Error | null = null;

  private constructor(name: string, stream: WriteStream) {
    this.#name = name;
    this.#stream = stream;
    stream.on('error', (error) => {
      this.#failure = error;
    });
  }

  /**
   * Empties what is there under this name.
   *
   * @param inputs the files that are imported: none of them is written over
   * @throws Stop when it cannot be written: before anything is sent
   */
  static async create(name: string, inputs: readonly string[]): Promise<RejectedFile> {
    if (inputs.some((input) => isSameFile(input, name))) throw isInput(name);
    const stream = createWriteStream(name, { mode: OWNER_ONLY });
    try {
      await once(stream, 'open');
      // A file of an earlier run keeps the mode that it had.
      await chmod(name, OWNER_ONLY);
    } catch {
      throw notWritable(name);
    }
    return new RejectedFile(name, stream);
  }

  /** The titles, in front of the file's own columns, so that the same mapping reads them again. */
  async begin(form: RejectedForm): Promise<void> {
    if (form.header === null) return;
    await this.#write(
      `${['line', 'code', 'message', ...form.header].map(quotedFor(form.delimiter)).join(form.delimiter)}\n`,
    );
  }

  async add(file: string, rows: readonly RejectedRow[], form: RejectedForm): Promise<void> {
    if (rows.length === 0) return;
    await this.#write(`${rows.map((row) => textOf(file, row, form)).join('\n')}\n`);
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#stream.end(resolve));
    if (this.#failure !== null) throw notWritable(this.#name);
  }

  async #write(text: string): Promise<void> {
    if (this.#failure !== null) throw notWritable(this.#name);
    if (!this.#stream.write(text)) await once(this.#stream, 'drain').catch(() => {});
  }
}

function textOf(file: string, { row, code, message }: RejectedRow, form: RejectedForm): string {
  const { number, source } = row;
  if (form.header === null) {
    return JSON.stringify({ file, line: number, code, message, source });
  }
  const cells = typeof source === 'string' ? [source] : source;
  return [String(number), code, message, ...cells].map(quotedFor(form.delimiter)).join(form.delimiter);
}

const quotedFor =
  (delimiter: string) =>
  (cell: string): string =>
    cell.includes('"') || cell.includes(delimiter) || /[\r\n]/.test(cell)
      ? `"${cell.replaceAll('"', '""')}"`
      : cell;

/** Also by another path, or through a link. */
function isSameFile(a: string, b: string): boolean {
  try {
    return realpathSync(a) === realpathSync(b);
  } catch {
    // One of them is not there.
    return false;
  }
}

const isInput = (name: string) =>
  wrongUsage({
    en: `${name} is imported itself: rejected lines need another file. Nothing was sent.`,
    it: `${name} è il file da importare: per le righe rifiutate ne serve un altro. Nulla è stato inviato.`,
  });

const notWritable = (name: string) =>
  wrongUsage({ en: `${name} cannot be written.`, it: `${name} non è scrivibile.` });
