import { drizzle } from 'drizzle-orm/d1';
import { erasuresForBackups } from '../db/schema/index.ts';
import { DATABASE_CLOCK, ifKnownSchema, rethrowOutgrown } from '../db/writable.ts';

/** Records in the home that a plate is being erased from a tenant, so that restoring an earlier backup erases it again. */
export async function keepErasure(home: D1Database, digest: string, tenant: string): Promise<void> {
  await rethrowOutgrown(
    drizzle(home)
      .insert(erasuresForBackups)
      .values({ digest, tenant, at: ifKnownSchema(DATABASE_CLOCK) })
      .onConflictDoUpdate({ target: erasuresForBackups.digest, set: { at: DATABASE_CLOCK } })
      .run(),
  );
}
