import { unzipSync, zipSync } from 'fflate';
import { readSheet, SheetNotFoundError } from 'read-excel-file/universal';
import type { Text } from '../../src/base/text/text.ts';
import { MARKS, markedSheet, TooFarOut } from './sheet-marks.ts';
import type { CellKind, Table, TableFile, TableRow } from './table.ts';
import { TableError } from './table-error.ts';

/** The library holds each part of a workbook in memory, unpacked. Save a larger table as CSV, which is read in parts. */
const MAX_BYTES = 20 * 1_024 * 1_024;
const MAX_UNPACKED_BYTES = 200 * 1_024 * 1_024;

/** The most columns of a table. */
const MAX_COLUMNS = 256;
const MAX_SHOWN = 20;

const DAY_MS = 86_400_000;
/** Days are counted from here, or from 1904. */
const FIRST_DAY = Date.UTC(1899, 11, 30);
const FIRST_DAY_1904 = Date.UTC(1904, 0, 1);

/**
 * Opens a sheet of an Excel workbook.
 *
 * @param sheet null: the first one
 * @param headerRow the titles are in this row, or in the first one below it that is not blank
 * @throws TableError if it is not a workbook, is too large, or has no such sheet
 */
export async function openWorkbook(file: TableFile, sheet: string | null, headerRow = 1): Promise<Table> {
  const bytes = await wholeFile(file);
  const rows = (await cellsOf(file.name, bytes, sheet))
    .map((cells, index) => ({ number: index + 1, cells }))
    .filter(({ number, cells }) => number >= headerRow && cells.some((cell) => cell !== null));
  const [first, ...others] = rows;
  if (first === undefined) throw emptySheet(file.name);
  const width = first.cells.findLastIndex((cell) => cell !== null) + 1;
  if (width > MAX_COLUMNS) throw tooWide(file.name, addressOf(width - 1, first.number), width);
  return {
    header: rowOf(first.number, first.cells, width, 0).source,
    delimiter: ';',
    async *rows() {
      for (const [index, { number, cells }] of others.entries()) {
        yield rowOf(number, cells, width, Math.round((bytes.length * (index + 1)) / others.length));
      }
    },
  };
}

/** A number as the workbook has it. */
class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Cell = string | boolean | Digits | Date | null;

async function cellsOf(name: string, bytes: Uint8Array, sheet: string | null): Promise<readonly Cell[][]> {
  try {
    const options = { parseNumber: (digits: string) => new Digits(digits) };
    const marked = markedWorkbook(name, bytes);
    const data = sheet === null ? await readSheet(marked, options) : await readSheet(marked, sheet, options);
    // A sheet that is a chart has no cells. The declared type of a date is that of its class.
    return (data ?? []) as readonly Cell[][];
  } catch (error) {
    if (error instanceof TableError) throw error;
    if (error instanceof TooFarOut) throw tooFarOut(name, error.message);
    if (error instanceof SheetNotFoundError) throw noSheet(name, error.message);
    throw noWorkbook(name);
  }
}

/**
 * The workbook with its cells marked, and stored without compression: the library would start a worker to unpack it,
 * which a page's policy forbids.
 *
 * @throws TableError before it is unpacked, if its directory promises too much
 */
function markedWorkbook(name: string, bytes: Uint8Array): ArrayBuffer {
  let promised = 0;
  unzipSync(bytes, {
    filter({ originalSize }) {
      promised += originalSize;
      return false;
    },
  });
  if (promised > MAX_UNPACKED_BYTES) throw tooLarge(name);
  const parts = unzipSync(bytes, { filter: (part) => /\.(?:xml|rels)$/.test(part.name) });
  for (const [path, part] of Object.entries(parts)) {
    const xml = new TextDecoder().decode(part);
    // The library would take such a text for an empty cell. Spreadsheets write none.
    if (xml.includes('<![CDATA[')) throw noWorkbook(name);
    if (/<(?:\w+:)?sheetData/.test(xml)) parts[path] = new TextEncoder().encode(markedSheet(xml));
    // The library knows only the number.
    else if (path === 'xl/workbook.xml') {
      parts[path] = new TextEncoder().encode(xml.replace('date1904="true"', 'date1904="1"'));
    }
  }
  return zipSync(parts, { level: 0 }).buffer;
}

