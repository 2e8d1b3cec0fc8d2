import type { Text } from '../../src/base/text/text.ts';
import { type CellReading, type KindName, lineOf } from './fields.ts';
import { type Mapping, type Placed, placedFields } from './mapping.ts';
import type { TimeRules } from './read-time.ts';
import type { CellKind, TableRow } from './table.ts';

/** Something that is wrong with a row: the property (`plates`), and what, with the title and the value of its cell. */
export interface Fault {
  /** Null: the row itself. */
  readonly path: string | null;
  readonly message: Text;
}

/** A row as a line of an import. */
export interface Reading {
  /** Without the properties that have a fault. */
  readonly line: object;
  readonly faults: readonly Fault[];
}

/**
 * For subscriptions: the last of several rows would replace the earlier ones with all their plates and
 * periods, unless revisions decide.
 */
const KEY: Readonly<Record<KindName, readonly string[]>> = {
  sessions: [],
  subscriptions: ['subscription_number', 'revision'],
};

/** Turns rows into lines, by the titles of a table's columns. */
export class Translator {
  readonly #kind: KindName;
  readonly #rules: TimeRules;
  readonly #titles: readonly string[];
  readonly #placed: readonly Placed[];
  readonly #key: readonly Placed[];
  /** The row in which each key came first. */
  readonly #firstRows = new Map<string, number>();

  /** @throws TableError if the mapping does not fit the table */
  constructor(kind: KindName, header: readonly string[], mapping: Mapping, rules: TimeRules) {
    this.#kind = kind;
    this.#rules = rules;
    this.#titles = header.map((title) => title.trim());
    this.#placed = placedFields(kind, header, mapping);
    this.#key = this.#placed.filter(({ field }) => KEY[kind].includes(field.name));
  }

