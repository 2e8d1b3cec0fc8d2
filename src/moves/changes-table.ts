import type { SessionPlace } from '../db/schema/moves.ts';
import { type ItemRow, type Rows, rowsOf } from './copied-rows.ts';
import { NEWEST_SEQUENCE, READ_JOURNAL, READ_SESSIONS } from './copy-statements.ts';
import { READ_CHANGED_SUBSCRIPTIONS } from './copy-subscriptions-statements.ts';
import { type NewestSession, sessionStatements, takeSessions } from './unchanged-sessions-table.ts';

/** How far the journal has been read, and the sessions that it has no row of. */
interface ChangesProgress {
  readonly sequence: number;
  readonly sessions: SessionPlace;
}

/** What has changed since, with what it changed as it is now. */
interface Changes {
  /** There was no more. */
  readonly isAtEnd: boolean;
  /** Rows come after those that they refer to. */
  readonly rows: readonly Rows[];
  readonly journal: readonly JournalRow[];
  /** Where to go on. */
  readonly progress: ChangesProgress;
  /** How many rows, without subscriptions, which may come again. */
  readonly count: number;
}

interface Numbered {
  readonly sequence: number | null;
}

interface JournalRow extends ItemRow {
  readonly sequence: number;
  readonly kind: string;
  readonly key: string | null;
  /** How many rows the range has. */
  readonly found: number;
}

/**
 * The records that a step reads of the journal: one of a subscription with hundreds of areas has over a hundred kilobytes, and
 * a thousand of them no room in memory.
 */
const MAX_JOURNAL_BYTES = 2 * 1024 * 1024;

/** Read the next changes: their results go to {@link takeChanges}. */
export function changesStatements(
  db: D1Database,
  id: number,
  { sequence, sessions }: ChangesProgress,
  range: number,
  subscriptionsAfter = sequence,
): D1PreparedStatement[] {
  const upTo = sequence + range;
  return [
    db.prepare(NEWEST_SEQUENCE()),
    db.prepare(READ_JOURNAL()).bind(id, sequence, upTo, MAX_JOURNAL_BYTES),
    db.prepare(READ_SESSIONS()).bind(id, sequence, upTo),
    db.prepare(READ_CHANGED_SUBSCRIPTIONS()).bind(id, subscriptionsAfter, upTo),
    ...sessionStatements(db, id, sessions, range),
  ];
}

/** What is taken of what {@link changesStatements} have read. */
export function takeChanges(read: readonly D1Result[], before: ChangesProgress, range: number): Changes {
  // In the order of the statements.
  const [newest, rows, sessions, subscriptions, newestSession, unchanged] = read as [
    ...[D1Result<Numbered>, D1Result<JournalRow>, D1Result<ItemRow>, D1Result<ItemRow>],
    ...[D1Result<NewestSession>, D1Result<ItemRow>],
  ];
  const { isAtEnd, upTo, taken } = takeJournal(rows.results, newest, before.sequence, range);
  const looked = takeSessions(newestSession, before.sessions, range);
  return {
    isAtEnd: isAtEnd && looked.isAtEnd,
    rows: [
      rowsOf('subscription', subscriptions),
      rowsOf('parking_session', sessions),
      rowsOf('parking_session', unchanged),
      { kind: 'journal', items: taken.map(({ item }) => item) },
    ],
    journal: taken,
    progress: { sequence: upTo, sessions: looked.place },
    count: taken.length + sessions.results.length + unchanged.results.length,
  };
}

/** What is taken of a range of the journal, and up to which number. */
function takeJournal(
  rows: readonly JournalRow[],
  newest: D1Result<Numbered>,
  after: number,
  range: number,
): { readonly isAtEnd: boolean; readonly upTo: number; readonly taken: readonly JournalRow[] } {
  const last = rows.at(-1);
  if (last !== undefined && rows.length < last.found) {
    return { isAtEnd: false, upTo: last.sequence, taken: rows };
  }
  const end = Math.min(after + range, newest.results[0]?.sequence ?? 0);
  const isAtEnd = end < after + range;
  const upTo = isAtEnd ? Math.max(end, after) : beforeCutGroup(rows, after, end);
  return { isAtEnd, upTo, taken: rows.filter(({ sequence }) => sequence <= upTo) };
}

/**
 * A large configuration has several rows in succession, which are never cut apart.
 *
 * @returns the last number to take
 */
function beforeCutGroup(rows: readonly JournalRow[], after: number, end: number): number {
  const last = rows.at(-1);
  const first = rows.findLast(({ kind, key }) => kind === 'configuration' && key === null);
  const isCut = last?.kind === 'configuration' && last.sequence === end && first !== undefined;
  return isCut && first.sequence - 1 > after ? first.sequence - 1 : end;
}
