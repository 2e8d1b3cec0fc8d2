import type * as z from 'zod';

/** The properties of an item's JSON, and the columns of its row that keep them. */
export type Fields<Column extends string = string> = Readonly<
  Record<string, ColumnField<Column> | GroupField<Column> | FlagsField<Column>>
>;

interface Field {
  /** Who may change it. Absent: as the kind of item says. */
  readonly changedBy?: 'office' | 'administrator';
}

/** A property in a column of its own. */
export interface ColumnField<Column extends string = string> extends Field {
  readonly column: Column;
  /** How the column keeps it: as JSON, or an instant as its number. Absent: as it is. */
  readonly form?: 'json' | 'instant';
  /** The column's value in a new item whose document leaves the property out. Absent: the document must name it. */
  readonly initial?: string | number | boolean | null;
  /** The schema of its answer to the public, for a field that is only shown. */
  readonly answered?: z.ZodType;
}

/** Properties of a property. */
export interface GroupField<Column extends string = string> extends Field {
  readonly fields: Readonly<Record<string, ColumnField<Column>>>;
}

/** A list of names, each of which is kept in a flag's column. A new item has them all. */
export interface FlagsField<Column extends string = string> extends Field {
  readonly flags: Readonly<Record<string, Column>>;
}

/** The columns of some fields. */
export type ColumnsOf<Of> = { readonly [Name in keyof Of]: ColumnsOfField<Of[Name]> }[keyof Of];
type ColumnsOfField<Field> = Field extends { readonly column: infer Column extends string }
  ? Column
  : Field extends { readonly fields: infer Group }
    ? ColumnsOf<Group>
    : Field extends { readonly flags: infer Flags }
      ? Flags[keyof Flags] & string
      : never;
