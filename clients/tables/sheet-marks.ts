/**
 * The library reads a date that is written as a text by the computer's own clock, and takes an error, and a formula
 * that was never calculated, for an empty cell. Their cells become texts that begin with one of these.
 */
export const MARKS = { DATE: '\ue000date:', ERROR: '\ue000error:' } as const;

/** A sheet has a cell so far from the others that the rows and columns up to it would fill the memory. */
export class TooFarOut extends Error {}

/** The rows times the columns of a sheet, each of which takes memory, with or without a cell. */
const MAX_PLACES = 20_000_000;

/** A cell, up to its end or to the next one. */
const CELL = /<((?:\w+:)?c)(\s[^>]*?)?(?:\/>|>([^<]*(?:<(?!\/?(?:\w+:)?c[\s/>])[^<]*)*)<\/\1>)/g;
const VALUE = /<(?:\w+:)?v>([^<]*)<\/(?:\w+:)?v>/;
const FORMULA = /<(?:\w+:)?f[\s/>]/;

/**
 * The XML of a sheet with its dates and errors marked.
 *
 * @throws TooFarOut
 */
export function markedSheet(xml: string): string {
  let [rows, columns] = [0, 0];
  return xml.replace(CELL, (cell: string, name: string, attributes = '', content = '') => {
    const [, address = '', letters = '', row = '0'] = /\sr="(([A-Z]{1,3})(\d{1,7}))"/.exec(attributes) ?? [];
    rows = Math.max(rows, Number(row));
    columns = Math.max(columns, columnOf(letters));
    if (rows * columns > MAX_PLACES) throw new TooFarOut(address);
    const type = /\st="(\w+)"/.exec(attributes)?.[1] ?? 'n';
    const value = VALUE.exec(content)?.[1];
    const mark = type === 'd' && value ? MARKS.DATE : lacksValue(type, content, value) ? MARKS.ERROR : null;
    if (mark === null) return cell;
    return `<${name} r="${address}" t="str"><v>${mark}${value || '='}</v></${name}>`;
  });
}

/** The result of a formula may be an empty text; an empty number was never calculated. */
function lacksValue(type: string, content: string, value: string | undefined): boolean {
  if (type === 'e') return true;
  return FORMULA.test(content) && (value === undefined || (value === '' && type !== 'str'));
}

function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}
