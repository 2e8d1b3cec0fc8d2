import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { callLog } from '../../db/schema/index.ts';
import type { CallRow } from '../logged-call.ts';

/** The row of a request in the call log. Null if it is unknown, past its retention, or not written yet. */
export async function readCall(db: D1Database, requestId: string): Promise<CallRow | null> {
  const [row] = await drizzle(db).select().from(callLog).where(eq(callLog.requestId, requestId));
  return row ?? null;
}
