import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { EXIT } from '../exit-codes.ts';
import { Stop, wrongUsage } from '../stop.ts';
import type { OpenedFile } from './chunks.ts';
import type { Decoder } from './decoder.ts';
import { isRejectedTable, rejectedCells } from './live-cells.ts';
import type { Row } from './rows.ts';

/** More than any row has. Otherwise a quote that is never closed would swallow the rest of the file. */
const MAX_ROW_CHARACTERS = 256 * 1_024;
const DELIMITERS = [';', ',', '\t', '|'] as const;

/** An open table: its header is read, its rows are not. */
export interface CsvTable {
  readonly header: readonly string[];
  readonly delimiter: string;
  rows(): AsyncIterable<Row>;
}

/**
 * Opens a file of comma-separated values, or with another delimiter that its first line shows.
 *
 * @param delimiter null: detected
 * @param headerRow the line of the titles, from 1. A file of rejected rows has its own in the first.
 * @throws Stop for a file without a header, or in another encoding
 */
export async function openCsv(
  file: OpenedFile,
  decoder: Decoder,
  delimiter: string | null,
  headerRow = 1,
): Promise<CsvTable> {
  const chunks = decodedChunks(file, decoder)[Symbol.asyncIterator]();
  const beginning = await firstLinesOf(chunks, headerRow);
  const fromLine = isRejectedTable(beginning.replace('\ufeff', '').split(/[;,|\t]/, 3)) ? 1 : headerRow;
  const titles = beginning
    .split('\n')
    .slice(fromLine - 1)
    .join('\n');
  const used = delimiter ?? guessedDelimiter(titles);
  const records = parsedRecords(file.name, joined(beginning, chunks), used, fromLine);
  const header = await records.next();
  if (header.done) {
    throw wrongUsage({
      en: `${file.name} is empty: its line ${fromLine} has to name the columns.`,
      it: `${file.name} è vuoto: la riga ${fromLine} deve nominare le colonne.`,
    });
  }
  const { source } = header.value;
  if (!isRejectedTable(source)) return { header: source, delimiter: used, rows: () => records };
  return { header: rejectedCells(source), delimiter: used, rows: () => restored(records) };
}

/** A file that this command wrote and a person corrected. */
async function* restored(records: AsyncIterable<CsvRow>): AsyncGenerator<CsvRow, void, void> {
  for await (const row of records) yield { ...row, source: rejectedCells(row.source) };
}

interface CsvRow extends Row {
  readonly source: readonly string[];
}

async function* parsedRecords(
  name: string,
  texts: AsyncIterable<string>,
  delimiter: string,
  fromLine: number,
): AsyncGenerator<CsvRow, void, void> {
  // Where each record ends: the parser is some records ahead of its reader.
  const places: Omit<Row, 'source'>[] = [];
  const parser = parse({
    delimiter,
    bom: true,
    from_line: fromLine,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_ROW_CHARACTERS,
    on_record: (cells, { lines, bytes }) => {
      places.push({ number: lines, bytesRead: bytes });
      return cells;
    },
  });
  const input = Readable.from(texts);
  // A read error ends the parser, too.
  input.on('error', (error) => parser.destroy(error));
  input.pipe(parser);
  try {
    for await (const source of parser) {
      const { number = 0, bytesRead = 0 } = places.shift() ?? {};
      yield { number, bytesRead, source };
    }
  } catch (error) {
    if (error instanceof CsvError) throw brokenTable(name, error);
    throw error;
  } finally {
    input.destroy();
  }
}

async function* decodedChunks(file: OpenedFile, decoder: Decoder): AsyncGenerator<string, void, void> {
  for await (const chunk of file.chunks()) {
    const text = decoder.decode(chunk);
    if (text !== '') yield text;
  }
  const rest = decoder.decode(null);
  if (rest !== '') yield rest;
}

/** The beginning, at least that many lines: a pipe may bring it in small pieces. */
async function firstLinesOf(chunks: AsyncIterator<string>, lines: number): Promise<string> {
  let beginning = '';
  while (beginning.split('\n').length <= lines && beginning.length <= MAX_ROW_CHARACTERS) {
    const next = await chunks.next();
    if (next.done) break;
    beginning += next.value;
  }
  return beginning;
}

async function* joined(first: string, rest: AsyncIterator<string>): AsyncGenerator<string, void, void> {
  if (first !== '') yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** The most frequent delimiter between the column titles. */
export function guessedDelimiter(beginning: string): string {
  const [titles = ''] = beginning.replace(/"[^"]*"/g, '').split(/\r?\n/, 1);
  const counts = DELIMITERS.map((delimiter) => titles.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function brokenTable(name: string, error: CsvError) {
  const line = typeof error.lines === 'number' ? error.lines : '?';
  return new Stop(
    EXIT.refused,
    {
      en: `${name} cannot be read as a table, near line ${line}: ${error.message}`,
      it: `${name} non è leggibile come tabella, presso la riga ${line}: ${error.message}`,
    },
    {
      advice: {
        en: 'Everything before that line has been sent. Fix the file and run the same command again: that does no harm.',
        it: 'Le righe precedenti sono state inviate; corretto il file, lo stesso comando ripetuto non fa danni.',
      },
    },
  );
}
