import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { callLog } from '../../db/schema/index.ts';

export type CallRow = typeof callLog.$inferSelect;

/** The row of a request in the call log. Null if it is unknown, past its retention, or not written yet. */
export async function readCall(db: D1Database, requestId: string): Promise<CallRow | null> {
  const [row] = await drizzle(db).select().from(callLog).where(eq(callLog.requestId, requestId));
  return row ?? null;
}
