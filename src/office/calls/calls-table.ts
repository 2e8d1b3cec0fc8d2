import { sql } from 'drizzle-orm';
import { hasRequestId, LOGGED_CALLS, type LoggedCall } from '../../storage/call-log/calls-parts.ts';
import { columns, parameter, statement } from '../../storage/db/sql.ts';

const CALL = statement(
  () =>
    sql`select ${columns(LOGGED_CALLS.columns)} from ${LOGGED_CALLS.from} where ${hasRequestId(parameter(1))}`,
);

/** The row of a request in the call log. Null if it is unknown, past its retention, or not written yet. */
export const readCall = (db: D1Database, requestId: string): Promise<LoggedCall | null> =>
  db.prepare(CALL()).bind(requestId).first<LoggedCall>();
