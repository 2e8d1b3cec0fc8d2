import * as z from 'zod';

/** A property of an item: its column, its schema, its words. All that reads or writes the configuration walks over these. */
export interface Property<Column extends string = string, Schema extends z.ZodType = z.ZodType> {
  /** Of the item's table. Those named by a code hold that row's id. */
  readonly column: Column;
  readonly schema: Schema;
  /** For the description. */
  readonly words: string;
  /** Of a new item whose document leaves it out. Absent: it is required there. */
  readonly initial?: z.output<Schema>;
  /** The column holds an instant, the document its text. */
  readonly isInstant?: true;
  /** Only the administrator may change it. */
  readonly isAdministrators?: true;
  /** Nothing but public pages shows it: its schema there. */
  readonly shown?: z.ZodType;
}

/** A list of names, each a column with a flag. */
interface Flags<Name extends string = string, Column extends string = string> {
  readonly flags: Readonly<Record<Name, Column>>;
  readonly schema: z.ZodType<Name[]>;
  readonly words: string;
  readonly initial: Name[];
  readonly isAdministrators?: never;
}

/** A property with properties of its own. */
export interface Group<Column extends string = string> {
  readonly properties: Readonly<Record<string, Property<Column>>>;
  readonly words: string;
  /** Its name in the description, and what it holds. */
  readonly id: string;
  readonly description: string;
  readonly isAdministrators?: never;
}

export type Declared = Property | Flags | Group;
/** The properties of a kind of item, in the order of the document. The first is its code. */
export type Declarations<Column extends string = string> = Readonly<
  Record<string, Property<Column> | Flags<string, Column> | Group<Column>>
>;

type SchemaOf<D> = D extends { readonly schema: infer Schema extends z.ZodType }
  ? Schema
  : D extends { readonly properties: infer Of }
    ? z.ZodObject<Shape<Of>, z.core.$strip>
    : never;
type Shape<Of> = { -readonly [Name in keyof Of]: SchemaOf<Of[Name]> };
type GivenOf<D> = D extends { readonly schema: infer Schema extends z.ZodType }
  ? z.ZodOptional<Schema>
  : D extends { readonly properties: infer Of }
    ? z.ZodOptional<z.ZodObject<{ -readonly [Name in keyof Of]: GivenOf<Of[Name]> }, z.core.$strict>>
    : never;
type GivenShape<Of, Key extends keyof Of> = {
  -readonly [Name in keyof Of]: Name extends Key ? SchemaOf<Of[Name]> : GivenOf<Of[Name]>;
};

/** A kind of item, and the schemas that follow from its declarations. */
export interface Kind<Of, Key extends keyof Of & string> {
  readonly declarations: Of;
  /** The property with its code. */
  readonly key: Key;
  /** In a request: anything but its code may be absent. */
  readonly given: z.ZodObject<GivenShape<Of, Key>, z.core.$strict>;
  /** As it is stored and answered: whole. Parsing fills in what has a default. */
  readonly whole: z.ZodObject<Shape<Of>, z.core.$strip>;
}

export function kind<const Of extends Declarations, const Key extends keyof Of & string>(
  key: Key,
  declarations: Of,
): Kind<Of, Key> {
  const { [key]: code, ...others } = declarations;
  return {
    declarations,
    key,
    // One schema for each declaration.
    given: z.strictObject({ ...wholeShape({ [key]: code } as Declarations), ...givenShape(others) }) as never,
    whole: z.object(wholeShape(declarations)) as never,
  };
}

const entriesOf = (declarations: Declarations) => Object.entries<Declared>(declarations);

const givenShape = (declarations: Declarations): z.ZodRawShape =>
  Object.fromEntries(entriesOf(declarations).map(([name, declared]) => [name, givenOf(declared)]));

function givenOf(declared: Declared): z.ZodType {
  const { words } = declared;
  if ('properties' in declared) {
    const { id, description } = declared;
    return z
      .strictObject(givenShape(declared.properties))
      .meta({ id, description: `${description} ${PUT}` })
      .optional()
      .describe(words);
  }
  return declared.schema.optional().describe(`${words} ${defaultOf(declared)}`);
}

/** For the description of an item in a request. */
export const PUT =
  'In an existing item, an absent property keeps its value and null resets it; in a new item, an absent property gets its default.';

function defaultOf(declared: Property | Flags): string {
  const { initial } = declared;
  if (initial === undefined) return 'Required if new.';
  if ('flags' in declared) return 'Default: all.';
  return `Default: ${Array.isArray(initial) ? 'empty' : initial}.`;
}

const wholeShape = (declarations: Declarations): z.ZodRawShape =>
  Object.fromEntries(entriesOf(declarations).map(([name, declared]) => [name, wholeOf(declared)]));

function wholeOf(declared: Declared): z.ZodType {
  if ('properties' in declared) {
    const { id, description, words } = declared;
    return z
      .object(wholeShape(declared.properties))
      .meta({ id: `Stored${id}`, description })
      .prefault({})
      .describe(words);
  }
  const { schema, initial, words } = declared;
  return initial === undefined ? schema.describe(words) : schema.default(initial as never).describe(words);
}

/** An item's values by the names of their columns. */
export const columnsOf = (
  declarations: Declarations,
  item: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    entriesOf(declarations).flatMap(([name, declared]): (readonly [string, unknown])[] => {
      const value = item[name];
      if ('properties' in declared) return Object.entries(columnsOf(declared.properties, Object(value)));
      if ('flags' in declared) {
        const names = value as readonly string[];
        return Object.entries(declared.flags).map(([flag, column]) => [column, names.includes(flag)]);
      }
      return [[declared.column, declared.isInstant && value !== null ? Date.parse(String(value)) : value]];
    }),
  );
