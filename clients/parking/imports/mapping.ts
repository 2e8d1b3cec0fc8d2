import type { Text } from '../../../src/text/text.ts';
import { wrongUsage } from '../stop.ts';
import type { TimeRules } from '../time/read-time.ts';
import { FIELDS, type Field, lineOf } from './fields.ts';
import { FirstLines } from './first-lines.ts';
import type { KindName, Trouble } from './kinds.ts';
import { type Row, type Translated, unreadable } from './rows.ts';

/** Where each property comes from: a column by its title, or a value that is the same in all rows. */
export interface Mapping {
  readonly columns: ReadonlyMap<string, string>;
  readonly constants: ReadonlyMap<string, string>;
}

/** A property with its place in the rows. */
interface Placed {
  readonly field: Field;
  /** Two for a date and its time; none for a constant. */
  readonly columns: readonly number[];
  /** Without a column. */
  readonly constant: string;
}

/**
 * Reads what follows `--map` or `--set`: `plate=Targa,area_code=Zona`.
 *
 * @throws Stop for what is not a pair, or a property twice
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
 * Of a subscription: the last of several rows would replace those before with all their plates and periods, unless
 * revisions say which one holds.
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

  /** @throws Stop when the mapping does not fit the file: before anything is sent */
  constructor(kind: KindName, header: readonly string[], mapping: Mapping, rules: TimeRules) {
    this.#kind = kind;
    this.#rules = rules;
    this.#width = header.length;
    this.#placed = placedFields(kind, header, mapping);
    this.#key = this.#placed.filter(({ field }) => KEY[kind].includes(field.name));
  }

  /** Remembers a row that is not sent. */
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
    const values: Record<string, unknown> = {};
    for (const placed of this.#placed) {
      const { field } = placed;
      const cell = cellOf(placed, cells);
      if (cell === '') continue;
      const reading = field.read(cell, this.#rules);
      if (reading === undefined) continue;
      if ('trouble' in reading) return unreadable(row, troubleIn(field.name, cell, reading.trouble));
      values[field.name] = reading.value;
    }
    return { text: JSON.stringify(lineOf(this.#kind, values)), trouble: null };
  }

  /** Why a row is rejected if an earlier one has its subscription. It may be called for a row more than once. */
  #repeated(cells: readonly string[], line: number): Trouble | null {
    const [name, ...others] = this.#key;
    const cell = name === undefined ? '' : cellOf(name, cells);
    if (name === undefined || cell === '') return null;
    const key = [cell, ...others.map((placed) => cellOf(placed, cells))].join('\n');
    const firstLine = this.#firstLines.of(key, line);
    return firstLine === line ? null : troubleIn(name.field.name, cell, alreadyIn(firstLine));
  }
}

const cellOf = ({ columns, constant }: Placed, cells: readonly string[]): string =>
  columns.length === 0
    ? constant
    : columns
        .map((column) => cells[column]?.trim() ?? '')
        .join(' ')
        .trim();

function placedFields(kind: KindName, header: readonly string[], { columns, constants }: Mapping): Placed[] {
  const fields = FIELDS[kind];
  const names = fields.map(({ name }) => name);
  const unknown = [...columns.keys(), ...constants.keys()].filter((name) => !names.includes(name));
  if (unknown.length > 0) throw unknownProperty(unknown, names);
  const titles = header.map((title) => title.trim());
  const placed = fields.flatMap((field): Placed[] => {
    const title = columns.get(field.name);
    const constant = constants.get(field.name);
    if (title !== undefined) return [{ field, columns: columnsOf(field, title, titles), constant: '' }];
    if (constant !== undefined) return [{ field, columns: [], constant }];
    const column = titles.indexOf(field.name);
    return column === -1 ? [] : [{ field, columns: [column], constant: '' }];
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

/** By its title exactly; else whatever the case, where that leaves one. */
function columnOf(title: string, titles: readonly string[]): number {
  const exact = titles.indexOf(title);
  if (exact !== -1) return exact;
  const alike = titles.flatMap((one, index) => (one.toLowerCase() === title.toLowerCase() ? [index] : []));
  const [column] = alike;
  if (column === undefined || alike.length > 1) {
    throw wrongUsage({
      en: `The file has no column ${title}. It has: ${titles.join(', ')}`,
      it: `Il file non ha una colonna ${title}. Ha: ${titles.join(', ')}`,
    });
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

function troubleIn(property: string, cell: string, { en, it }: Text): Trouble {
  const shown = cell.length > 60 ? `${cell.slice(0, 60)}…` : cell;
  return {
    code: 'INVALID_REQUEST',
    message: { en: `${property}: ${shown} ${en}`, it: `${property}: ${shown} ${it}` },
  };
}

const alreadyIn = (line: number): Text => ({
  en: `is in line ${line} already: put all plates and periods of a subscription into one row`,
  it: `è già nella riga ${line}: riunire in una riga tutte le targhe e i periodi di un abbonamento`,
});

const wrongWidth = (cells: number, columns: number): Trouble => ({
  code: 'INVALID_REQUEST',
  message: {
    en: `the row has ${cells} ${cells === 1 ? 'cell' : 'cells'}, the header ${columns}`,
    it: `la riga ha ${cells} ${cells === 1 ? 'cella' : 'celle'}, l’intestazione ${columns}`,
  },
});
