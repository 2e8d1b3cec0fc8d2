import type { Env } from '../env.ts';
import { within } from '../platform/deadline.ts';
import { errorMessage } from '../platform/error-message.ts';
import { listMunicipalityCodes } from './municipality-rows-table.ts';
import { packKey, spotKey } from './packed-format.ts';

/** KV takes 1,000 operations an invocation. What is left over grows too old by itself. */
const MOST_DELETIONS = 500;
/** An administrator waits. What has not been reached by then grows too old by itself as well. */
const DISCARD_WITHIN_MS = 5_000;

/** Whose configuration has changed. */
export interface Changed {
  /** Codes. */
  readonly municipalities: readonly string[];
  /** Codes: all their municipalities have changed. */
  readonly tenants: readonly string[];
}

/**
 * Discards the snapshots of municipalities, and with them those that share their packs: reports make their own until
 * the next minute. It never fails: where it does not reach, the snapshots' age puts an end to them.
 */
export async function discardSnapshots(env: Env, changed: Changed): Promise<void> {
  try {
    await within(DISCARD_WITHIN_MS, deleteSnapshots(env, changed));
  } catch (error) {
    console.warn(JSON.stringify({ event: 'snapshots_not_discarded', message: errorMessage(error) }));
  }
}

async function deleteSnapshots(env: Env, { municipalities, tenants }: Changed): Promise<void> {
  const ofTenants = tenants.length === 0 ? [] : await listMunicipalityCodes(env.DB, tenants);
  const codes = [...municipalities, ...ofTenants];
  // The packs first: there are few of them, and reports look there first.
  const keys = new Set([...codes.map(packKey), ...codes.map(spotKey)]);
  await Promise.all([...keys].slice(0, MOST_DELETIONS).map((key) => env.SNAPSHOTS.delete(key)));
}
