import { extname } from 'node:path';
import { wrongUsage } from '../stop.ts';
import type { DateOrder, EndDates } from '../time/read-time.ts';
import { Zone } from '../time/wall-clock.ts';
import { type OpenedFile, STANDARD_INPUT } from './chunks.ts';
import { openCsv } from './csv-rows.ts';
import type { KindName } from './kinds.ts';
import { type Mapping, Translator } from './mapping.ts';
import { ndjsonRows } from './ndjson-rows.ts';
import type { RowSource } from './rows.ts';

export type FileFormat = 'csv' | 'ndjson';

/** How a table is read. */
export interface TableOptions {
  readonly format?: FileFormat | undefined;
  readonly delimiter?: string | undefined;
  readonly encoding: string;
  readonly dateOrder: DateOrder;
  readonly endDates?: EndDates | undefined;
}

/**
 * Opens a file as what it is.
 *
 * @param timezone of its times without an offset; null: not known
 */
export async function openRows(
  file: OpenedFile,
  kind: KindName,
  options: TableOptions,
  mapping: Mapping,
  timezone: string | null,
): Promise<RowSource> {
  const { format, encoding, delimiter = null, dateOrder, endDates = null } = options;
  if (!isTable(file.name, format, mapping)) return ndjsonRows(file);
  const table = await openCsv(file, encoding, delimiter);
  const zone = timezone === null ? null : new Zone(timezone);
  const translator = new Translator(kind, table.header, mapping, { zone, dateOrder, endDates });
  return {
    ...table,
    translate: (row) => translator.translate(row),
    passOver: (row) => translator.passOver(row),
  };
}

/**
 * Whether a file is a table: as it was said, else by its name. Standard input is lines, unless columns are mapped.
 *
 * @throws Stop where its name does not tell
 */
export function isTable(name: string, format: FileFormat | undefined, { columns }: Mapping): boolean {
  if (format !== undefined) return format === 'csv';
  const extension = extname(name).toLowerCase();
  if (['.csv', '.tsv', '.txt'].includes(extension)) return true;
  if (['.ndjson', '.jsonl', '.json'].includes(extension)) return false;
  if (name === STANDARD_INPUT) return columns.size > 0;
  throw unknownFormat(name);
}

/** @throws Stop for what is no time zone */
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
    en: `What ${name} is cannot be told by its name: say --format csv or --format ndjson.`,
    it: `Il formato di ${name} non si riconosce dal nome: indicare --format csv o --format ndjson.`,
  });
