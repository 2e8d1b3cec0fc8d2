import * as z from 'zod';
import type { Holder } from '../admin/holder.ts';
import { LIVING_HERE, type LivingRow } from '../admin/living-parts.ts';
import { type SubscriptionChanges, subscriptionChanges } from '../history/subscription-changes.ts';
import type { SharedPageRow, SpanRow } from '../history/subscription-versions-parts.ts';
import {
  CALLS,
  type ExportedCallRow,
  type ExportedPaymentRow,
  type ExportedSessionRow,
  type ExportedSubscriptionRow,
  type ExportedVersionRow,
  MAX_OF_CHANGES,
  PAST_SESSIONS,
  PAYMENTS,
  SESSIONS,
  SHARED_VERSIONS,
  type Sized,
  SPANS,
  SUBSCRIPTIONS,
} from './export-statements.ts';

const number = z.int();
/** How far each list has come in a database, in the order in which `next` lists it. */
export const exportCursor = z.object({
  /** The session that was answered last: its end, then its id. */
  sessionRunsUntil: number,
  session: number,
  subscription: number,
  /** The replaced version of a session that was answered last: when it was recorded, and the session's id. */
  pastAt: number,
  past: number,
  /** Which subscription's changes come next, from which instant on. */
  changesOf: number,
  changesFrom: number,
  /** The payment that was answered last: its collection, then its key. */
  paymentAt: number,
  payment: z.string(),
  callAt: number,
  callId: z.string(),
  /** The number of the database, from 0: one after the other is exported. */
  database: number,
  /** The municipalities that were found living in the databases before: how many, and a checksum of their ids. */
  found: number,
  checksum: number,
  /** How often all databases had been gone through, and not all municipalities were found. */
  rounds: number,
  /** When the database's first page was read; 0 before it. */
  began: number,
});
export type ExportCursor = Readonly<z.infer<typeof exportCursor>>;

/** Rows from a cursor on. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Whether there are, or may be, more. */
  readonly isMore: boolean;
}

export interface ExportedRows {
  /** Ids of the municipalities that live in the database. */
  readonly living: readonly number[];
  readonly sessions: Page<ExportedSessionRow>;
  readonly subscriptions: Page<ExportedSubscriptionRow>;
  /** Versions of sessions that were replaced. */
  readonly past: Page<ExportedVersionRow>;
  /** What became of subscriptions. */
  readonly changes: SubscriptionChanges;
  readonly payments: Page<ExportedPaymentRow>;
  readonly calls: Page<ExportedCallRow>;
}

/**
 * A call may have 128 KiB, a subscription or a change of one hundreds of periods and areas: a page ends after so many
 * bytes of each.
 */
const MAX_BYTES = 1024 * 1024;
/** Of subscriptions the database makes JSON before it knows how much that is: fewer at once. */
const MAX_SUBSCRIPTIONS = 100;

/** Later than any instant: the first page of a database has all that is stored as it is read. */
const NEVER = Number.MAX_SAFE_INTEGER;

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
    db.prepare(PAST_SESSIONS()).bind(ids, plate, after.pastAt, after.past, max + 1, after.began || NEVER),
    db.prepare(SPANS()).bind(ids, plate, after.changesOf),
    db.prepare(SHARED_VERSIONS()).bind(ids, plate, after.changesOf, after.changesFrom),
    db.prepare(PAYMENTS()).bind(ids, plate, after.paymentAt, after.payment, max + 1),
    db.prepare(CALLS()).bind(JSON.stringify(digests), after.callAt, after.callId, max + 1, MAX_BYTES, tenant),
    db.prepare(LIVING_HERE()).bind(ids),
  ]);
  // In the order of the statements, whose rows they are.
  const [sessions, subscriptions, past, spans, shared, payments, calls, living] = results as [
    D1Result<ExportedSessionRow>,
    D1Result<ExportedSubscriptionRow>,
    D1Result<ExportedVersionRow>,
    D1Result<SpanRow>,
    D1Result<SharedPageRow>,
    D1Result<ExportedPaymentRow>,
    D1Result<ExportedCallRow>,
    D1Result<LivingRow>,
  ];
  if (spans.results.length > MAX_OF_CHANGES.spans) {
    throw new Error('a plate has been on subscriptions more often than an export reads at once');
  }
  const from = { id: after.changesOf, at: after.changesFrom };
  return {
    living: living.results.map(({ id }) => id),
    sessions: atMost(max, sessions),
    subscriptions: pageOf(subscriptions.results, maxSubscriptions),
    past: atMost(max, past),
    changes: subscriptionChanges(spans.results, shared.results, from, MAX_OF_CHANGES),
    payments: atMost(max, payments),
    calls: pageOf(calls.results, max),
  };
}

const atMost = <Row>(max: number, { results }: D1Result<Row>): Page<Row> => ({
  rows: results.slice(0, max),
  isMore: results.length > max,
});

function pageOf<Row extends Sized>(rows: readonly Row[], max: number): Page<Row> {
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  return { rows: rows.slice(0, max), isMore: rows.length > max || bytes >= MAX_BYTES };
}
