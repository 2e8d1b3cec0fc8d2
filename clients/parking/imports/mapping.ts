import type { Text } from '../../../src/base/text/text.ts';
import { wrongUsage } from '../stop.ts';
import type { TimeRules } from '../time/read-time.ts';
import { type Fault, faultsOf, itemIn, notAmong, pathedIn } from './faults.ts';
import { FIELDS, type Field, lineOf } from './fields.ts';
import { FirstLines } from './first-lines.ts';
import { type KindName, type KnownCodes, NOTHING_KNOWN, type Trouble } from './kinds.ts';
import { type Row, type Translated, unreadable, wrongWidth } from './rows.ts';

/** Where each property comes from: a column by its title, or a value that is the same in all rows. */
export interface Mapping {
  readonly columns: ReadonlyMap<string, string>;
  readonly constants: ReadonlyMap<string, string>;
  /** The meaning of the file's words, by property and by the word in lower case. */
  readonly values?: ReadonlyMap<string, ReadonlyMap<string, string>> | undefined;
}

/** A property with its columns. */
interface Placed {
  readonly field: Field;
  /** Two for a date and its time; none for a constant. */
  readonly columns: readonly number[];
  /** Without a column. */
  readonly constant: string;
  /** What words of its cells mean. */
  readonly words: ReadonlyMap<string, string>;
}

/**
 * Reads the value of `--map` or `--set`: `plate=Targa,area_code=Zona`.
 *
 * @throws Stop for anything but pairs, or a property twice
 */
export function readPairs(texts: readonly string[], option: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const pair of texts.flatMap((text) => text.split(','))) {
    const at = pair.indexOf('=');
    const [property, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    if (at < 1 || value === '' || pairs.has(property)) {
      throw wrongUsage({
        en: `${option} takes pairs, each property once: ${option} plate=Targa,area_code=Zona. This is not one: ${pair}`,
        it: `${option} accetta coppie, ogni proprietà una volta: ${option} plate=Targa,area_code=Zona. Questa non lo è: ${pair}`,
      });
    }
    pairs.set(property, value);
  }
  return pairs;
}

/**
 * For subscriptions: the last of several rows would replace the earlier ones with all their plates and
 * periods, unless revisions decide.
 */
const KEY: Readonly<Record<KindName, readonly string[]>> = {
  sessions: [],
  subscriptions: ['subscription_number', 'revision'],
};

/** Turns rows into lines, by the titles of a file's columns. */
export class Translator {
  readonly #kind: KindName;
  readonly #key: readonly Placed[];
  readonly #firstLines = new FirstLines();
  readonly #rules: TimeRules;
  readonly #placed: readonly Placed[];
  readonly #width: number;
  readonly #titles: readonly string[];

  /** @throws Stop when the mapping does not fit the file: before anything is sent */
  constructor(kind: KindName, header: readonly string[], mapping: Mapping, rules: TimeRules) {
    this.#kind = kind;
    this.#rules = rules;
    this.#width = header.length;
    this.#titles = header.map((title) => title.trim());
    this.#placed = placedFields(kind, header, mapping);
    this.#key = this.#placed.filter(({ field }) => KEY[kind].includes(field.name));
  }

  /** Notes a row that is not sent. */
  passOver({ number, source }: Row): void {
    if (typeof source !== 'string') this.#repeated(source, number);
  }

