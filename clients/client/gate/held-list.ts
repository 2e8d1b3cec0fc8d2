import type { ListChange, ListEntry, ListHeader } from '../list/wire.ts';

/**
 * The list that a gate holds, in the service's own lines: the entitlements of a facility, found by plate. It changes
 * only as a whole. An entry that has ended opens nothing, and goes with the next full list.
 */
export class HeldList {
  readonly header: ListHeader;
  /** For the next delta. */
  readonly cursor: string;
  /** The instant of the full list that this one goes back to. */
  readonly fullAsOf: string;
  readonly #byId: Map<string, ListEntry>;
  /** Most plates have one entry: an array for each would take more memory than the rest. */
  readonly #byPlate: Map<string, ListEntry | readonly ListEntry[]>;

  private constructor(header: ListHeader, cursor: string, fullAsOf: string, before: HeldList | null) {
    this.header = header;
    this.cursor = cursor;
    this.fullAsOf = fullAsOf;
    this.#byId = before === null ? new Map() : before.#byId;
    this.#byPlate = before === null ? new Map() : before.#byPlate;
  }

  /** A list from all pages of a full one. */
  static full(
    header: ListHeader,
    changes: readonly ListChange[],
    cursor: string,
    fullAsOf = header.as_of,
  ): HeldList {
    const list = new HeldList(header, cursor, fullAsOf, null);
    for (const change of changes) list.#apply(change);
    return list;
  }

  /** This list after all pages of a delta. The old one must not be used any more: the entries have moved into the new one. */
  changed(header: ListHeader, changes: readonly ListChange[], cursor: string): HeldList {
    const list = new HeldList(header, cursor, this.fullAsOf, this);
    for (const change of changes) list.#apply(change);
    return list;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** All entries: a full list of them is this list. */
  entries(): Iterable<ListEntry> {
    return this.#byId.values();
  }

  /** @param plate its hash */
  entriesOf(plate: string): readonly ListEntry[] {
    const found = this.#byPlate.get(plate);
    if (found === undefined) return [];
    return isOne(found) ? [found] : found;
  }

  #apply(change: ListChange): void {
    if (change.id === null) return;
    this.#remove(change.id);
    // The entry of a line that cannot be read may no longer be true.
    if (change.type !== 'entry') return;
    this.#byId.set(change.id, change);
    const others = this.entriesOf(change.plate);
    this.#byPlate.set(change.plate, others.length === 0 ? change : [...others, change]);
  }

  #remove(id: string): void {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    this.#byId.delete(id);
    const left = this.entriesOf(entry.plate).filter((other) => other !== entry);
    const [only] = left;
    if (only === undefined) this.#byPlate.delete(entry.plate);
    else this.#byPlate.set(entry.plate, left.length === 1 ? only : left);
  }
}

function isOne(found: ListEntry | readonly ListEntry[]): found is ListEntry {
  return !Array.isArray(found);
}
