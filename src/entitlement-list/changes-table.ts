import type { Instant } from '../domain/instant.ts';
import { changesOf } from './changes.ts';
import { type ChangeRow, READ_CHANGES } from './changes-statement.ts';
import type { ListState, Mark } from './cursor.ts';
import { headOf, headStatement } from './journal-table.ts';
import type { ListedChange, ListScope } from './listed-changes.ts';

/**
 * The records that one answer reads. A subscription of hundreds of areas and periods has them in the record of each plate:
 * thousands of such rows have no room in memory.
 */
const MAX_BYTES = 4 * 1024 * 1024;

/** A part of the changes since a list. */
interface ChangesPart {
  readonly changes: readonly ListedChange[];
  /** The last row of the journal that was read. */
  readonly readUpTo: number;
  /** The last row of the journal that these changes include, over all of their pages. */
  readonly mark: Mark;
  readonly more: boolean;
}

/**
 * Reads the next changes: those since the cursor's row, up to the row that was the newest at the first of these reads.
 *
 * @returns null where the cursor has expired
 */
export async function readChanges(
  db: D1DatabaseSession,
  scope: ListScope,
  state: ListState,
  asOf: Instant,
  maxLines: number,
): Promise<ChangesPart | null> {
  const { municipality, facility } = scope;
  const isFirst = state.page === null;
  const upTo = isFirst ? Number.MAX_SAFE_INTEGER : state.mark.sequence;
  const [head, result] = await db.batch([
    headStatement(db, municipality, state),
    db.prepare(READ_CHANGES()).bind(municipality.id, facility.areaId, state.since, upTo, maxLines, MAX_BYTES),
  ]);
  const { newest, isWhole } = headOf(head, municipality, state);
  if (!isWhole) {
    return null;
  }
  // The shape is that of the statement.
  const rows = (result?.results ?? []) as unknown as ChangeRow[];
  const changes = changesOf(rows, scope, state, asOf);
  if (changes === null) {
    return null;
  }
  const mark = isFirst ? newest : state.mark;
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  const last = rows.length === maxLines || bytes >= MAX_BYTES ? rows.at(-1) : undefined;
  return { changes, readUpTo: last?.sequence ?? mark.sequence, mark, more: last !== undefined };
}
