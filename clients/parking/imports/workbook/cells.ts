/** A cell of a sheet, as its XML has it. */
export interface RawCell {
  readonly address: string;
  readonly type: string;
  readonly style: string | undefined;
  /** Undefined: it has none. */
  readonly value: string | undefined;
  readonly inline: string;
  readonly hasFormula: boolean;
}

/** The parts of a workbook that cells refer to. */
export interface References {
  readonly strings: readonly string[];
  readonly dateStyles: readonly boolean[];
  readonly countsFrom1904: boolean;
}

const DAY_MS = 86_400_000;
/** From the first of January 1904 to that of 1900, as Excel counts, and from there to that of 1970. */
const DAYS_1904 = 1_462;
const DAYS_1970 = 25_569;

/**
 * The text of a cell, as the same table in CSV would have it: a date as clocks show it, a time of day alone, a bare date.
 *
 * @returns null for a cell without a value: an error such as `#N/A`, or a formula that was never calculated
 */
export function textOfCell(cell: RawCell, references: References): string | null {
  const { type, value, inline, hasFormula } = cell;
  // The result of a formula may be an empty text; an empty number was never calculated.
  const isUncalculated = hasFormula && (value === undefined || (value === '' && type !== 'str'));
  if (type === 'e' || isUncalculated) return null;
  if (type === 'inlineStr') return inline.trim();
  if (value === undefined || value === '') return '';
  switch (type) {
    case 'str':
      return value.trim();
    case 's':
      return references.strings[Number(value)]?.trim() ?? null;
    case 'b':
      return BOOLEANS[value] ?? null;
    case 'd':
      return timeOf(Date.parse(value));
    case 'n':
      return textOfNumber(Number(value), cell.style, references);
    default:
      return null;
  }
}

const BOOLEANS: Readonly<Record<string, string>> = { 0: 'false', 1: 'true' };

function textOfNumber(number: number, style: string | undefined, references: References): string | null {
  const { dateStyles, countsFrom1904 } = references;
  if (style !== undefined && dateStyles[Number(style)] === true) {
    return timeOf((number + (countsFrom1904 ? DAYS_1904 : 0) - DAYS_1970) * DAY_MS);
  }
  return Number.isFinite(number) ? String(number) : null;
}

/** To the second: a day's fraction has too few digits to be exact, and a time must not lose one. */
function timeOf(ms: number): string | null {
  const at = new Date(Math.round(ms / 1_000) * 1_000);
  if (Number.isNaN(at.getTime())) return null;
  const [date = '', time = ''] = at.toISOString().slice(0, -5).split('T');
  // Excel counts days from 1900, or 1904: before them there are times alone.
  if (at.getUTCFullYear() < 1905) return time;
  return time === '00:00:00' ? date : `${date} ${time}`;
}
