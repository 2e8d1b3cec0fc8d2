import { mendRowOfObject } from '../../access/credential-objects.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { readCredentialsAfter } from './credentials-table.ts';
import { keepPlace, readPlace } from './reconciliation-table.ts';
import type { ReconcileFields } from './response.ts';

/** Compared in one call: each is a call of an object, and two round trips to the database where its row is mended. */
const CREDENTIALS_AT_ONCE = 60;
/** An invocation has six connections. */
const OBJECTS_AT_ONCE = 6;
/** Who calls again and again does so at once. A place that is older was left behind: by a call, or by a restore. */
const PLACE_HOLDS_MS = 60 * SECOND_MS;

/**
 * Compares the next credentials with what their objects hold, and mends the rows that say something else. To be repeated
 * until it is done; after a failure the same call goes on. A minute after the last call it begins anew.
 */
export async function reconcileCredentials(env: Env, now: Instant): Promise<ReconcileFields> {
  const place = await readPlace(env.DB);
  const after = place !== null && Math.abs(now - place.at) < PLACE_HOLDS_MS ? place.afterCredentialId : null;
  const { page, hasMore } = await readCredentialsAfter(env.DB, after, CREDENTIALS_AT_ONCE);
  let mended = 0;
  for (let index = 0; index < page.length; index += OBJECTS_AT_ONCE) {
    const rows = page.slice(index, index + OBJECTS_AT_ONCE);
    const outcomes = await Promise.all(rows.map((row) => mendRowOfObject(env, row)));
    mended += outcomes.filter((isMended) => isMended).length;
  }
  const last = page.at(-1)?.record.credential.credentialId;
  await keepPlace(env.DB, hasMore && last !== undefined ? { afterCredentialId: last, at: now } : null);
  return { checked: page.length, mended, done: !hasMore };
}
