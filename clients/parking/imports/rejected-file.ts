import {
  closeSync,
  fchmodSync,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs';
import { isRejectedTable, MARK, REJECTED_TITLES, rejectedRow } from '../../tables/index.ts';
import { OWNER_ONLY } from '../own-file.ts';
import { EXIT, Stop, wrongUsage } from '../stop.ts';
import type { Source, SourceRow } from './source.ts';

/** The key of each line of JSON that names a rejected row. */
const JSON_BEGINS = '{"file":';

/** A rejected row, and the reason. */
export interface RejectedRow {
  readonly row: SourceRow;
  readonly code: string;
  readonly message: string;
}

/**
 * The file of the rejected rows, each with its line and its reason: a table that can be corrected and imported again,
 * or lines of JSON. It holds plates, so only its owner can read it. It replaces that of an earlier run.
 */
export class RejectedFile {
  readonly #name: string;
  readonly #handle: number;
  readonly #table: Source['table'];

  /**
   * @param inputs the files that are imported: none of them is written over
   * @param table null: lines of JSON
   * @throws Stop when it cannot be written, or is another file, before anything is sent
   */
  constructor(name: string, inputs: readonly string[], table: Source['table']) {
    const isInput = inputs.some((input) => isSameFile(input, name));
    if (isInput || !isOurs(name)) {
      const what = isInput
        ? 'is being imported'
        : 'is there already, and holds something else than rejected lines';
      throw wrongUsage(`${name} ${what}: name another file for the rejected lines. Nothing was sent.`);
    }
    if (name.toLowerCase().endsWith('.xlsx')) {
      throw wrongUsage(
        `Rejected rows are written as CSV: ${name} would be no workbook. Give it a name that ends with .csv.`,
      );
    }
    this.#name = name;
    this.#table = table;
    try {
      this.#handle = openSync(name, 'w', OWNER_ONLY);
      // A file of an earlier run keeps the mode that it had. A device or a pipe is not ours to change.
      if (fstatSync(this.#handle).isFile()) fchmodSync(this.#handle, OWNER_ONLY);
    } catch {
      throw wrongUsage(`${name} cannot be written.`);
    }
    // The titles come before the table's own columns, so that the same mapping reads them again.
    if (table !== null) {
      this.#write(`${MARK}${rejectedRow([...REJECTED_TITLES, ...table.header], table.delimiter)}\n`);
    }
  }

  /** @throws Stop if it cannot be written any more */
  add(file: string, rows: readonly RejectedRow[]): void {
    if (rows.length === 0) return;
    this.#write(rows.map((row) => `${this.#textOf(file, row)}\n`).join(''));
  }

  close(): void {
    closeSync(this.#handle);
  }

  #textOf(file: string, { row: { number, written }, code, message }: RejectedRow): string {
    if (this.#table === null) return JSON.stringify({ file, line: number, code, message, source: written });
    return rejectedRow([String(number), code, message, ...[written].flat()], this.#table.delimiter);
  }

  #write(text: string): void {
    try {
      writeSync(this.#handle, text);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      // A full disk, or a lost network drive: lines may have been sent by now.
      throw new Stop(
        EXIT.refused,
        `Not all rejected lines are in ${this.#name}, which cannot be written any more: ${why}`,
        {
          advice:
            'Make room, or name another file, and run the same command again: stored lines count as unchanged.',
        },
      );
    }
  }
}

/** Whether a file is not there, is empty, or holds rejected rows. A device or a pipe is anybody's. */
function isOurs(name: string): boolean {
  try {
    if (!statSync(name).isFile()) return true;
    const text = readFileSync(name, 'utf8').replace(MARK, '');
    return text === '' || text.startsWith(JSON_BEGINS) || isRejectedTable(text.split(/[;,|\t]/, 3));
  } catch {
    return true;
  }
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
