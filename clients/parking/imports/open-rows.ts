import { extname } from 'node:path';
import type { Text } from '../../../src/base/text/text.ts';
import { wrongUsage } from '../stop.ts';
import type { DateOrder, EndDates } from '../time/read-time.ts';
import { Zone } from '../time/wall-clock.ts';
import { type OpenedFile, STANDARD_INPUT } from './chunks.ts';
import { openCsv } from './csv-rows.ts';
import { decoderOf, isPlainUtf8 } from './decoder.ts';
import type { KindName } from './kinds.ts';
import { type Mapping, Translator } from './mapping.ts';
import { ndjsonRows } from './ndjson-rows.ts';
import { type RowSource, unreadable } from './rows.ts';

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
  if (format === 'ndjson') return ndjsonRows(file);
  const table =
    format === 'csv'
      ? await openCsv(file, decoderOf(file.name, encoding, note), delimiter, headerRow)
      : await workbookOf(file, sheet, headerRow);
  const zone = timezone === null ? null : new Zone(timezone);
  const translator = new Translator(kind, table.header, mapping, { zone, dateOrder, endDates });
  return {
    ...table,
    translate: (row) =>
      row.trouble === undefined ? translator.translate(row) : unreadable(row, row.trouble),
    explain: (row, said, known) =>
      row.trouble === undefined ? translator.explain(row, said, known) : row.trouble,
    passOver: (row) => translator.passOver(row),
    isPlainUtf8: async () => format === 'csv' && isPlainUtf8(file, encoding),
  };
}

/** Few imports are of workbooks: their reader is loaded when needed. */
async function workbookOf(file: OpenedFile, sheet: string | null, headerRow: number) {
  const { openXlsx } = await import('./xlsx-rows.ts');
  return openXlsx(file, sheet, headerRow);
}

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
