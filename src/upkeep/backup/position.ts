import * as z from 'zod';

/** How far a backup has come between two parts: positions, and no key or plate of anybody, because backups are kept for long. */
export interface Position {
  readonly backupId: string;
  readonly municipality: number;
  /** The parts and rows so far. */
  readonly parts: number;
  readonly rows: number;
  readonly begunAt: number;
  /** The municipality's newest change when the backup began: it is read as of that. */
  readonly asOf: number;
  /** The table that is read next, by its place in the list. */
  readonly table: number;
  /** The last row that was read of it. */
  readonly after: readonly number[];
}

const number = z.coerce.number().pipe(z.int().min(-1));
const NUMBERS = z.tuple([z.uuid(), number, number, number, number, number, number], number);

/** The text of a position: what the interface calls `after`. */
export const textOfPosition = (position: Position): string => {
  const { backupId, municipality, parts, rows, begunAt, asOf, table, after } = position;
  return [backupId, municipality, parts, rows, begunAt, asOf, table, ...after].join('.');
};

/** Null: the text is no position. */
export function positionOf(text: string): Position | null {
  const { data } = NUMBERS.safeParse(text.split('.'));
  if (data === undefined) return null;
  const [backupId, municipality, parts, rows, begunAt, asOf, table, ...after] = data;
  return { backupId, municipality, parts, rows, begunAt, asOf, table, after };
}
