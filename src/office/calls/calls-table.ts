import { sql } from 'drizzle-orm';
import { db, query, read } from '../../storage/db/batch.ts';
import { calls } from '../../storage/db/schema/index.ts';
import { LOGGED } from '../administration/logged-call-table.ts';

const CALL = query(() =>
  db
    .select(LOGGED)
    .from(calls)
    // `unhex` answers null, which equals no id, to a text that is not made of hexadecimal digits and hyphens.
    .where(sql`${calls.id} = unhex(${sql.placeholder('requestId')}, '-')`),
);

/** The row of a request in the call log. Null if it is unknown, past its retention, not written yet, or no UUID. */
export async function readCall(d1: D1Database, requestId: string) {
  const [[call]] = await read(d1, [CALL], { requestId });
  return call ?? null;
}
