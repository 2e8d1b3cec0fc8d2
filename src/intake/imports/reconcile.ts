import type { Change } from '../../domain/daily-changes.ts';
import { type BatchCount, BatchRoom, type DayRoom } from './day-room.ts';

/** Decides whether a line creates, changes or repeats a row, for one kind of import. */
export interface ReconcileRule<Row> {
  keyOf(row: Row): string;
  /** Whether two rows of one key are equal. */
  same(a: Row, b: Row): boolean;
  /** The row after a line: the line as a whole, or the row before it where that is newer. */
  after(before: Row, line: Row): Row;
  /** How much a change counts of the day. The row before is null for a new key. */
  changeOf(before: Row | null, after: Row): Change;
  /** Whether the row after fits wherever the row before did, however much is stored of its plates. */
  keepsPlace(before: Row, after: Row): boolean;
}

export interface Reconciled<Row> {
  /** The rows to store, as they are after all lines, one per key. */
  readonly changed: readonly Row[];
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  /** What the rows to store count of the day. */
  readonly count: Omit<BatchCount, 'day'>;
}

/** Why a line is not taken: too much is stored of its plate, or the day has no room for what it changes. */
export type Refused = 'crowded' | 'no_room';

/** One key's row after the lines read so far. */
interface Fate<Row> {
  readonly stored: Row | null;
  row: Row | null;
  /** The change that was given room; null while the row is as it is stored. */
  change: Change | null;
  lines: number;
  updates: number;
}

/**
 * Applies lines to the rows that are stored, in the order of the file.
 *
 * A line of a new key creates its row, one that changes the row updates it, any other leaves it unchanged. Lines of one
 * key that together leave the row as it was stored are unchanged, each of them: the same file again changes nothing.
 */
export class Reconciliation<Row> {
  readonly #stored: ReadonlyMap<string, Row>;
  readonly #rule: ReconcileRule<Row>;
  readonly #fates = new Map<string, Fate<Row>>();
  readonly #room: BatchRoom;

  /**
   * @param stored the rows of the lines' keys, by key; none for a key that is new
   * @param room what the day has room for
   */
  constructor(stored: ReadonlyMap<string, Row>, rule: ReconcileRule<Row>, room: DayRoom) {
    this.#stored = stored;
    this.#rule = rule;
    this.#room = new BatchRoom(room);
  }

  /**
   * The next line. Of the lines of one key, one row is kept.
   *
   * @param isCrowded whether the key is one too many of a plate, so that only a line that keeps its place is taken
   * @returns why the line does nothing, if it does nothing
   */
  add(line: Row, isCrowded: (key: string) => boolean = () => false): Refused | null {
    const key = this.#rule.keyOf(line);
    const before = this.#stored.get(key) ?? null;
    const fate = this.#fates.get(key) ?? { stored: before, row: before, change: null, lines: 0, updates: 0 };
    this.#fates.set(key, fate);
    return applyLine(fate, line, this.#rule, this.#room, isCrowded(key));
  }

  /** What the lines so far have made of the rows. */
  outcome(): Reconciled<Row> {
    return { ...sumFates([...this.#fates.values()], this.#rule), count: this.#room.outcome };
  }
}

const NOTHING: Change = { cost: 0, isEnding: true };

function applyLine<Row>(
  fate: Fate<Row>,
  line: Row,
  rule: ReconcileRule<Row>,
  room: BatchRoom,
  isCrowded: boolean,
): Refused | null {
  const { stored } = fate;
  const row = fate.row === null ? line : rule.after(fate.row, line);
  if (fate.row !== null && rule.same(row, fate.row)) {
    fate.lines += 1;
    return null;
  }
  const change = stored !== null && rule.same(row, stored) ? NOTHING : rule.changeOf(stored, row);
  if (isCrowded && (stored === null || !rule.keepsPlace(stored, row))) {
    return 'crowded';
  }
  if (!room.take(change, fate.change)) {
    return 'no_room';
  }
  fate.lines += 1;
  fate.updates += fate.row === null ? 0 : 1;
  fate.row = row;
  fate.change = change;
  return null;
}

function sumFates<Row>(
  fates: readonly Fate<Row>[],
  rule: ReconcileRule<Row>,
): Omit<Reconciled<Row>, 'count'> {
  const changed: Row[] = [];
  let created = 0;
  let updated = 0;
  let unchanged = 0;
  for (const { stored, row, lines, updates } of fates) {
    if (row === null || (stored !== null && rule.same(stored, row))) {
      unchanged += lines;
      continue;
    }
    changed.push(row);
    const creations = stored === null ? 1 : 0;
    created += creations;
    updated += updates;
    unchanged += lines - creations - updates;
  }
  return { changed, created, updated, unchanged };
}
