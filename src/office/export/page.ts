import * as z from 'zod';
import { refuseFields } from '../../base/errors/refusal.ts';

/** Items of all lists in an answer. */
export const MAX_EXPORTED = 1_000;
/** An answer ends after so much: some items have tens of kilobytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/** An item of an export: the list, by its place; its position in it; and which one it is among those of that position. */
const cursor = z.tuple([z.int(), z.int(), z.int(), z.int()]);
type Cursor = z.infer<typeof cursor>;

/** A list of an export: the municipality's id, and which of its lists. */
type ListPlace = readonly [municipality: number, list: number];

const BAD_CURSOR = { en: 'is not the `next` of an export', it: 'non è il `next` di un’esportazione' };

/** A page of an export: as many items as fit, from a given one on. Lists follow each other in the order of their places. */
export class Page {
  readonly from: Cursor;
  #room = MAX_EXPORTED;
  #bytes = 0;
  #next: Cursor | null = null;

  /** @throws Refusal `INVALID_REQUEST` for a text that is no `next` */
  constructor(after: string | null) {
    try {
      this.from = after === null ? [0, 0, 0, 0] : cursor.parse(JSON.parse(after));
    } catch {
      refuseFields([{ path: 'after', message: BAD_CURSOR }]);
    }
  }

  get isFull(): boolean {
    return this.#next !== null;
  }

  /** Where the next page begins; null at the end. */
  get next(): string | null {
    return this.#next && JSON.stringify(this.#next);
  }

  /**
   * The items of a list that belong on this page, by their positions.
   *
   * @param positionOf a row: it never changes
   */
  take<Row, Item>(
    [municipality, list]: ListPlace,
    rows: readonly Row[],
    positionOf: (row: Row) => number,
    present: (row: Row) => Item,
    most = MAX_EXPORTED,
  ): Item[] {
    const items: Item[] = [];
    let position: number | null = null;
    let nth = 0;
    for (const row of rows.toSorted((a, b) => positionOf(a) - positionOf(b))) {
      nth = positionOf(row) === position ? nth + 1 : 0;
      position = positionOf(row);
      const at: Cursor = [municipality, list, position, nth];
      if (this.isFull || isBefore(at, this.from)) continue;
      if (this.#room === 0 || this.#bytes > MAX_BYTES || items.length === most) {
        this.#next = at;
        continue;
      }
      const item = present(row);
      items.push(item);
      this.#room -= 1;
      this.#bytes += JSON.stringify(item).length;
    }
    return items;
  }
}

function isBefore(one: Cursor, other: Cursor): boolean {
  const index = one.findIndex((value, place) => value !== other[place]);
  return index !== -1 && (one[index] ?? 0) < (other[index] ?? 0);
}
