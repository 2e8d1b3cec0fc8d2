import { sql } from 'drizzle-orm';
import { db, query, read } from '../../storage/db/batch.ts';
import { calls } from '../../storage/db/schema/index.ts';
import { uuidOf } from '../../storage/db/sql.ts';
import { LOGGED } from '../administration/logged-call-table.ts';

const REQUEST_ID = sql.placeholder('requestId');

const CALL = query(() =>
  db
    .select(LOGGED)
    .from(calls)
    // By the key: null for what is not hexadecimal. But hyphens may be missing there, or stand elsewhere.
    .where(sql`${calls.id} = unhex(${REQUEST_ID}, '-') and ${uuidOf(calls.id)} = lower(${REQUEST_ID})`),
);

/** The row of a request in the call log. Null if it is unknown, past its retention, not written yet, or no UUID. */
export async function readCall(d1: D1Database, requestId: string) {
  const [[call]] = await read(d1, [CALL], { requestId });
  return call ?? null;
}
