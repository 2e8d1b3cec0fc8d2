/** What makes a line new, a change, or nothing new, for one kind of import. */
export interface ReconcileRule<Row> {
  keyOf(row: Row): string;
  /** Tells whether two rows of one key say the same. */
  same(a: Row, b: Row): boolean;
  /** The row that stands once a line has come: the line as a whole, or the row before it where that is newer. */
  after(before: Row, line: Row): Row;
}

export interface Reconciled<Row> {
  /** The rows to store, as they stand after all lines, one a key. */
  readonly changed: readonly Row[];
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** What the lines of one key have made of its row so far. */
interface Fate<Row> {
  readonly stored: Row | null;
  row: Row | null;
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

  /** @param stored the rows of the lines' keys, by key; none for a key that is new */
  constructor(stored: ReadonlyMap<string, Row>, rule: ReconcileRule<Row>) {
    this.#stored = stored;
    this.#rule = rule;
  }

  /** The next line. Of the lines of one key, one row is kept. */
  add(line: Row): void {
    const key = this.#rule.keyOf(line);
    const before = this.#stored.get(key) ?? null;
    const fate = this.#fates.get(key) ?? { stored: before, row: before, lines: 0, updates: 0 };
    this.#fates.set(key, fate);
    applyLine(fate, line, this.#rule);
  }

  /** What the lines so far have made of the rows. */
  outcome(): Reconciled<Row> {
    return summed([...this.#fates.values()], this.#rule);
  }
}

function applyLine<Row>(fate: Fate<Row>, line: Row, rule: ReconcileRule<Row>): void {
  fate.lines += 1;
  if (fate.row === null) {
    fate.row = line;
    return;
  }
  const row = rule.after(fate.row, line);
  if (!rule.same(row, fate.row)) {
    fate.row = row;
    fate.updates += 1;
  }
}

function summed<Row>(fates: readonly Fate<Row>[], rule: ReconcileRule<Row>): Reconciled<Row> {
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