  translate(row: Row): Translated {
    const cells = row.source;
    if (typeof cells === 'string' || cells.length !== this.#width) {
      return unreadable(row, wrongWidth(cells.length, this.#width));
    }
    const repeated = this.#repeated(cells, row.number);
    if (repeated !== null) return unreadable(row, repeated);
    const { values, faults } = this.#read(cells);
    const [first] = faults;
    return first === undefined
      ? { text: JSON.stringify(lineOf(this.#kind, values)), trouble: null }
      : unreadable(
          row,
          this.explain(row, { code: 'INVALID_REQUEST', message: first.message }, NOTHING_KNOWN),
        );
  }

  explain(row: Row, said: Trouble, known: KnownCodes): Trouble {
    const cells = row.source;
    if (typeof cells === 'string' || cells.length !== this.#width) return said;
    const repeated = this.#repeated(cells, row.number);
    const { values, faults } = this.#read(cells);
    const line = lineOf(this.#kind, values);
    const unread = new Set(faults.map(({ path }) => path));
    const inCells = faults.map(({ path, message }) => this.#named(path, cells, message));
    const inLine = faultsOf(this.#kind, line, known).filter(
      ({ path }) => !unread.has(this.#propertyOf(path)),
    );
    const isOurs = repeated !== null || faults.length > 0;
    const ofLine = [...inLine, ...notAmong(inLine, isOurs ? [] : pathedIn(said))];
    const texts = [
      ...(repeated === null ? [] : [repeated.message]),
      ...inCells,
      ...ofLine.map(({ path, message }) => this.#named(path, cells, message, itemIn(line, path))),
    ];
    if (texts.length === 0) return said;
    return {
      code: said.code,
      message: {
        en: texts.map(({ en }) => en).join('; '),
        it: texts.map(({ it }) => it).join('; '),
      },
    };
  }

  /** The values of a row, and the cells that have none. */
  #read(cells: readonly string[]): { values: Record<string, unknown>; faults: Fault[] } {
    const values: Record<string, unknown> = {};
    const faults: Fault[] = [];
    for (const placed of this.#placed) {
      const { field, words } = placed;
      const cell = cellOf(placed, cells);
      if (cell === '') continue;
      const reading = field.read(words.get(cell.toLowerCase()) ?? cell, this.#rules);
      if (reading === undefined) continue;
      if ('trouble' in reading) faults.push({ path: field.name, message: reading.trouble });
      else values[field.name] = reading.value;
    }
    return { values, faults };
  }

  /** The property of the file's columns that a path of the line comes from. */
  #propertyOf(path: string): string {
    const [list = '', , property = ''] = path.split('.');
    const own = `${list.replace(/s$/, '')}_${property}`;
    return this.#placed.some(({ field }) => field.name === own) ? own : list;
  }

  /** A fault with the title of its column and the value. */
  #named(path: string, cells: readonly string[], message: Text, item?: string): Text {
    const property = this.#propertyOf(path);
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

  #titleOf({ field, columns }: Placed): string {
    return columns.map((column) => this.#titles[column] ?? '').join('+') || field.name;
  }

  /** The words of a fault with the title of the column in the place of a property that has one of its own. */
  #withTitles(words: string, path: string): string {
    return words.replace(STARTS, (property) => {
      const own = this.#propertyOf([...path.split('.').slice(0, -1), property].join('.'));
      const placed = this.#placed.find(({ field }) => field.name === own);
      return placed !== undefined && own.endsWith(property) ? this.#titleOf(placed) : property;
    });
  }

  /** Why a row is rejected if an earlier one has its subscription. It may be called for a row more than once. */
  #repeated(cells: readonly string[], line: number): Trouble | null {
    const [name, ...others] = this.#key;
    const cell = name === undefined ? '' : cellOf(name, cells);
    if (name === undefined || cell === '') return null;
    const key = [cell, ...others.map((placed) => cellOf(placed, cells))].join('\n');
    const firstLine = this.#firstLines.of(key, line);
    if (firstLine === line) return null;
    return { code: 'INVALID_REQUEST', message: this.#named(name.field.name, cells, alreadyIn(firstLine)) };
  }
}

/** The properties that a fault of an end names. */
const STARTS = /\b(?:starts_at|valid_from|authorized_from|suspended_from)\b/g;

const cellOf = ({ columns, constant }: Placed, cells: readonly string[]): string =>
  columns.length === 0
    ? constant
    : columns
        .map((column) => cells[column]?.trim() ?? '')
        .join(' ')
        .trim();

function placedFields(
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
  if (missing.length > 0)
    throw missingColumns(
      missing.map(({ name }) => name),
      titles,
    );
  return placed;
}

/** One column; of a time also two, a date and a time of day: `Data+Ora`. */
function columnsOf({ isTime }: Field, title: string, titles: readonly string[]): number[] {
  const both = title.split('+').map((one) => one.trim());
  const isPair = isTime && both.length === 2 && !both.includes('') && !titles.includes(title);
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
    throw wrongUsage(
      {
        en: `The file has no column ${title}. It has: ${found}`,
        it: `Il file non ha una colonna ${title}. Ha: ${found}`,
      },
      {
        advice: {
          en: 'If the titles are further down: --header-row says in which line.',
          it: 'Se i titoli sono più in basso: --header-row dice in quale riga.',
        },
      },
    );
  }
  return column;
}

const unknownProperty = (unknown: readonly string[], known: readonly string[]) =>
  wrongUsage({
    en: `No such property: ${unknown.join(', ')}. There are: ${known.join(', ')}`,
    it: `Proprietà inesistente: ${unknown.join(', ')}. Ci sono: ${known.join(', ')}`,
  });

const missingColumns = (missing: readonly string[], titles: readonly string[]) =>
  wrongUsage(
    {
      en: `No column for: ${missing.join(', ')}. The file has: ${titles.join(', ')}`,
      it: `Nessuna colonna per: ${missing.join(', ')}. Il file ha: ${titles.join(', ')}`,
    },
    {
      advice: {
        en: `Name the columns with --map ${missing[0]}=TITLE,…; a value that is the same in all rows with --set ${missing[0]}=VALUE`,
        it: `Indicare le colonne con --map ${missing[0]}=TITOLO,…; un valore uguale in tutte le righe con --set ${missing[0]}=VALORE`,
      },
    },
  );

const MAX_SHOWN = 60;
const shortened = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

const alreadyIn = (line: number): Text => ({
  en: `is in line ${line} already: put all plates and periods of a subscription into one row`,
  it: `è già nella riga ${line}: riunire in una riga tutte le targhe e i periodi di un abbonamento`,
});
