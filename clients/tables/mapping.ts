import { FIELDS, type Field, type KindName } from './fields.ts';
import { TableError } from './table-error.ts';

/** Where each property comes from: a column by its title, or a value that is the same in all rows. */
export interface Mapping {
  /** Two columns, a date and a time of day, as `Data+Ora`. */
  readonly columns: ReadonlyMap<string, string>;
  readonly constants: ReadonlyMap<string, string>;
  /** The meaning of the file's words, by property and by the word in lower case. */
  readonly values?: ReadonlyMap<string, ReadonlyMap<string, string>> | undefined;
}

/** A property with its columns. */
export interface Placed {
  readonly field: Field;
  /** Two for a date and its time; none for a constant. */
  readonly columns: readonly number[];
  /** Without a column. */
  readonly constant: string;
  /** What words of its cells mean. */
  readonly words: ReadonlyMap<string, string>;
}

/**
 * The properties that a table fills.
 *
 * @throws TableError if the mapping does not fit the table's titles
 */
export function placedFields(
  kind: KindName,
  header: readonly string[],
  { columns, constants, values }: Mapping,
): Placed[] {
  const fields = FIELDS[kind];
  const names = fields.map(({ name }) => name);
  const unknown = [...columns.keys(), ...constants.keys(), ...(values?.keys() ?? [])].filter(
    (name) => !names.includes(name),
  );
  if (unknown.length > 0) throw unknownProperty(unknown, names);
  const titles = header.map((title) => title.trim());
  const placed = fields.flatMap((field): Placed[] => {
    const title = columns.get(field.name);
    const constant = constants.get(field.name);
    const words = values?.get(field.name) ?? new Map();
    if (title !== undefined)
      return [{ field, columns: columnsOf(field, title, titles), constant: '', words }];
    if (constant !== undefined) return [{ field, columns: [], constant, words }];
    const column = titles.indexOf(field.name);
    return column === -1 ? [] : [{ field, columns: [column], constant: '', words }];
  });
  const missing = fields
    .filter(({ required }) => required)
    .filter((field) => !placed.some((one) => one.field === field));
  if (missing.length > 0) {
    throw missingColumns(
      missing.map(({ name }) => name),
      titles,
    );
  }
  return placed;
}

/** One column; of a time also two, a date and a time of day: `Data+Ora`. */
function columnsOf({ readPair }: Field, title: string, titles: readonly string[]): number[] {
  const both = title.split('+').map((one) => one.trim());
  const isPair = readPair !== null && both.length === 2 && !both.includes('') && !titles.includes(title);
  return (isPair ? both : [title]).map((one) => columnOf(one, titles));
}

/** By its exact title; else ignoring case, if that leaves one column. */
function columnOf(title: string, titles: readonly string[]): number {
  const exact = titles.indexOf(title);
  if (exact !== -1) return exact;
  const alike = titles.flatMap((one, index) => (one.toLowerCase() === title.toLowerCase() ? [index] : []));
  const [column] = alike;
  if (column === undefined || alike.length > 1) {
    const found = titles.filter((one) => one !== '').join(', ');
    throw new TableError('no_column', {
      en: `The file has no column ${title}. It has: ${found}`,
      it: `Il file non ha una colonna ${title}. Ha: ${found}`,
    });
  }
  return column;
}

const unknownProperty = (unknown: readonly string[], known: readonly string[]) =>
  new TableError('mapping', {
    en: `No such property: ${unknown.join(', ')}. There are: ${known.join(', ')}`,
    it: `Proprietà inesistente: ${unknown.join(', ')}. Ci sono: ${known.join(', ')}`,
  });

const missingColumns = (missing: readonly string[], titles: readonly string[]) =>
  new TableError('unmapped', {
    en: `No column for: ${missing.join(', ')}. The file has: ${titles.join(', ')}`,
    it: `Nessuna colonna per: ${missing.join(', ')}. Il file ha: ${titles.join(', ')}`,
  });
