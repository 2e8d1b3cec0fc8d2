import * as z from 'zod';
import type { Holder } from '../admin/holder.ts';
import { LIVING_HERE, type LivingRow } from '../admin/living-parts.ts';
import {
  CALLS,
  CHANGES,
  type ExportedCallRow,
  type ExportedChangeRow,
  type ExportedSessionRow,
  type ExportedSubscriptionRow,
  SESSIONS,
  type Sized,
  SUBSCRIPTIONS,
} from './export-statements.ts';

const number = z.int();
/** How far each list has come in a database, in the order in which `next` lists it. */
export const exportCursor = z.object({
  /** The session that was answered last: its end, then its id. */
  sessionRunsUntil: number,
  session: number,
  subscription: number,
  change: number,
  callAt: number,
  callId: z.string(),
  /** The number of the database, from 0: one after the other is exported. */
  database: number,
  /** The municipalities that were found living in the databases before: how many, and a checksum of their ids. */
  found: number,
  checksum: number,
  /** How often all databases had been gone through, and not all municipalities were found. */
  rounds: number,
});
export type ExportCursor = Readonly<z.infer<typeof exportCursor>>;

/** Rows from a cursor on. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Whether there are, or may be, more. */
  readonly isMore: boolean;
}

interface ExportedRows {
  /** Ids of the municipalities that live in the database. */
  readonly living: readonly number[];
  readonly sessions: Page<ExportedSessionRow>;
  readonly subscriptions: Page<ExportedSubscriptionRow>;
  readonly changes: Page<ExportedChangeRow>;
  readonly calls: Page<ExportedCallRow>;
}

/**
 * A call may have 128 KiB, a subscription or a change of one hundreds of periods and areas: a page ends after so many
 * bytes of each.
 */
const MAX_BYTES = 1024 * 1024;
/** Of subscriptions the database makes JSON before it knows how much that is: fewer at once. */
const MAX_SUBSCRIPTIONS = 100;

/** Before every session. */
export const BEFORE_SESSIONS = { sessionRunsUntil: 0, session: 0 } as const;

/** Where a session is. One that a change puts before this during the export is in the history, which comes later. */
export const positionOfSession = ({ id, runs_until }: ExportedSessionRow) => ({
  sessionRunsUntil: runs_until,
  session: id,
});

/**
 * What is held on a plate from a cursor on, in one round trip. The rows it reads are the plate's own.
 *
 * @param max of each list
 */
export async function readExport(
  db: D1Database,
  { plate, tenant, municipalities, digests }: Holder,
  after: ExportCursor,
  max: number,
): Promise<ExportedRows> {
  const ids = JSON.stringify(municipalities.map(({ id }) => id));
  const maxSubscriptions = Math.min(max, MAX_SUBSCRIPTIONS);
  // One more than is answered says whether there is more.
  const results = await db.batch([
    db.prepare(SESSIONS()).bind(ids, plate, after.sessionRunsUntil, after.session, max + 1),
    db.prepare(SUBSCRIPTIONS()).bind(ids, plate, after.subscription, maxSubscriptions + 1, MAX_BYTES),
    db.prepare(CHANGES()).bind(ids, plate, after.change, max + 1, MAX_BYTES),
    db.prepare(CALLS()).bind(JSON.stringify(digests), after.callAt, after.callId, max + 1, MAX_BYTES, tenant),
    db.prepare(LIVING_HERE()).bind(ids),
  ]);
  // In the order of the statements, whose rows they are.
  const [sessions, subscriptions, changes, calls, living] = results as [
    D1Result<ExportedSessionRow>,
    D1Result<ExportedSubscriptionRow>,
    D1Result<ExportedChangeRow>,
    D1Result<ExportedCallRow>,
    D1Result<LivingRow>,
  ];
  return {
    living: living.results.map(({ id }) => id),
    sessions: { rows: sessions.results.slice(0, max), isMore: sessions.results.length > max },
    subscriptions: pageOf(subscriptions.results, maxSubscriptions),
    changes: pageOf(changes.results, max),
    calls: pageOf(calls.results, max),
  };
}

function pageOf<Row extends Sized>(rows: readonly Row[], max: number): Page<Row> {
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  return { rows: rows.slice(0, max), isMore: rows.length > max || bytes >= MAX_BYTES };
}
