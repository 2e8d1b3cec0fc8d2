import { type Instant, instant } from '../domain/instant.ts';
import { isSameEntry, type ListEntry } from '../domain/list-entry.ts';
import type { BeforeTuple, ChangeRow } from './changes-statement.ts';
import { sessionOfRecord, subscriptionOfRecord } from './records.ts';
import {
  entryOf,
  type ListPlace,
  listedEntryOf,
  type Right,
  type StoredRight,
  sessionRight,
  subscriptionRight,
  type Told,
} from './told.ts';

/** What the holder of the list knows. */
export interface Held {
  /** The instant of its list. */
  readonly asOf: Instant;
  /** Rows up to this one may have shown in it already. */
  readonly shownUpTo: number;
}

/**
 * What a list's holder has to be told of the journal's rows: what is new, what is different, and what is no more. What was
 * never in the list, or ended by time alone, is not told.
 *
 * @param rows in the order of the sequence
 * @returns null where a row no longer says of what it is, so that only the full list can tell
 */
export function changesOf(
  rows: readonly ChangeRow[],
  place: ListPlace,
  held: Held,
  asOf: Instant,
): readonly Told[] | null {
  if (rows.some(({ key, kind, plate }) => key === null || (kind === 'subscription' && plate === null))) {
    return null;
  }
  const units = Map.groupBy(rows, ({ kind, source_code, key, plate }) =>
    JSON.stringify(kind === 'subscription' ? [kind, key, plate] : [kind, source_code, key]),
  );
  return [...units.values()].flatMap((ofUnit) => changeOf(ofUnit, place, held, asOf) ?? []);
}

function changeOf(rows: readonly ChangeRow[], place: ListPlace, held: Held, asOf: Instant): Told | null {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) {
    return null;
  }
  const before = rowBefore(first);
  const right = rightOf(before ?? first, place);
  const standing = storedOf(last, place);
  const entry = standing && listedEntryOf(standing, place, asOf);
  // What the holder may have: how it stood before, and what has shown since in the pages of its full list.
  const shown = [before, ...rows.filter(({ sequence }) => sequence <= held.shownUpTo)].map(
    (row) => row && { stored: storedOf(row, place), sequence: row.sequence },
  );
  if (entry !== null) {
    const isHeld = shown.every((item) => isSame(item?.stored ?? null, entry, place, asOf));
    return isHeld ? null : { right, entry };
  }
  const wasHeld = shown.some((item) => {
    // Of a state from before these changes began, the list was told as of its own instant.
    const heldAt =
      item !== null && item.sequence > held.shownUpTo ? asOf : instant(Math.min(held.asOf, asOf));
    // The plate of what was erased since is a pseudonym by now: the list had the plate.
    return item?.stored != null && entryOf(item.stored, place, heldAt) !== null;
  });
  return wasHeld ? { right, entry: null } : null;
}

const isSame = (stored: StoredRight | null, entry: ListEntry, place: ListPlace, asOf: Instant): boolean =>
  isSameEntry(stored && entryOf(stored, place, asOf), entry);

/** How what the row is of stood before. Null: it was not known. */
function rowBefore(row: ChangeRow): ChangeRow | null {
  if (row.before === null) {
    return null;
  }
  // The shape is that of the statement.
  const [sequence, came_with, area_id, record] = JSON.parse(row.before) as BeforeTuple;
  return { ...row, sequence, came_with, area_id, record };
}

function rightOf(
  { kind, source_code, key, came_with, sequence }: ChangeRow,
  { municipality }: ListPlace,
): Right {
  return kind === 'subscription'
    ? subscriptionRight(municipality.id, key ?? '', came_with ?? sequence)
    : sessionRight(municipality.id, source_code ?? '', key ?? '');
}

/** How a right stands in the facility after a row. Null: it does not. */
function storedOf(row: ChangeRow, { facility }: ListPlace): StoredRight | null {
  if (row.record === null) {
    return null;
  }
  if (row.kind === 'subscription') {
    return { kind: 'subscription', subscription: subscriptionOfRecord(row.record, row.plate ?? '') };
  }
  return row.area_id === facility.areaId
    ? { kind: 'session', session: sessionOfRecord(row.record, row.source_code ?? '') }
    : null;
}
