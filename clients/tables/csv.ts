import { CsvError, parse } from 'csv-parse/browser/esm/sync';
import type { Text } from '../../src/base/text/text.ts';
import { type Line, linesOf, TextReader } from './decode.ts';
import { isRejectedTable, rejectedCells } from './rejected-table.ts';
import type { Table, TableFile, TableRow } from './table.ts';
import { TableError } from './table-error.ts';

const DELIMITERS = [';', ',', '\t', '|'] as const;

/** Lines that are parsed at once. */
const LINES_AT_ONCE = 1_000;

/** The most lines of one row: a quote that never closes must not swallow the rows below it. */
const MAX_ROW_LINES = 50;

/** More than any row has: the rest of such a line is dropped, and its row is rejected. */
const MAX_LINE_CHARACTERS = 256 * 1_024;

export interface CsvOptions {
  /** Null: the most frequent one between the titles. */
  readonly delimiter: string | null;
  /** The line of the titles, from 1. A file of rejected rows has its own in the first. */
  readonly headerRow: number;
  /** Null: UTF-8, else Windows-1252. */
  readonly encoding: string | null;
}

/**
 * Opens a file of comma-separated values, or with another delimiter that its titles show.
 *
 * @param note reports which encoding was assumed, if none was given
 * @throws TableError for a file without titles, or in another encoding
 */
export async function openCsv(
  file: TableFile,
  { delimiter, headerRow, encoding }: CsvOptions,
  note: (text: Text) => void,
): Promise<Table> {
  const lines = new Lines(linesOf(file, new TextReader(file.name, encoding, note), MAX_LINE_CHARACTERS));
  const beginning = await lines.ahead(headerRow + MAX_ROW_LINES);
  const isRejected = isRejectedTable((beginning[0]?.text ?? '').split(/[;,|\t]/, 3));
  const from = isRejected ? 0 : headerRow - 1;
  const titles = beginning.findIndex(({ text }, index) => index >= from && text.trim() !== '');
  const used = delimiter ?? guessedDelimiter(beginning[titles]?.text ?? '');
  const first = rowAt(beginning, titles, used, null);
  if (first === null) {
    throw new TableError('empty', {
      en: `${file.name} is empty: its line ${from + 1} has to name the columns.`,
      it: `${file.name} è vuoto: la riga ${from + 1} deve nominare le colonne.`,
    });
  }
  lines.take(titles + first.lines);
  const cellsOf = isRejected ? rejectedCells : (cells: readonly string[]) => cells;
  const header = cellsOf(first.row.source);
  return {
    header,
    delimiter: used,
    async *rows() {
      for await (const row of rowsOf(lines, used, first.row.source.length)) {
        const source = cellsOf(row.source);
        if (source.some((cell) => cell.trim() !== '')) yield { ...row, source };
      }
    },
  };
}

/** The most frequent delimiter between the column titles. */
export function guessedDelimiter(titles: string): string {
  const bare = titles.replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Lines of a file that can be looked at before they are taken. */
class Lines {
  readonly #source: AsyncIterator<Line>;
  #ahead: Line[] = [];

  constructor(source: AsyncIterator<Line>) {
    this.#source = source;
  }

  /** The next lines: that many, or all that are left. */
  async ahead(count: number): Promise<readonly Line[]> {
    while (this.#ahead.length < count) {
      const next = await this.#source.next();
      if (next.done) break;
      this.#ahead.push(next.value);
    }
    return this.#ahead;
  }

  take(count: number): void {
    this.#ahead = this.#ahead.slice(count);
  }
}

async function* rowsOf(lines: Lines, delimiter: string, width: number): AsyncGenerator<TableRow, void, void> {
  for (;;) {
    const ahead = await lines.ahead(LINES_AT_ONCE + MAX_ROW_LINES);
    if (ahead.length === 0) return;
    const block = ahead.slice(0, LINES_AT_ONCE);
    const records = block.some(isTooLong) ? null : parsed(block, delimiter, true);
    // As many records as lines: each line is a row. Otherwise some rows have several lines, or a quote is odd.
    if (records?.length === block.length) {
      yield* block.map(({ number, bytesRead }, index) => ({
        number,
        bytesRead,
        source: records[index] ?? [],
      }));
      lines.take(block.length);
      continue;
    }
    let at = 0;
    for (let next = rowAt(ahead, at, delimiter, width); next !== null && at < block.length; ) {
      yield next.row;
      at += next.lines;
      next = rowAt(ahead, at, delimiter, width);
    }
    lines.take(at);
  }
}

/**
 * The row that begins in a line, and how many lines it has. A quote that does not close within the row's width is a
 * fault of this line alone.
 *
 * @param width null: unknown
 */
function rowAt(
  lines: readonly Line[],
  at: number,
  delimiter: string,
  width: number | null,
): { readonly row: TableRow; readonly lines: number } | null {
  const line = lines[at];
  if (line === undefined) return null;
  const { number, bytesRead, text } = line;
  const place = { number, bytesRead };
  if (isTooLong(line)) return { row: { ...place, source: [text.slice(0, 100)], fault: TOO_LONG }, lines: 1 };
  const alone = text.includes('"') ? oneRecord([line], delimiter, true) : text.split(delimiter);
  if (alone !== null) return { row: { ...place, source: alone }, lines: 1 };
  for (let end = at + 1; end < Math.min(lines.length, at + MAX_ROW_LINES); end += 1) {
    if (lines[end]?.text.includes('"') !== true) continue;
    const source = oneRecord(lines.slice(at, end + 1), delimiter, false);
    if (source !== null && source.length === (width ?? source.length)) {
      return { row: { ...place, source }, lines: end + 1 - at };
    }
  }
  return { row: { ...place, source: text.split(delimiter), fault: UNCLOSED }, lines: 1 };
}

/** The cells of lines that are one record; null if they are not. */
function oneRecord(lines: readonly Line[], delimiter: string, isRelaxed: boolean): string[] | null {
  const [cells, ...others] = parsed(lines, delimiter, isRelaxed) ?? [];
  return cells === undefined || others.length > 0 ? null : cells;
}

const isTooLong = ({ text }: Line): boolean => text.length > MAX_LINE_CHARACTERS;

/**
 * @param isRelaxed a quote within a cell is a character like any other
 * @returns null if a quote does not close
 */
function parsed(lines: readonly Line[], delimiter: string, isRelaxed: boolean): string[][] | null {
  try {
    return parse(lines.map(({ text }) => text).join('\n'), {
      delimiter,
      record_delimiter: '\n',
      relax_column_count: true,
      relax_quotes: isRelaxed,
    });
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
}

const TOO_LONG: Text = { en: 'the line is too long', it: 'la riga è troppo lunga' };
const UNCLOSED: Text = {
  en: 'a quote in this line opens a cell and does not close it: delete the quote, or double it',
  it: 'le virgolette in questa riga aprono una cella e non la chiudono: eliminarle, o raddoppiarle',
};
