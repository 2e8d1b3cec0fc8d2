import { EXIT } from '../exit-codes.ts';
import { Stop, wrongUsage } from '../stop.ts';
import { groupDigits } from '../terminal/numbers.ts';
import type { OpenedFile } from './chunks.ts';
import type { Trouble } from './kinds.ts';
import type { Row } from './rows.ts';
import { MAX_UNPACKED_BYTES } from './workbook/archive.ts';
import { BrokenWorkbook } from './workbook/broken.ts';
import { addressOf, BrokenRow, type SheetCell, type SheetRow } from './workbook/sheet.ts';
import { NoSuchSheet, openSheet } from './workbook/workbook.ts';

/** The most columns of a table: each of its rows becomes that wide. */
const MAX_COLUMNS = 256;
const MAX_SHOWN = 20;

/** A sheet of a workbook, opened. */
export interface XlsxTable {
  readonly header: readonly string[];
  /** The delimiter of the file for rejected rows: the one that Excel uses where numbers have commas. */
  readonly delimiter: string;
  rows(): AsyncIterable<Row>;
}

/**
 * Opens a sheet of an Excel workbook. The file is unpacked as a whole, and so it may not be as large as a table may. Its rows
 * are read one by one.
 *
 * @param sheet null: the first one
 * @param headerRow the titles are in this row, or in the first one below it that is not blank
 * @throws Stop if it is not a workbook, is too large, or has no such sheet
 */
export async function openXlsx(file: OpenedFile, sheet: string | null, headerRow = 1): Promise<XlsxTable> {
  const bytes = await wholeFile(file);
  const { rows, first } = opened(file.name, bytes, sheet, headerRow);
  const header = textsOf(first, headerWidth(file.name, first));
  return {
    header,
    delimiter: ';',
    async *rows() {
      let last = first.number;
      try {
        for (let next = rows.next(); !next.done; next = rows.next()) {
          last = next.value.number;
          yield rowOf(next.value, header.length, bytes.length);
        }
      } catch (error) {
        if (error instanceof BrokenWorkbook) throw brokenRow(file.name, new BrokenRow(last + 1, DAMAGED));
        throw error instanceof BrokenRow ? brokenRow(file.name, error) : error;
      }
    },
  };
}

/** The rows behind the first one with a text, which names the columns. */
function opened(name: string, bytes: Buffer, sheet: string | null, headerRow: number) {
  try {
    const rows = openSheet(bytes, sheet)[Symbol.iterator]();
    for (let next = rows.next(); !next.done; next = rows.next()) {
      const { number, cells } = next.value;
      if (number >= headerRow && cells.length > 0) return { rows, first: next.value };
    }
  } catch (error) {
    if (error instanceof BrokenRow) throw brokenRow(name, error);
    if (error instanceof NoSuchSheet) throw noSheet(name, sheet ?? '', error.names);
    if (!(error instanceof BrokenWorkbook)) throw error;
    throw error.why === 'too large' ? tooLarge(name) : noWorkbook(name);
  }
  throw emptySheet(name);
}

/** @throws Stop if a title is so far to the right that each row would become too wide */
function headerWidth(name: string, { number, cells }: SheetRow): number {
  const width = (cells.at(-1)?.column ?? -1) + 1;
  if (width > MAX_COLUMNS) throw tooWide(name, addressOf(width - 1, number), width);
  return width;
}

function textsOf({ cells }: SheetRow, width: number): string[] {
  const texts = Array<string>(width).fill('');
  for (const { column, text } of cells) if (column < width) texts[column] = text;
  return texts;
}

function rowOf(row: SheetRow, width: number, bytes: number): Row {
  const { number, cells, valueless, share } = row;
  const beside = cells.find(({ column }) => column >= width);
  const trouble =
    valueless !== null ? withoutValue(valueless) : beside !== undefined ? besideTable(beside) : undefined;
  return {
    number,
    bytesRead: Math.round(bytes * share),
    source: textsOf(row, width),
    ...(trouble !== undefined && { trouble }),
  };
}

async function wholeFile(file: OpenedFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of file.chunks()) {
    bytes += chunk.length;
    if (bytes > MAX_UNPACKED_BYTES) throw tooLarge(file.name);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const withoutValue = (cell: string): Trouble => ({
  code: 'INVALID_REQUEST',
  message: {
    en: `the cell ${cell} has no value: correct it, or save the workbook in Excel, which calculates it`,
    it: `la cella ${cell} non ha un valore: correggerla, o salvare la cartella in Excel, che la calcola`,
  },
});

function besideTable({ address, text }: SheetCell): Trouble {
  const cell = `${address} ${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}`;
  return {
    code: 'INVALID_REQUEST',
    message: {
      en: `the cell ${cell} is to the right of the titles: delete it, or give its column a title`,
      it: `la cella ${cell} è a destra dei titoli: eliminarla, o dare un titolo alla sua colonna`,
    },
  };
}

const DAMAGED = { en: 'what comes there is damaged', it: 'ciò che segue è danneggiato' };

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

const tooWide = (name: string, address: string, width: number) =>
  wrongUsage({
    en: `${name} has a title in ${address}, its column ${groupDigits(width, 'en')}: a table has at most ${MAX_COLUMNS}. Delete the columns to the right of the table.`,
    it: `${name} ha un titolo in ${address}, la sua colonna ${groupDigits(width, 'it')}: una tabella ne ha al massimo ${MAX_COLUMNS}. Eliminare ciò che è a destra della tabella.`,
  });

const brokenRow = (name: string, { row, what }: BrokenRow) =>
  new Stop(
    EXIT.refused,
    {
      en: `${name} cannot be read as a workbook, near row ${row}: ${what.en}.`,
      it: `${name} non è leggibile come cartella, presso la riga ${row}: ${what.it}.`,
    },
    {
      advice: {
        en: 'Everything before that row has been sent. Correct the row, or save the workbook again in Excel, and run the same command again: that does no harm.',
        it: 'Le righe precedenti sono state inviate; corretta la riga, o salvata di nuovo la cartella in Excel, lo stesso comando ripetuto non fa danni.',
      },
    },
  );

const noSheet = (name: string, sheet: string, sheets: readonly string[]) =>
  wrongUsage({
    en: `${name}: Sheet not found: ${sheet}. Available sheets: ${sheets.join(', ')}`,
    it: `${name}: foglio non trovato: ${sheet}. Fogli disponibili: ${sheets.join(', ')}`,
  });

const emptySheet = (name: string) =>
  wrongUsage({
    en: `${name} is empty: the first row of its sheet has to name the columns.`,
    it: `${name} è vuoto: la prima riga del foglio deve nominare le colonne.`,
  });
