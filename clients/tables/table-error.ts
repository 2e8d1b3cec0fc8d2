import type { Text } from '../../src/base/text/text.ts';

/** What is wrong with a table as a whole. */
export type TableFault =
  | 'encoding'
  | 'unknown_encoding'
  | 'empty'
  | 'no_workbook'
  | 'too_large'
  | 'no_sheet'
  | 'too_wide'
  | 'mapping'
  | 'no_column'
  | 'unmapped';

/** A table cannot be read at all, or its mapping does not fit it. */
export class TableError extends Error {
  readonly fault: TableFault;
  readonly text: Text;

  constructor(fault: TableFault, text: Text) {
    super(text.en);
    this.fault = fault;
    this.text = text;
  }
}
