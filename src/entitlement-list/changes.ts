import { type Instant, instant } from '../domain/instant.ts';
import { isSameEntry, type ListEntry } from '../domain/list-entry.ts';
import type { BeforeTuple, ChangeRow } from './changes-statement.ts';
import {
  entryOf,
  type ListedChange,
  type ListScope,
  listedEntryOf,
  type Right,
  type StoredRight,
  sessionRight,
  subscriptionRight,
} from './listed-changes.ts';
import { sessionOfRecord, subscriptionOfRecord } from './records.ts';

/** The list that a gate holds. */
interface HeldList {
  /** Its instant. */
  readonly asOf: Instant;
  /** It may already include the journal's rows up to this one. */
  readonly shownUpTo: number;
}

/**
 * The changes of a list that follow from the journal's rows: what is new, what is different, and what is gone. What was
 * never in the list, or ended by time alone, is not a change.
 *
 * @param rows in the order of the sequence
 * @returns null where a row has lost its key or plate, so that only the full list can answer
 */
export function changesOf(
  rows: readonly ChangeRow[],
  scope: ListScope,
  held: HeldList,
  asOf: Instant,
): readonly ListedChange[] | null {
  if (rows.some(({ key, kind, plate }) => key === null || (kind === 'subscription' && plate === null))) {
    return null;
  }
  const units = Map.groupBy(rows, ({ kind, source_code, key, plate }) =>
    JSON.stringify(kind === 'subscription' ? [kind, key, plate] : [kind, source_code, key]),
  );
  return [...units.values()].flatMap((ofUnit) => changeOf(ofUnit, scope, held, asOf) ?? []);
}

function changeOf(
  rows: readonly ChangeRow[],
  scope: ListScope,
  held: HeldList,
  asOf: Instant,
): ListedChange | null {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) {
    return null;
  }
  const before = rowBefore(first);
  const right = rightOf(before ?? first, scope);
  const standing = storedOf(last, scope);
  const entry = standing && listedEntryOf(standing, scope, asOf);
  // What the gate may hold: the state before, and those that its full list may have shown since.
  const shown = [before, ...rows.filter(({ sequence }) => sequence <= held.shownUpTo)].map(
    (row) => row && { stored: storedOf(row, scope), sequence: row.sequence },
  );
  if (entry !== null) {
    const isHeld = shown.every((item) => isSame(item?.stored ?? null, entry, scope, asOf));
    return isHeld ? null : { right, entry };
  }
  const wasHeld = shown.some((item) => {
    // A state from before these changes was listed as of the instant of that list.
    const heldAt =
      item !== null && item.sequence > held.shownUpTo ? asOf : instant(Math.min(held.asOf, asOf));
    // A plate that was erased since has become a pseudonym, but the list had the plate.
    return item?.stored != null && entryOf(item.stored, scope, heldAt) !== null;
  });
  return wasHeld ? { right, entry: null } : null;
}

const isSame = (stored: StoredRight | null, entry: ListEntry, scope: ListScope, asOf: Instant): boolean =>
  isSameEntry(stored && entryOf(stored, scope, asOf), entry);

/** The state of the row's right before it. Null: the right was unknown. */
function rowBefore(row: ChangeRow): ChangeRow | null {
  if (row.before === null) {
    return null;
  }
  // The shape is that of the statement.
  const [sequence, plate, came_with, record] = JSON.parse(row.before) as BeforeTuple;
  return { ...row, sequence, plate, came_with, record };
}

function rightOf(
  { kind, source_code, key, came_with, sequence }: ChangeRow,
  { municipality }: ListScope,
): Right {
  return kind === 'subscription'
    ? subscriptionRight(municipality.id, key ?? '', came_with ?? sequence)
    : sessionRight(municipality.id, source_code ?? '', key ?? '');
}

/** A right in the facility after a row. Null: it is not there. */
function storedOf(row: ChangeRow, { facility }: ListScope): StoredRight | null {
  if (row.record === null) {
    return null;
  }
  const [key, plate] = [row.key ?? '', row.plate ?? ''];
  if (row.kind === 'subscription') {
    return { kind: 'subscription', subscription: subscriptionOfRecord(row.record, key, plate) };
  }
  const sourceCode = row.source_code ?? '';
  const { areaCode, ...session } = sessionOfRecord(row.record, { key, plate, sourceCode });
  // By its code: rows from when the facility was a street have no area id.
  return areaCode === facility.code ? { kind: 'session', session } : null;
}