  /** Reads a row. It may be read more than once. Also read rows that are not imported: a later one may repeat their key. */
  read(row: TableRow): Reading {
    const { source, number, fault } = row;
    const ofRow = fault ?? wrongWidth(source.length, this.#titles.length);
    if (ofRow !== null) return { line: {}, faults: [{ path: null, message: ofRow }] };
    const values: Record<string, unknown> = {};
    const faults: Fault[] = [];
    const repeated = this.#repeated(source, number);
    if (repeated !== null) faults.push({ path: null, message: repeated });
    for (const placed of this.#placed) {
      const reading = this.#valueOf(placed, row);
      if (reading === undefined) continue;
      const { name } = placed.field;
      if ('trouble' in reading)
        faults.push({ path: name, message: this.named(name, source, reading.trouble) });
      else values[name] = reading.value;
    }
    return { line: lineOf(this.#kind, values), faults };
  }

  /** The cells without those that hold a number or a date in place of a code: whoever corrects the row writes them again. */
  withoutSpoilt({ source, kinds }: TableRow): readonly string[] {
    const spoilt = this.#placed
      .filter(({ field }) => field.isCode)
      .flatMap(({ columns }) => columns)
      .filter((column) => kinds?.has(column));
    return spoilt.length === 0 ? source : source.map((cell, column) => (spoilt.includes(column) ? '' : cell));
  }

  /** The property of the table's columns that a path of the line (`plates.0.valid_until`) comes from. */
  propertyOf(path: string): string {
    const [list = '', , property = ''] = path.split('.');
    const own = `${list.replace(/s$/, '')}_${property}`;
    return this.#placed.some(({ field }) => field.name === own) ? own : list;
  }

  /**
   * A fault with the title of its column and the value.
   *
   * @param path of the line
   * @param item of a list, the one item that has the fault
   */
  named(path: string, cells: readonly string[], message: Text, item?: string): Text {
    const property = this.propertyOf(path);
    const placed = this.#placed.find(({ field }) => field.name === property);
    if (placed === undefined) return { en: `${path}: ${message.en}`, it: `${path}: ${message.it}` };
    const title = this.#titleOf(placed);
    const cell = cellOf(placed, cells);
    // Of a list, the item alone, if it is written like this in the file.
    const value = shortened(item !== undefined && cell.includes(item) ? item : cell);
    const [before, between] = value === '' ? ['', ''] : [`${value} `, item === undefined ? '' : '– '];
    const inTitles = (words: string): string => this.#withTitles(words, path);
    return {
      en: `${title}: ${before}${between}${inTitles(message.en)}`,
      it: `${title}: ${before}${between}${inTitles(message.it)}`,
    };
  }

  #valueOf(placed: Placed, { source, kinds }: TableRow): CellReading {
    const { field, columns, words } = placed;
    const cell = cellOf(placed, source);
    if (cell === '') return undefined;
    const [first, second] = columns;
    const kind = first === undefined ? undefined : kinds?.get(first);
    if (kind !== undefined && field.isCode) return { trouble: NOT_A_TEXT[kind] };
    if (second !== undefined && first !== undefined && field.readPair !== null) {
      return field.readPair([trimmed(source, first), trimmed(source, second)], this.#rules);
    }
    return field.read(words.get(cell.toLowerCase()) ?? cell, this.#rules);
  }

  #titleOf({ field, columns }: Placed): string {
    return columns.map((column) => this.#titles[column] ?? '').join('+') || field.name;
  }

  /** The words of a fault with the title of the column in the place of a property that has one of its own. */
  #withTitles(words: string, path: string): string {
    return words.replace(STARTS, (property) => {
      const own = this.propertyOf([...path.split('.').slice(0, -1), property].join('.'));
      const placed = this.#placed.find(({ field }) => field.name === own);
      return placed !== undefined && own.endsWith(property) ? this.#titleOf(placed) : property;
    });
  }

  /** Why a row is rejected if an earlier one has its key. */
  #repeated(cells: readonly string[], number: number): Text | null {
    const [name, ...others] = this.#key;
    const cell = name === undefined ? '' : cellOf(name, cells);
    if (name === undefined || cell === '') return null;
    const key = [cell, ...others.map((placed) => cellOf(placed, cells))].join('\n');
    const first = this.#firstRows.get(key);
    if (first === undefined) this.#firstRows.set(key, number);
    return first === undefined || first === number
      ? null
      : this.named(name.field.name, cells, alreadyIn(first));
  }
}

/** The properties that a fault of an end names. */
const STARTS = /\b(?:starts_at|valid_from|authorized_from|suspended_from)\b/g;

const trimmed = (cells: readonly string[], column: number): string => cells[column]?.trim() ?? '';

const cellOf = ({ columns, constant }: Placed, cells: readonly string[]): string =>
  columns.length === 0
    ? constant
    : columns
        .map((column) => trimmed(cells, column))
        .join(' ')
        .trim();

const MAX_SHOWN = 60;
const shortened = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

/** A number has lost its zeros or its last digits, a date was a text: what was written is not known any more. */
const NOT_A_TEXT: Readonly<Record<CellKind, Text>> = {
  number: {
    en: 'is a number in the sheet, not a text: format the column as text, and write it again',
    it: 'nel foglio è un numero, non un testo: formattare la colonna come testo e riscriverlo',
  },
  date: {
    en: 'is a date in the sheet, not a text: format the column as text, and write it again',
    it: 'nel foglio è una data, non un testo: formattare la colonna come testo e riscriverlo',
  },
};

const wrongWidth = (cells: number, columns: number): Text | null =>
  cells === columns
    ? null
    : {
        en: `the row has ${cells} ${cells === 1 ? 'cell' : 'cells'}, the header ${columns}`,
        it: `la riga ha ${cells} ${cells === 1 ? 'cella' : 'celle'}, l’intestazione ${columns}`,
      };

const alreadyIn = (row: number): Text => ({
  en: `is in line ${row} already: put all plates and periods of a subscription into one row`,
  it: `è già nella riga ${row}: riunire in una riga tutte le targhe e i periodi di un abbonamento`,
});
