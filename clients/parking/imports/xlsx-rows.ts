import { EXIT } from '../exit-codes.ts';
import { Stop, wrongUsage } from '../stop.ts';
import type { OpenedFile } from './chunks.ts';
import type { Trouble } from './kinds.ts';
import type { Row } from './rows.ts';
import { MAX_UNPACKED_BYTES, unpackedBytes, valuelessCells } from './workbook.ts';

/** A sheet of a workbook, opened. */
export interface XlsxTable {
  readonly header: readonly string[];
  /** The delimiter of the file for rejected rows: the one that Excel uses where numbers have commas. */
  readonly delimiter: string;
  rows(): AsyncIterable<Row>;
  /** What is wrong with the cells of a row, before anybody reads them. */
  troubleOf(row: Row): Trouble | null;
}

type Cell = string | number | boolean | Date | null;

/**
 * Opens a sheet of an Excel workbook. It is read as a whole, and so it may not be as large as a table may.
 *
 * @param sheet null: the first one
 * @throws Stop for what is not a workbook, is too large, or has no such sheet
 */
export async function openXlsx(file: OpenedFile, sheet: string | null): Promise<XlsxTable> {
  const archive = await wholeFile(file);
  const rows = await cellsOf(archive, file.name, sheet);
  const valueless = valuelessCells(archive, sheet);
  const first = rows.findIndex((cells) => !isBlank(cells));
  if (first === -1) throw emptySheet(file.name);
  const header = withoutBlankEnd((rows[first] ?? []).map(textOf));
  return {
    header,
    delimiter: ';',
    async *rows() {
      for (const [at, cells] of rows.entries()) {
        if (at <= first || isBlank(cells)) continue;
        const texts = withoutBlankEnd(cells.map(textOf));
        const source = [...texts, ...Array(Math.max(0, header.length - texts.length)).fill('')];
        yield { number: at + 1, bytesRead: Math.round((archive.length * (at + 1)) / rows.length), source };
      }
    },
    troubleOf: ({ number }) => {
      const cell = valueless.get(number);
      return cell === undefined ? null : withoutValue(cell);
    },
  };
}

async function cellsOf(
  archive: Uint8Array<ArrayBuffer>,
  name: string,
  sheet: string | null,
): Promise<readonly (readonly Cell[])[]> {
  const { readSheet, SheetNotFoundError } = await import('read-excel-file/universal');
  try {
    const rows = await readSheet(archive.buffer, sheet ?? 1);
    // Its types call a date the class of dates.
    return rows as unknown as readonly (readonly Cell[])[];
  } catch (error) {
    throw error instanceof SheetNotFoundError ? noSheet(name, error.message) : noWorkbook(name);
  }
}

/** @throws Stop for one that would take too much memory, before it is unpacked */
async function wholeFile(file: OpenedFile): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of file.chunks()) {
    bytes += chunk.length;
    if (bytes > MAX_UNPACKED_BYTES) throw tooLarge(file.name);
    chunks.push(chunk);
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  if (unpackedOf(whole, file.name) > MAX_UNPACKED_BYTES) throw tooLarge(file.name);
  return whole;
}

function unpackedOf(archive: Uint8Array, name: string): number {
  try {
    return unpackedBytes(archive);
  } catch {
    throw noWorkbook(name);
  }
}

const isBlank = (cells: readonly Cell[]): boolean => cells.every((cell) => textOf(cell) === '');

function withoutBlankEnd(texts: readonly string[]): string[] {
  return texts.slice(0, texts.findLastIndex((text) => text !== '') + 1);
}

/** A cell as the same table in CSV would have it: a date as clocks show it, a time of day alone, a bare date. */
function textOf(cell: Cell): string {
  if (cell === null) return '';
  if (!(cell instanceof Date)) return String(cell).trim();
  const [date = '', time = ''] = cell.toISOString().slice(0, 19).split('T');
  // Excel counts days from 1900, or 1904: before them there are times alone.
  if (cell.getUTCFullYear() < 1905) return time;
  return time === '00:00:00' ? date : `${date} ${time}`;
}

const withoutValue = (cell: string): Trouble => ({
  code: 'INVALID_REQUEST',
  message: {
    en: `the cell ${cell} has no value: correct it, or save the workbook in Excel, which calculates it`,
    it: `la cella ${cell} non ha un valore: correggerla, o salvare la cartella in Excel, che la calcola`,
  },
});

const noWorkbook = (name: string) =>
  wrongUsage({
    en: `${name} cannot be read as an Excel workbook (.xlsx).`,
    it: `${name} non è leggibile come cartella di lavoro Excel (.xlsx).`,
  });

const tooLarge = (name: string) =>
  new Stop(EXIT.usage, {
    en: `${name} is too large to be read as a workbook: save its sheet as CSV, which is read in parts.`,
    it: `${name} è troppo grande per essere letto come cartella: salvare il foglio in CSV, che viene letto a parti.`,
  });

/** @param why the library's own words, which name the sheets that there are */
const noSheet = (name: string, why: string) => wrongUsage({ en: `${name}: ${why}`, it: `${name}: ${why}` });

const emptySheet = (name: string) =>
  wrongUsage({
    en: `${name} is empty: the first row of its sheet has to name the columns.`,
    it: `${name} è vuoto: la prima riga del foglio deve nominare le colonne.`,
  });
