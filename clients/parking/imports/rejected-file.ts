import { once } from 'node:events';
import { createWriteStream, realpathSync, type WriteStream } from 'node:fs';
import { chmod, stat } from 'node:fs/promises';
import { MARK, REJECTED_TITLES, rejectedRow } from '../../tables/index.ts';
import { EXIT } from '../exit-codes.ts';
import { Stop, wrongUsage } from '../stop.ts';
import { keyOf, type NamedBefore, type RejectedForm, readNamedBefore } from './named-before.ts';
import type { RejectedRow } from './rejections.ts';

const OWNER_ONLY = 0o600;

/**
 * The file of all rejected rows, each with its line and its reason. It holds plates, so only its owner can
 * read it. Rows of an earlier run stay, and are not written twice: after an import that was stopped at any
 * moment and run again, each row is named once.
 */
export class RejectedFile {
  readonly #stream: WriteStream;
  readonly #name: string;
  #named: NamedBefore | null = null;
  #hasBegun = false;
  #failure: Error | null = null;

  private constructor(name: string, stream: WriteStream) {
    this.#name = name;
    this.#stream = stream;
    stream.on('error', (error) => {
      this.#failure = error;
    });
  }

  /**
   * @param inputs the files that are imported: none of them is written over
   * @throws Stop when it cannot be written, before anything is sent
   */
  static async open(name: string, inputs: readonly string[]): Promise<RejectedFile> {
    if (inputs.some((input) => isSameFile(input, name))) throw isInput(name);
    if (name.toLowerCase().endsWith('.xlsx')) throw isWorkbook(name);
    const stream = createWriteStream(name, { flags: 'a', mode: OWNER_ONLY });
    try {
      await once(stream, 'open');
      // A file of an earlier run keeps the mode that it had. A device or a pipe is not ours to change.
      if ((await stat(name)).isFile()) await chmod(name, OWNER_ONLY);
    } catch {
      throw notWritable(name);
    }
    return new RejectedFile(name, stream);
  }

  /**
   * Reads the rows of an earlier run, or writes the titles into an empty file: they come before the file's
   * own columns, so that the same mapping reads them again.
   *
   * @throws Stop when they cannot be written, or the file is another one, before anything is sent
   */
  async begin(form: RejectedForm): Promise<void> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const titles = form.header === null ? [] : [...REJECTED_TITLES, ...form.header];
    if ((await stat(this.#name)).isFile()) this.#named = await readNamedBefore(this.#name, titles, form);
    if (form.header === null || this.#named !== null) return;
    await this.#write(`${form.isMarked ? MARK : ''}${rejectedRow(titles, form.delimiter)}\n`).catch(() => {
      throw notWritable(this.#name);
    });
  }

  async add(file: string, rows: readonly RejectedRow[], form: RejectedForm): Promise<void> {
    const missing = rows
      .map((row) => writtenOf(file, row, form))
      .filter(({ key }) => !this.#named?.has(key))
      .map(({ text }) => `${text}\n`);
    if (missing.length > 0) await this.#write(missing.join(''));
  }

  /** @throws Stop when the file is incomplete */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#stream.end(resolve));
    if (this.#failure !== null) throw notWritten(this.#name, this.#failure);
  }

  /** @throws Stop at once, so that no further line is sent whose rejection would be lost */
  async #write(text: string): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#stream.write(text, (error) => {
        this.#failure ??= error ?? null;
        resolve();
      });
    });
    if (this.#failure !== null) throw notWritten(this.#name, this.#failure);
  }
}

/** The text of a rejected row, and its key in the file. */
function writtenOf(
  file: string,
  { row: { number }, written, code, message }: RejectedRow,
  form: RejectedForm,
): { readonly text: string; readonly key: string } {
  if (form.header === null) {
    const text = JSON.stringify({ file, line: number, code, message, source: written });
    return { text, key: keyOf(text) };
  }
  const cells = [String(number), code, message, ...(typeof written === 'string' ? [written] : written)];
  return { text: rejectedRow(cells, form.delimiter), key: keyOf(cells) };
}

/** Even by another path, or through a link. */
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
    en: `${name} is being imported: choose another file for the rejected lines. Nothing was sent.`,
    it: `${name} è il file da importare: per le righe rifiutate ne serve un altro. Nulla è stato inviato.`,
  });

const isWorkbook = (name: string) =>
  wrongUsage({
    en: `Rejected rows are written as CSV: ${name} would be no workbook. Give it a name that ends with .csv.`,
    it: `Le righe rifiutate sono scritte in CSV: ${name} non sarebbe una cartella Excel. Indicare un nome che finisce con .csv.`,
  });

const notWritable = (name: string) =>
  wrongUsage({ en: `${name} cannot be written.`, it: `${name} non è scrivibile.` });

/** A full disk or a lost network drive: lines have been sent by now. */
const notWritten = (name: string, { message }: Error): Stop =>
  new Stop(
    EXIT.refused,
    {
      en: `Not all rejected lines are in ${name}, which cannot be written any more: ${message}`,
      it: `Non tutte le righe rifiutate sono in ${name}, che non è più scrivibile: ${message}`,
    },
    {
      advice: {
        en: 'The lines counted above are stored. Make room, or name another file, and run the same command again: it does no harm.',
        it: 'Quanto indicato sopra è salvato. Liberare spazio, o indicare un altro file, e ripetere lo stesso comando: non fa danni.',
      },
    },
  );
