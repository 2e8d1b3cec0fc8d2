import type * as z from 'zod';

/** The properties of an item's JSON, and the columns that store them. */
export type Fields<Column extends string = string> = Readonly<
  Record<string, ColumnField<Column> | GroupField<Column> | FlagsField<Column>>
>;

interface Field {
  /** Who may change it. Absent: the kind of item decides. */
  readonly changedBy?: 'office' | 'administrator';
}

/** A property with its own column. */
export interface ColumnField<Column extends string = string> extends Field {
  readonly column: Column;
  /** How the column stores it: as JSON, or an instant as a number. Absent: unchanged. */
  readonly form?: 'json' | 'instant';
  /** The column's value if the document of a new item leaves the property out. Absent: it is required. */
  readonly initial?: string | number | boolean | null;
  /** Its schema in answers to the public, for a field that is only shown. */
  readonly answered?: z.ZodType;
}

/** A property with properties of its own. */
interface GroupField<Column extends string = string> extends Field {
  readonly fields: Readonly<Record<string, ColumnField<Column>>>;
}

/** A list of names, each stored as a flag. A new item has all of them. */
interface FlagsField<Column extends string = string> extends Field {
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
