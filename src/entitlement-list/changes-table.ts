import type { Instant } from '../domain/instant.ts';
import { changesOf } from './changes.ts';
import { type ChangeRow, READ_CHANGES } from './changes-statement.ts';
import type { ListState, Mark } from './cursor.ts';
import { headOf, headStatement } from './journal-table.ts';
import type { ListPlace, Told } from './told.ts';

/** A part of the changes since a list. */
export interface ChangesPart {
  readonly told: readonly Told[];
  /** The last row of the journal that was told. */
  readonly toldUpTo: number;
  /** The row of the journal that the whole list of changes goes up to. */
  readonly mark: Mark;
  readonly more: boolean;
}

/**
 * Reads the next changes: those since the cursor's row, up to the newest one when the first of them were told.
 *
 * @returns null where what the cursor rests on is gone
 */
export async function readChanges(
  db: D1DatabaseSession,
  place: ListPlace,
  state: ListState,
  asOf: Instant,
  mostLines: number,
): Promise<ChangesPart | null> {
  const { municipality, facility } = place;
  const isFirst = state.page === null;
  const upTo = isFirst ? Number.MAX_SAFE_INTEGER : state.mark.sequence;
  const [head, changes] = await db.batch([
    headStatement(db, municipality, state),
    db.prepare(READ_CHANGES()).bind(municipality.id, facility.areaId, state.since, upTo, mostLines),
  ]);
  const { newest, isWhole } = headOf(head, municipality, state);
  if (!isWhole) {
    return null;
  }
  // The shape is that of the statement.
  const rows = (changes?.results ?? []) as unknown as ChangeRow[];
  const told = changesOf(rows, place, state, asOf);
  if (told === null) {
    return null;
  }
  const mark = isFirst ? newest : state.mark;
  const last = rows.length === mostLines ? rows.at(-1) : undefined;
  return { told, toldUpTo: last?.sequence ?? mark.sequence, mark, more: last !== undefined };
}
