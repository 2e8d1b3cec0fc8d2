/** The columns of the report's table that shrink in a narrow window. */
export interface Widths {
  readonly code: number;
  readonly name: number;
  readonly bar: number;
}

const GAP = 2;
/** The area's code and name, its bar, and four numbers. */
const COLUMNS = 7;
const WIDEST = { name: 30, bar: 16 } as const;
const NARROWEST = { code: 8, name: 8, bar: 6 } as const;

/**
 * How wide these columns may be, so that no row is broken: the name shrinks first, then the bar, the code
 * last.
 *
 * @param widest the full width of codes and names
 * @param numbers the width of the columns of numbers, without the gaps between
 * @param columns of the window; infinite where there is none
 */
export function widthsFor(widest: Omit<Widths, 'bar'>, numbers: number, columns: number): Widths {
  const room = columns - numbers - GAP * (COLUMNS - 1);
  const wanted = { code: widest.code, name: Math.min(widest.name, WIDEST.name), bar: WIDEST.bar };
  const giveWay = (width: number, least: number, tooMuch: number) =>
    Math.max(Math.min(width, least), width - Math.max(0, tooMuch));
  const name = giveWay(wanted.name, NARROWEST.name, wanted.code + wanted.name + wanted.bar - room);
  const bar = giveWay(wanted.bar, NARROWEST.bar, wanted.code + name + wanted.bar - room);
  const code = giveWay(wanted.code, NARROWEST.code, wanted.code + name + bar - room);
  return { code, name, bar };
}
