import type { Change } from '../../domain/daily-changes.ts';
import { type BatchCount, BatchRoom } from './day-room.ts';

/** Decides whether a line creates, changes or repeats a row, for one kind of import. */
export interface ReconcileRule<Row> {
  keyOf(row: Row): string;
  /** Whether two rows of one key are equal. */
  same(a: Row, b: Row): boolean;
  /** The row after a line: the whole line, or the previous row if that is newer. */
  after(before: Row, line: Row): Row;
  /** How much a change counts towards the daily limit. The row before is null for a new key. */
  changeOf(before: Row | null, after: Row): Change;
  /** Whether the new row needs no room for its plates beyond that of the old one. */
  keepsPlace(before: Row, after: Row): boolean;
}

interface Reconciled<Row> {
  /** The rows to store, as they are after all lines, one per key. */
  readonly changed: readonly Row[];
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  /** How much the rows to store count towards the daily limit. */
  readonly count: Omit<BatchCount, 'day'>;
}

/** Why a line is refused: its plate has too many rows, or the daily limit has no room for its change. */
export type Refused = 'crowded' | 'no_room';

/** One key's row after the lines read so far. */
interface Fate<Row> {
  readonly stored: Row | null;
  row: Row | null;
  /** The change that has room; null while the row equals the stored one. */
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
   * @param used how much the tenant has stored today
   */
  constructor(stored: ReadonlyMap<string, Row>, rule: ReconcileRule<Row>, used: number) {
    this.#stored = stored;
    this.#rule = rule;
    this.#room = new BatchRoom(used);
  }

  /**
   * Applies the next line. Keeps one row per key.
   *
   * @param isCrowded whether the key is one too many for a plate, so that only a line that needs no more room is taken
   * @returns why the line is refused, if it is
   */
  add(line: Row, isCrowded: (key: string) => boolean = () => false): Refused | null {
    const key = this.#rule.keyOf(line);
    const before = this.#stored.get(key) ?? null;
    const fate = this.#fates.get(key) ?? { stored: before, row: before, change: null, lines: 0, updates: 0 };
    this.#fates.set(key, fate);
    return applyLine(fate, line, this.#rule, this.#room, isCrowded(key));
  }

  /** The rows after the lines so far. */
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
