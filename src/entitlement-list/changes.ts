import { type Instant, instant } from '../domain/instant.ts';
import { isSameEntry, type ListEntry } from '../domain/list-entry.ts';
import type { ChangeRow } from './changes-statement.ts';
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
 * @param rows in the order of the sequence; of each right, first how it stood before
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
  const right = rightOf(first, place);
  const standing = storedOf(last, place);
  const entry = standing && listedEntryOf(standing, place, asOf);
  const shown = rows
    .filter((row) => row.is_before === 1 || row.sequence <= held.shownUpTo)
    .map((row) => storedOf(row, place));
  if (entry !== null) {
    const isHeld = shown.length > 0 && shown.every((stored) => isSame(stored, entry, place, asOf));
    return isHeld ? null : { right, entry };
  }
  // The plate of what was erased since is a pseudonym by now: the list had the plate.
  const heldAt = instant(Math.min(held.asOf, asOf));
  const wasHeld = shown.some((stored) => stored !== null && entryOf(stored, place, heldAt) !== null);
  return wasHeld ? { right, entry: null } : null;
}

const isSame = (stored: StoredRight | null, entry: ListEntry, place: ListPlace, asOf: Instant): boolean =>
  isSameEntry(stored && entryOf(stored, place, asOf), entry);

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
