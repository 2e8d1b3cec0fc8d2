import type { Env } from '../env.ts';
import { withTimeout } from '../platform/deadline.ts';
import { errorMessage } from '../platform/error-message.ts';
import { logEvent } from '../platform/log-event.ts';
import { listMunicipalityCodes } from './municipality-rows-table.ts';
import { onDemandKey, packKey } from './packed-format.ts';

/** KV allows 1,000 operations an invocation. Snapshots that are not deleted expire by their age. */
const MAX_DELETIONS = 500;
/** An administrator is waiting. What is not deleted by then also expires by its age. */
const DISCARD_WITHIN_MS = 5_000;

/** Whose configuration has changed. */
export interface ConfigurationChange {
  /** Codes. */
  readonly municipalities: readonly string[];
  /** Codes: all their municipalities have changed. */
  readonly tenants: readonly string[];
}

/**
 * Deletes the snapshots of municipalities, and with them those in the same packs: until the next minute, reports
 * compute their own. It never fails: a snapshot that could not be deleted soon becomes too old to be used.
 */
export async function discardSnapshots(env: Env, change: ConfigurationChange): Promise<void> {
  try {
    await withTimeout(DISCARD_WITHIN_MS, deleteSnapshots(env, change));
  } catch (error) {
    logEvent('warn', 'snapshots_not_discarded', { message: errorMessage(error) });
  }
}

async function deleteSnapshots(env: Env, { municipalities, tenants }: ConfigurationChange): Promise<void> {
  const ofTenants = tenants.length === 0 ? [] : await listMunicipalityCodes(env.DB, tenants);
  const codes = [...municipalities, ...ofTenants];
  // The packs first: there are few of them, and reports look there first.
  const keys = new Set([...codes.map(packKey), ...codes.map(onDemandKey)]);
  await Promise.all([...keys].slice(0, MAX_DELETIONS).map((key) => env.SNAPSHOTS.delete(key)));
}
