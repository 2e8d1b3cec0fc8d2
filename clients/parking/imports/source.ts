import { createReadStream, statSync } from 'node:fs';
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import {
  type KindName,
  openTable,
  TableError,
  type TableFault,
  type TableRow,
  TextReader,
  Translator,
  type Zone,
} from '../../tables/index.ts';
import { EXIT, Stop, wrongUsage } from '../stop.ts';
import type { FileFormat, Writing } from './mapping.ts';

/** Far longer than any line that the service takes: the rest is dropped. */
const MAX_CHARACTERS = 1_024 * 1_024;

/** Stands for standard input. */
const STANDARD_INPUT = '-';

/** A file, its bytes so far unread. */
export interface OpenedFile {
  readonly name: string;
  /** Null for a pipe: its length is unknown. */
  readonly bytes: number | null;
  chunks(): AsyncIterable<Buffer>;
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
 * @throws Stop if it cannot be read
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
  if (format === 'ndjson') return { table: null, rows: () => stopping(linesOf(file)) };
  try {
    const options = { delimiter, sheet, headerRow, encoding };
    const table = await openTable(file, format, options, ({ en }) => note(en));
    const translator = new Translator(kind, table.header, mapping, { zone, dateOrder, endDates });
    return {
      table,
      async *rows() {
        for await (const row of stopping(table.rows())) yield rowOf(row, translator);
      },
    };
  } catch (error) {
    throw stopOf(error);
  }
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

/** Newline-delimited JSON: its lines go to the service unchanged. Blank ones are numbered and left out. */
async function* linesOf(file: OpenedFile): AsyncGenerator<SourceRow, void, void> {
  const reader = new TextReader(file.name, 'utf-8', () => {});
  let [rest, number, bytesRead] = ['', 0, 0];
  const row = (line: string): SourceRow[] => {
    number += 1;
    if (line.trim() === '') return [];
    const isTooLong = line.length > MAX_CHARACTERS;
    return [
      {
        ...{ number, bytesRead, written: line },
        line: isTooLong ? `{"unreadable_line":${number}}` : line.replace(/\r$/, ''),
        trouble: isTooLong ? 'the line is too long' : null,
        // A line has the service's own names, so the service's messages need no translation.
        explain: (message) => message,
      },
    ];
  };
  for await (const chunk of file.chunks()) {
    bytesRead += chunk.length;
    const lines = (rest + reader.read(chunk)).split('\n');
    // A line that never ends must not fill the memory: its beginning is enough to refuse it.
    rest = (lines.pop() ?? '').slice(0, MAX_CHARACTERS + 1);
    for (const line of lines) yield* row(line);
  }
  yield* row(rest + reader.read(null));
}

async function* stopping<T>(rows: AsyncIterable<T>): AsyncGenerator<T, void, void> {
  try {
    yield* rows;
  } catch (error) {
    throw stopOf(error);
  }
}

/** The fault of a table as the command tells it. */
function stopOf(error: unknown): unknown {
  if (!(error instanceof TableError)) return error;
  const { text, fault } = error;
  const advice = ADVICE[fault];
  return new Stop(fault === 'encoding' ? EXIT.refused : EXIT.usage, text.en, advice ? { advice } : {});
}

const ADVICE: Partial<Readonly<Record<TableFault, string>>> = {
  encoding: 'Files that Excel saved as CSV are often in another encoding: try --encoding windows-1252.',
  no_column: 'If the titles are further down: --header-row says in which line.',
  unmapped:
    'Name the columns with --map PROPERTY=TITLE,…; a value that is the same in all rows with --set PROPERTY=VALUE',
};

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
