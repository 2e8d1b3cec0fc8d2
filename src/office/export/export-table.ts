import * as z from 'zod';
import { LIVING_HERE } from '../../storage/databases/living-parts.ts';
import { json } from '../../storage/db/json.ts';
import { batch } from '../../storage/db/statement.ts';
import { type SubscriptionChanges, subscriptionChanges } from '../../storage/history/subscription-changes.ts';
import type { Holder } from '../administration/holder.ts';
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
  /** A checksum of the municipalities that lived in the database then. Null before it. */
  checksumHere: number.nullable(),
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
  const held = { ids: json(municipalities.map(({ id }) => id)), plate };
  const maxSubscriptions = Math.min(max, MAX_SUBSCRIPTIONS);
  // One more than is answered says whether there is more.
  const [sessions, subscriptions, past, spans, shared, payments, calls, living] = await batch(db, [
    SESSIONS.prepare(db, {
      ...{ ...held, max: max + 1 },
      afterEnd: after.sessionRunsUntil,
      afterId: after.session,
    }),
    SUBSCRIPTIONS.prepare(db, {
      ...{ ...held, max: maxSubscriptions + 1, maxBytes: MAX_BYTES },
      after: after.subscription,
    }),
    PAST_SESSIONS.prepare(db, {
      ...{ ...held, max: max + 1 },
      afterAt: after.pastAt,
      afterId: after.past,
      began: after.began || NEVER,
    }),
    SPANS.prepare(db, { ...held, fromId: after.changesOf }),
    SHARED_VERSIONS.prepare(db, { ...held, fromId: after.changesOf, fromAt: after.changesFrom }),
    PAYMENTS.prepare(db, { ...held, max: max + 1, afterAt: after.paymentAt, after: after.payment }),
    CALLS.prepare(db, {
      ...{ digests: json(digests), tenant, max: max + 1, maxBytes: MAX_BYTES },
      afterAt: after.callAt,
      afterId: after.callId,
    }),
    LIVING_HERE.prepare(db, { ids: held.ids }),
  ]);
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
