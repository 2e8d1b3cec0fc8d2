import { sql } from 'drizzle-orm';
import { hasRequestId, LOGGED_CALLS, type LoggedCall } from '../../storage/call-log/calls-parts.ts';
import { columns } from '../../storage/db/sql.ts';
import { first, statement, value } from '../../storage/db/statement.ts';

const CALL = statement(
  { requestId: value<string>() },
  ({ requestId }) => sql<LoggedCall>`
  select ${columns(LOGGED_CALLS.columns)}
  from ${LOGGED_CALLS.from}
  where ${hasRequestId(requestId)}`,
);

/** The row of a request in the call log. Null if it is unknown, past its retention, or not written yet. */
export const readCall = (db: D1Database, requestId: string): Promise<LoggedCall | null> =>
  first(CALL.prepare(db, { requestId }));
