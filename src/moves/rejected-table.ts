import { DAY_MS, HOUR_MS, type Instant } from '../domain/instant.ts';
import { type ItemRow, type Rows, rowsOf } from './copied-rows.ts';
import { COPIED_REJECTED } from './rejected-statements.ts';

/** The most rows of a kind that a move takes along, while the writes are stopped. */
const MAX_TAKEN = 10_000;

/**
 * Reads what a move takes along of the lines that were rejected within a day. Where that is not all, every plate of the
 * municipality is in doubt for a day: rather a doubt too many than a wrong fine. Call it while the writes are stopped.
 */
export async function readRejected(from: D1Database, id: number, now: Instant): Promise<readonly Rows[]> {
  const read = await from.batch<ItemRow>(
    COPIED_REJECTED.map((copied) => from.prepare(copied.read()).bind(id, now - DAY_MS, MAX_TAKEN + 1)),
  );
  const rows = COPIED_REJECTED.map(({ kind }, index) => rowsOf(kind, read[index]));
  const areAll = rows.every(({ items }) => items.length <= MAX_TAKEN);
  return areAll ? rows : [...rows, inDoubt(id, now)];
}

/** The count of a line that named a plate which is not remembered. */
function inDoubt(id: number, now: Instant): Rows {
  const values: Readonly<Record<string, string | number>> = {
    municipality_id: id,
    hour: Math.floor(now / HOUR_MS),
    source_code: '',
    unremembered: 1,
    unreadable: 0,
    last_at: now,
  };
  const [columns = []] = COPIED_REJECTED.flatMap(({ kind, columns: names }) =>
    kind === 'rejected_line' ? [names] : [],
  );
  return { kind: 'rejected_line', items: [JSON.stringify(columns.map((name) => values[name]))] };
}
