import { damaged } from './broken.ts';
import { type RawCell, type References, textOfCell } from './cells.ts';
import { attributeOf, tokensOf, unescaped } from './xml.ts';

/** As many as Excel has. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
/** More than any row has. Many cells may refer to one long text. */
const MAX_ROW_CHARACTERS = 256 * 1_024;

export interface SheetCell {
  /** From 0. */
  readonly column: number;
  readonly address: string;
  readonly text: string;
}

/** A row that has a cell. */
export interface SheetRow {
  readonly number: number;
  /** Only those with a text, by their columns. */
  readonly cells: readonly SheetCell[];
  /** The first cell without a value, with its text. */
  readonly valueless: string | null;
  /** The share of the sheet up to its end, 0 to 1. */
  readonly share: number;
}

/** A sheet cannot be read from this row on. */
export class BrokenRow extends Error {
  readonly row: number;
  readonly what: { readonly en: string; readonly it: string };

  constructor(row: number, what: BrokenRow['what']) {
    super(what.en);
    this.row = row;
    this.what = what;
  }
}

/**
 * The rows of a sheet one after the other, in their order. Missing rows and cells take no memory, however far
 * the next one is.
 *
 * @throws BrokenRow if the sheet's numbers make no sense, or a row is too large
 * @throws BrokenWorkbook if it is not a sheet
 */
export function* rowsOf(xml: string, references: References): Generator<SheetRow, void, void> {
  const reader = new SheetReader(references);
  for (const token of tokensOf(xml)) {
    if (token.kind === 'text') {
      reader.take(token.text);
      continue;
    }
    if (token.name === 'sheetData' && token.kind === 'close') return;
    const done = token.kind === 'open' ? reader.open(token.name, token.attributes) : reader.close(token.name);
    if (done !== null) yield done.seen(token.at / xml.length);
  }
  throw damaged('the sheet does not end');
}

class SheetReader {
  readonly #references: References;
  #inSheet = false;
  #last = 0;
  #row = new DraftRow(0);
  #cell: DraftCell | null = null;

  constructor(references: References) {
    this.#references = references;
  }

  take(text: string): void {
    this.#cell?.take(text);
  }

  open(name: string, attributes: string): null {
    if (name === 'sheetData') this.#inSheet = true;
    else if (!this.#inSheet) return null;
    else if (name === 'row') {
      this.#row = new DraftRow(rowNumber(attributeOf(attributes, 'r'), this.#last));
      this.#last = this.#row.number;
    } else if (name === 'c') this.#cell = new DraftCell(attributes);
    else this.#cell?.enter(name);
    return null;
  }

  /** The row that has ended, unless it is blank. */
  close(name: string): DraftRow | null {
    if (name === 'row') {
      const row = this.#row;
      this.#row = new DraftRow(this.#last);
      return row.isBlank ? null : row;
    }
    if (name === 'c') {
      if (this.#cell !== null) this.#row.add(this.#cell.done(), this.#references);
      this.#cell = null;
    } else this.#cell?.leave(name);
    return null;
  }
}

function rowNumber(written: string | undefined, last: number): number {
  const number = written === undefined ? last + 1 : /^\d{1,7}$/.test(written) ? Number(written) : 0;
  if (number < 1 || number > MAX_ROWS) throw new BrokenRow(last + 1, NO_NUMBER);
  if (number <= last) {
    throw new BrokenRow(number, { en: `it comes after row ${last}`, it: `segue la riga ${last}` });
  }
  return number;
}

/** Columns are counted in letters: A to Z, AA to ZZ, AAA to XFD. */
function columnOf(address: string, row: number): number {
  const [, letters = ''] = /^([A-Z]{1,3})\d{1,7}$/.exec(address) ?? [];
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  if (column < 0 || column >= MAX_COLUMNS) throw new BrokenRow(row, NO_ADDRESS);
  return column;
}

export function addressOf(column: number, row: number): string {
  let letters = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  }
  return `${letters}${row}`;
}

class DraftRow {
  readonly number: number;
  readonly #cells: SheetCell[] = [];
  #valueless: string | null = null;
  #next = 0;
  #characters = 0;

  constructor(number: number) {
    this.number = number;
  }

  get isBlank(): boolean {
    return this.#cells.length === 0 && this.#valueless === null;
  }

  add(raw: RawCell, references: References): void {
    const column = raw.address === '' ? this.#next : columnOf(raw.address, this.number);
    if (column < this.#next || column >= MAX_COLUMNS) throw new BrokenRow(this.number, NO_ADDRESS);
    this.#next = column + 1;
    const text = textOfCell(raw, references);
    if (text === '') return;
    const address = addressOf(column, this.number);
    if (text === null) {
      this.#valueless ??= `${address} ${raw.type === 'n' ? '=' : (raw.value ?? '=').slice(0, 20)}`;
      return;
    }
    this.#characters += text.length;
    if (this.#characters > MAX_ROW_CHARACTERS) throw new BrokenRow(this.number, TOO_LONG);
    this.#cells.push({ column, address, text });
  }

  seen(share: number): SheetRow {
    return { number: this.number, cells: this.#cells, valueless: this.#valueless, share };
  }
}

class DraftCell {
  readonly #attributes: string;
  readonly #within = new Set<string>();
  #value: string | undefined;
  #inline = '';
  #hasFormula = false;

  constructor(attributes: string) {
    this.#attributes = attributes;
  }

  enter(name: string): void {
    if (!PARTS.includes(name)) return;
    this.#within.add(name);
    if (name === 'v') this.#value ??= '';
    if (name === 'f') this.#hasFormula = true;
  }

  leave(name: string): void {
    this.#within.delete(name);
  }

  take(text: string): void {
    if (this.#within.has('v')) this.#value += text;
    // `rPh` holds the pronunciation.
    else if (this.#within.has('is') && this.#within.has('t') && !this.#within.has('rPh'))
      this.#inline += text;
  }

  done(): RawCell {
    const type = attributeOf(this.#attributes, 't') ?? 'n';
    return {
      address: attributeOf(this.#attributes, 'r') ?? '',
      type,
      style: attributeOf(this.#attributes, 's'),
      value: this.#value === undefined || type !== 'str' ? this.#value : unescaped(this.#value),
      inline: unescaped(this.#inline),
      hasFormula: this.#hasFormula,
    };
  }
}

const PARTS: readonly string[] = ['v', 'is', 't', 'f', 'rPh'];

const NO_NUMBER = { en: 'it has no number of a row', it: 'non ha un numero di riga' };
const NO_ADDRESS = {
  en: 'a cell has no address in it, or is not in its order',
  it: 'una cella non ha un indirizzo al suo interno, o non è in ordine',
};
const TOO_LONG = {
  en: 'its cells hold more than 262,144 characters',
  it: 'le sue celle contengono più di 262.144 caratteri',
};
