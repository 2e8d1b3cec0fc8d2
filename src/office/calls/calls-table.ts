import { eq, sql } from 'drizzle-orm';
import { db, query, read } from '../../storage/db/batch.ts';
import { bytesOfId } from '../../storage/db/changes.ts';
import { calls } from '../../storage/db/schema/index.ts';
import { LOGGED } from '../administration/logged-call-table.ts';

const CALL = query(() =>
  db
    .select(LOGGED)
    .from(calls)
    .where(eq(calls.id, sql.placeholder('id'))),
);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The row of a request in the call log. Null if it is unknown, past its retention, not written yet, or no UUID. */
export async function readCall(d1: D1Database, requestId: string) {
  if (!UUID.test(requestId)) return null;
  const [[call]] = await read(d1, [CALL], { id: bytesOfId(requestId) });
  return call ?? null;
}
