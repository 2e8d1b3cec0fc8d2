import { createReadStream, statSync } from 'node:fs';
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import {
  type KindName,
  linesOf,
  openTable,
  type TableFile,
  type TableRow,
  TextReader,
  Translator,
  type Zone,
} from '../../tables/index.ts';
import { wrongUsage } from '../stop.ts';
import type { FileFormat, Writing } from './mapping.ts';

/** The longest line that the service takes: as many characters are never fewer bytes. */
const MAX_LINE_BYTES = 256 * 1_024;

/** Stands for standard input. */
const STANDARD_INPUT = '-';

/** A file, its bytes so far unread. */
export interface OpenedFile extends TableFile {
  /** Null for a pipe: its length is unknown. */
  readonly bytes: number | null;
}

/** A row of a file, as a line of an import. */
export interface SourceRow {
  /** Its line in the file, or its number in the sheet, from 1. */
  readonly number: number;
  readonly bytesRead: number;
  readonly line: string;
  /** Why it cannot be read: the service rejects its line. */
  readonly trouble: string | null;
  /** The text of the line, or the cells of the row, for the file of rejected rows. */
  readonly written: string | readonly string[];
  /** The service's reason for rejecting it, in the words of its file: columns by their titles, with their values. */
  explain(message: string): string;
}

/** An open file: its rows are not read. */
export interface Source {
  /** The titles and the delimiter of a table; null for lines of JSON. */
  readonly table: { readonly header: readonly string[]; readonly delimiter: string } | null;
  rows(): AsyncIterable<SourceRow>;
}

/**
 * Looks at a file before reading it.
 *
 * @throws Stop when it is not there
 */
export function openFile(name: string, stdin: Readable): OpenedFile {
  if (name === STANDARD_INPUT) return { name, bytes: null, chunks: () => stdin };
  try {
    const status = statSync(name);
    return { name, bytes: status.isFile() ? status.size : null, chunks: () => createReadStream(name) };
  } catch {
    throw wrongUsage(`There is no file ${name} that can be read.`);
  }
}

/**
 * Opens a file by its kind.
 *
 * @param zone of its times without an offset; null: unknown
 * @param note reports which encoding was assumed, if none was given
 * @throws TableError if it cannot be read
 */
export async function openSource(
  file: OpenedFile,
  kind: KindName,
  writing: Writing,
  zone: Zone | null,
  note: (text: string) => void,
): Promise<Source> {
  const { encoding = null, delimiter = null, sheet = null, headerRow = 1 } = writing;
  const { dateOrder = 'dmy', endDates = null, mapping } = writing;
  const format = formatOf(file.name, writing);
  if (format === 'ndjson') return { table: null, rows: () => jsonRows(file) };
  const options = { delimiter, sheet, headerRow, encoding };
  const table = await openTable(file, format, options, ({ en }) => note(en));
  const translator = new Translator(kind, table.header, mapping, { zone, dateOrder, endDates });
  return {
    table,
    async *rows() {
      for await (const row of table.rows()) yield rowOf(row, translator);
    },
  };
}

/**
 * A row that cannot be read goes to the service all the same, with a property that no line has: it counts the row as
 * rejected, and knows the plate if that could be read.
 */
function rowOf(row: TableRow, translator: Translator): SourceRow {
  const { number, bytesRead, source } = row;
  const { line, faults } = translator.read(row);
  const isReadable = faults.length === 0;
  return {
    ...{ number, bytesRead, written: translator.withoutSpoilt(row) },
    line: JSON.stringify(isReadable ? line : { ...line, unreadable_line: number }),
    trouble: isReadable ? null : faults.map(({ message }) => message.en).join('; '),
    explain: (message) =>
      message
        .split('; ')
        .map((part) => {
          const [, path, en] = /^([a-z_]+(?:\.\w+)*): (.*)$/s.exec(part) ?? [];
          return path === undefined || en === undefined
            ? part
            : translator.named(path, source, { en, it: en }, itemIn(line, path)).en;
        })
        .join('; '),
  };
}

/** The text or number at a path of a line (`plates.0.plate`); undefined: there is none. */
function itemIn(line: object, path: string): string | undefined {
  const item = path
    .split('.')
    .reduce<unknown>(
      (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
      line,
    );
  return typeof item === 'string' || typeof item === 'number' ? String(item) : undefined;
}

/**
 * Newline-delimited JSON: its lines go to the service unchanged. Blank ones are numbered and left out. The service rejects
 * a line that is too long; what is cut off such a line cannot change that.
 */
async function* jsonRows(file: OpenedFile): AsyncGenerator<SourceRow, void, void> {
  const reader = new TextReader(file.name, 'utf-8', () => {});
  for await (const { number, bytesRead, text } of linesOf(file, reader, MAX_LINE_BYTES, /\r?\n/)) {
    if (text.trim() === '') continue;
    // The cut may go through a character.
    const line = text.toWellFormed();
    // A line has the service's own names, so the service's messages need no translation.
    yield { number, bytesRead, line, written: line, trouble: null, explain: (message) => message };
  }
}

/**
 * The kind of a file: from the option, else from its name. Standard input is lines, unless columns are mapped.
 *
 * @throws Stop if its name does not say
 */
export function formatOf(name: string, { format, mapping }: Pick<Writing, 'format' | 'mapping'>): FileFormat {
  if (format !== undefined) return format;
  const extension = extname(name).toLowerCase();
  if (['.csv', '.tsv', '.txt'].includes(extension)) return 'csv';
  if (extension === '.xlsx') return 'xlsx';
  if (['.ndjson', '.jsonl', '.json'].includes(extension)) return 'ndjson';
  if (name === STANDARD_INPUT) return mapping.columns.size > 0 ? 'csv' : 'ndjson';
  throw wrongUsage(`The name of ${name} does not say what it is: give --format csv, xlsx or ndjson.`);
}
