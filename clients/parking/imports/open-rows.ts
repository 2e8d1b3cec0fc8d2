import { extname } from 'node:path';
import type { Text } from '../../../src/base/text/text.ts';
import {
  type DateOrder,
  type EndDates,
  type KindName,
  MARK,
  type Mapping,
  openTable,
  TableError,
  type TableFault,
  TextReader,
  Translator,
  Zone,
} from '../../tables/index.ts';
import { EXIT } from '../exit-codes.ts';
import { Stop, wrongUsage } from '../stop.ts';
import { type OpenedFile, STANDARD_INPUT } from './chunks.ts';
import { ndjsonRows } from './ndjson-rows.ts';
import type { RowSource } from './rows.ts';
import { TableSource } from './table-source.ts';

export const FILE_FORMATS = ['csv', 'xlsx', 'ndjson'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** How a table is read. */
export interface TableOptions {
  readonly format?: FileFormat | undefined;
  readonly delimiter?: string | undefined;
  /** Of a workbook. */
  readonly sheet?: string | undefined;
  /** The line of the titles, from 1; absent: the first with a text. */
  readonly headerRow?: number | undefined;
  /** Null: found out. */
  readonly encoding: string | null;
  readonly dateOrder: DateOrder;
  readonly endDates?: EndDates | undefined;
}

/** How tables are read, and what their columns are. */
interface Tabling {
  readonly table: TableOptions;
  readonly mapping: Mapping;
}

/**
 * Opens a file by its kind.
 *
 * @param timezone of its times without an offset; null: unknown
 * @param note reports which encoding was assumed, if none was given
 * @throws Stop if it cannot be read
 */
export async function openRows(
  file: OpenedFile,
  kind: KindName,
  { table: options, mapping }: Tabling,
  timezone: string | null,
  note: (text: Text) => void,
): Promise<RowSource> {
  const { encoding, delimiter = null, sheet = null, headerRow = 1, dateOrder, endDates = null } = options;
  const format = formatOf(file.name, options.format, mapping);
  if (format === 'ndjson') {
    const source = ndjsonRows(file);
    return { ...source, rows: () => stopping(source.rows()) };
  }
  const zone = timezone === null ? null : new Zone(timezone);
  try {
    const table = await openTable(file, format, { delimiter, sheet, headerRow, encoding }, note);
    const translator = new Translator(kind, table.header, mapping, { zone, dateOrder, endDates });
    return new TableSource(kind, { ...table, rows: () => stopping(table.rows()) }, translator, async () =>
      format === 'csv' ? isPlainUtf8(file, encoding) : false,
    );
  } catch (error) {
    throw stopOf(error);
  }
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
  return new Stop(
    fault === 'encoding' ? EXIT.refused : EXIT.usage,
    text,
    advice === undefined ? {} : { advice },
  );
}

const ADVICE: Partial<Readonly<Record<TableFault, Text>>> = {
  encoding: {
    en: 'Files that Excel saved as CSV are often in another encoding: try --encoding windows-1252.',
    it: 'I file salvati da Excel come CSV hanno spesso un’altra codifica: provare --encoding windows-1252.',
  },
  no_column: {
    en: 'If the titles are further down: --header-row says in which line.',
    it: 'Se i titoli sono più in basso: --header-row dice in quale riga.',
  },
  unmapped: {
    en: 'Name the columns with --map PROPERTY=TITLE,…; a value that is the same in all rows with --set PROPERTY=VALUE',
    it: 'Indicare le colonne con --map PROPRIETÀ=TITOLO,…; un valore uguale in tutte le righe con --set PROPRIETÀ=VALORE',
  },
};

/**
 * Whether a file is UTF-8 without a byte order mark, or only ASCII. It reads as far as necessary; for a pipe,
 * which can be read only once, it is unknown.
 *
 * @throws TableError for bytes that are not in the encoding
 */
async function isPlainUtf8(file: OpenedFile, encoding: string | null): Promise<boolean> {
  if (file.bytes === null) return false;
  const reader = new TextReader(file.name, encoding, () => {});
  let isBeginning = true;
  for await (const chunk of file.chunks()) {
    if (isBeginning && chunk.subarray(0, UTF8_MARK.length).equals(UTF8_MARK)) return false;
    isBeginning = false;
    reader.read(chunk);
    if (reader.encoding !== null) break;
  }
  return reader.encoding === null || reader.encoding === 'utf-8';
}

const UTF8_MARK = Buffer.from(MARK);

/** Whether a file is a table. @throws Stop if its name does not say */
export const isTable = (...file: Parameters<typeof formatOf>): boolean => formatOf(...file) !== 'ndjson';

/**
 * The kind of a file: from the option, else from its name. Standard input is lines, unless columns are
 * mapped.
 *
 * @throws Stop if its name does not say
 */
function formatOf(name: string, format: FileFormat | undefined, { columns }: Mapping): FileFormat {
  if (format !== undefined) return format;
  const extension = extname(name).toLowerCase();
  if (['.csv', '.tsv', '.txt'].includes(extension)) return 'csv';
  if (extension === '.xlsx') return 'xlsx';
  if (['.ndjson', '.jsonl', '.json'].includes(extension)) return 'ndjson';
  if (name === STANDARD_INPUT) return columns.size > 0 ? 'csv' : 'ndjson';
  throw unknownFormat(name);
}

/** @throws Stop for an unknown time zone */
export function checkedZone(name: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name;
  } catch {
    throw wrongUsage({
      en: `There is no time zone ${name}: it has a name such as Europe/Rome.`,
      it: `Non c’è un fuso orario ${name}: ha un nome come Europe/Rome.`,
    });
  }
}

const unknownFormat = (name: string) =>
  wrongUsage({
    en: `The name of ${name} does not say what it is: give --format csv, xlsx or ndjson.`,
    it: `Il formato di ${name} non si riconosce dal nome: indicare --format csv, xlsx o ndjson.`,
  });
