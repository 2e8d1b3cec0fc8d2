import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { repairRowOfObject } from '../../serving/access/credential-objects.ts';
import type { ReconcileFields } from './contract.ts';
import { readCredentialsAfter, readProgress, storeProgress } from './managed-credentials-table.ts';

/** The objects called at once: an invocation may have six connections at a time. */
const OBJECTS_AT_ONCE = 6;
/** Calls follow each other immediately. Older progress is left over from a call that was not repeated, or from a restore. */
const PROGRESS_EXPIRES_AFTER_MS = 60 * SECOND_MS;

/**
 * Compares the next credentials with what their objects hold, and corrects the rows that differ. Repeat the call until it
 * is done; after a failure, the same call continues. A minute after the last call it starts again from the beginning.
 */
export async function reconcileCredentials(env: Env, now: Instant): Promise<ReconcileFields> {
  const progress = await readProgress(env.DB);
  const after =
    progress !== null && Math.abs(now - progress.at) < PROGRESS_EXPIRES_AFTER_MS
      ? progress.afterCredentialId
      : null;
  const { page, hasMore } = await readCredentialsAfter(env.DB, after);
  let repaired = 0;
  for (let index = 0; index < page.length; index += OBJECTS_AT_ONCE) {
    const rows = page.slice(index, index + OBJECTS_AT_ONCE);
    const outcomes = await Promise.all(rows.map((row) => repairRowOfObject(env, row)));
    repaired += outcomes.filter((wasRepaired) => wasRepaired).length;
  }
  const last = page.at(-1)?.record.credential.credentialId;
  await storeProgress(env.DB, hasMore && last !== undefined ? { afterCredentialId: last, at: now } : null);
  return { checked: page.length, mended: repaired, done: !hasMore };
}