async function wholeFile(file: TableFile): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of file.chunks()) {
    length += chunk.length;
    if (length > MAX_BYTES) throw tooLarge(file.name);
    chunks.push(new Uint8Array(chunk));
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function rowOf(number: number, cells: readonly Cell[], width: number, bytesRead: number): TableRow {
  const source = Array<string>(width).fill('');
  const kinds = new Map<number, CellKind>();
  let fault: Text | undefined;
  for (const [column, cell] of cells.entries()) {
    if (cell === null) continue;
    const { text, kind } = shownCell(cell);
    if (text === null) {
      fault ??= withoutValue(`${addressOf(column, number)} ${rawText(cell)}`);
      // In the file of rejected rows it is no empty cell: an end without a value is not the same as none.
      if (column < width) source[column] = rawText(cell);
      kinds.set(column, 'number');
    } else if (column >= width) fault ??= outside(`${addressOf(column, number)} ${shortened(text)}`);
    else {
      source[column] = text;
      if (kind !== undefined) kinds.set(column, kind);
    }
  }
  return { number, bytesRead, source, kinds, ...(fault !== undefined && { fault }) };
}

/** The text of a cell, as the same table in CSV would have it. Null: it shows an error, or was never calculated. */
function shownCell(cell: string | boolean | Digits | Date): {
  readonly text: string | null;
  readonly kind?: CellKind;
} {
  if (cell instanceof Date) return { text: shownDate(cell), kind: 'date' };
  if (cell instanceof Digits) return { text: shownNumber(cell.text), kind: 'number' };
  if (typeof cell === 'boolean') return { text: String(cell), kind: 'number' };
  if (cell.startsWith(MARKS.ERROR)) return { text: null };
  if (!cell.startsWith(MARKS.DATE)) return { text: cell };
  const text = cell.slice(MARKS.DATE.length).trim();
  return { text: text.replace(/T00:00(?::00(?:\.0+)?)?$/, ''), kind: 'date' };
}

const rawText = (cell: Cell): string =>
  shortened(cell instanceof Digits ? cell.text : String(cell).slice(MARKS.ERROR.length));

/** With all of its digits, which a number of JavaScript may not have. */
function shownNumber(digits: string): string | null {
  if (/^-?\d+$/.test(digits)) return digits;
  return Number.isFinite(Number(digits)) ? String(Number(digits)) : null;
}

/**
 * What the clock on the wall shows: a date, a date and a time, or a time of day alone, which may be beyond 24:00. To
 * the second: a day's fraction has too few digits to be exact.
 */
function shownDate(date: Date): string {
  const ms = Math.round(date.getTime() / 1_000) * 1_000;
  const year = date.getUTCFullYear();
  // No entitlement is from before 1905: these are times of day, which may be days long.
  if (year < 1905) return hoursOf(ms - (year < 1902 ? FIRST_DAY : FIRST_DAY_1904));
  const [day = '', time = ''] = new Date(ms).toISOString().slice(0, -5).split('T');
  return time === '00:00:00' ? day : `${day} ${time}`;
}

function hoursOf(ms: number): string {
  const [, rest = ''] = new Date(ms).toISOString().slice(0, -5).split('T');
  const hours = Math.floor(ms / DAY_MS) * 24 + Number(rest.slice(0, 2));
  return `${String(hours).padStart(2, '0')}${rest.slice(2)}`;
}

function addressOf(column: number, row: number): string {
  let letters = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  }
  return `${letters}${row}`;
}

const shortened = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

const withoutValue = (cell: string): Text => ({
  en: `the cell ${cell} has no value: correct it, or save the workbook in Excel, which calculates it`,
  it: `la cella ${cell} non ha un valore: correggerla, o salvare la cartella in Excel, che la calcola`,
});

const outside = (cell: string): Text => ({
  en: `the cell ${cell} is to the right of the titles: delete it, or give its column a title`,
  it: `la cella ${cell} è a destra dei titoli: eliminarla, o dare un titolo alla sua colonna`,
});

const noWorkbook = (name: string) =>
  new TableError('no_workbook', {
    en: `${name} cannot be read as an Excel workbook (.xlsx). Save it again in Excel, or save its sheet as CSV.`,
    it: `${name} non è leggibile come cartella di lavoro Excel (.xlsx). Salvarlo di nuovo in Excel, o salvare il foglio in CSV.`,
  });

const tooLarge = (name: string) =>
  new TableError('too_large', {
    en: `${name} is too large to be read as a workbook: save its sheet as CSV, which is read in parts.`,
    it: `${name} è troppo grande per essere letto come cartella: salvare il foglio in CSV, che viene letto a parti.`,
  });

const tooFarOut = (name: string, address: string) =>
  new TableError('too_wide', {
    en: `${name} has a cell in ${address}, far from its table. Delete it, or save the sheet as CSV.`,
    it: `${name} ha una cella in ${address}, lontano dalla tabella. Eliminarla, o salvare il foglio in CSV.`,
  });

const tooWide = (name: string, address: string, width: number) =>
  new TableError('too_wide', {
    en: `${name} has a title in ${address}, its column ${width.toLocaleString('en')}: a table has at most ${MAX_COLUMNS}. Delete the columns to the right of the table.`,
    it: `${name} ha un titolo in ${address}, la sua colonna ${width.toLocaleString('it')}: una tabella ne ha al massimo ${MAX_COLUMNS}. Eliminare ciò che è a destra della tabella.`,
  });

/** The library's message lists the sheets that there are. */
const noSheet = (name: string, message: string) =>
  new TableError('no_sheet', { en: `${name}: ${message}`, it: `${name}: foglio non trovato. ${message}` });

const emptySheet = (name: string) =>
  new TableError('empty', {
    en: `${name} is empty: the first row of its sheet has to name the columns.`,
    it: `${name} è vuoto: la prima riga del foglio deve nominare le colonne.`,
  });
