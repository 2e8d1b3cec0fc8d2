// Tables of sessions and subscriptions: CSV files and Excel workbooks become lines of an import. For Node and browsers.

import type { Text } from '../../src/base/text/text.ts';
import type { CsvOptions } from './csv.ts';
import type { Table, TableFile } from './table.ts';

export { linesOf, TextReader } from './decode.ts';
export { FIELDS, type Field, type KindName } from './fields.ts';
export type { Mapping } from './mapping.ts';
export {
  type DateOrder,
  type EndDates,
  readTime,
  type TimeField,
  type TimeRules,
} from './read-time.ts';
export { isRejectedTable, MARK, REJECTED_TITLES, rejectedCells, rejectedRow } from './rejected-table.ts';
export { fileOf, type Table, type TableFile, type TableRow } from './table.ts';
export { TableError, type TableFault } from './table-error.ts';
export { type Fault, type Reading, Translator } from './translator.ts';
export { Zone } from './zone.ts';

export interface TableOptions extends CsvOptions {
  /** Of a workbook; null: the first one. */
  readonly sheet: string | null;
}

/**
 * Opens a table. The reader of its format is loaded when needed.
 *
 * @param note reports which encoding was assumed for CSV, if none was given
 * @throws TableError if it cannot be read
 */
export async function openTable(
  file: TableFile,
  format: 'csv' | 'xlsx',
  options: TableOptions,
  note: (text: Text) => void,
): Promise<Table> {
  if (format === 'csv') {
    const { openCsv } = await import('./csv.ts');
    return openCsv(file, options, note);
  }
  const { openWorkbook } = await import('./workbook.ts');
  return openWorkbook(file, options.sheet, options.headerRow);
}
