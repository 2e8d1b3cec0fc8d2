import type { CallRow } from '../logged-call.ts';
import {
  CALLS,
  CHANGES,
  type ExportedChangeRow,
  type ExportedSessionRow,
  type ExportedSubscriptionsRow,
  SESSIONS,
  SUBSCRIPTIONS,
} from './export-statements.ts';
import type { Holder } from './holder.ts';
import { LIVING_HERE, type LivingRow } from './living-parts.ts';

/** How far each list has come in a database. */
export interface ExportPlace {
  /** The number of the database, from 0: one after the other is exported. */
  readonly database: number;
  readonly session: number;
  readonly subscription: number;
  readonly change: number;
  readonly callAt: number;
  readonly callId: string;
  /** The municipalities that were found living in the databases before: how many, and a checksum of their ids. */
  readonly found: number;
  readonly checksum: number;
  /** How often all databases had been gone through, and not all municipalities were found. */
  readonly rounds: number;
}

export interface ExportedRows {
  /** Ids of the municipalities that live in the database. */
  readonly living: readonly number[];
  readonly sessions: readonly ExportedSessionRow[];
  readonly subscriptions: readonly ExportedSubscriptionsRow[];
  readonly changes: readonly ExportedChangeRow[];
  readonly calls: readonly CallRow[];
}

/**
 * Everything that is held on a plate from a place on, in one round trip. The rows it reads are the plate's own.
 *
 * @param most of each list; of subscriptions, all come
 */
export async function readExport(
  db: D1Database,
  { plate, tenant, municipalities, digests }: Holder,
  after: ExportPlace,
  most: number,
): Promise<ExportedRows> {
  const ids = JSON.stringify(municipalities.map(({ id }) => id));
  const results = await db.batch([
    db.prepare(SESSIONS()).bind(ids, plate, after.session, most),
    db.prepare(SUBSCRIPTIONS()).bind(ids, plate, after.subscription),
    db.prepare(CHANGES()).bind(ids, plate, after.change, most),
    db.prepare(LIVING_HERE()).bind(ids),
    db.prepare(CALLS()).bind(JSON.stringify(digests), after.callAt, after.callId, most, tenant),
  ]);
  // In the order of the statements, whose rows they are.
  const [sessions, subscriptions, changes, living, calls] = results as [
    D1Result<ExportedSessionRow>,
    D1Result<ExportedSubscriptionsRow>,
    D1Result<ExportedChangeRow>,
    D1Result<LivingRow>,
    D1Result<CallRow>,
  ];
  return {
    living: living.results.map(({ id }) => id),
    sessions: sessions.results,
    subscriptions: subscriptions.results,
    changes: changes.results,
    calls: calls.results,
  };
}
