import { withTimeout } from '../../base/platform/deadline.ts';
import { errorMessage } from '../../base/platform/error-message.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { listMunicipalityCodes } from './municipality-rows-table.ts';
import { onDemandKey } from './packed-format.ts';
import { writePublicDirectory } from './public-directory.ts';
import { refreshPacks } from './refresh.ts';

/** KV allows 1,000 operations an invocation. Snapshots that are not deleted expire by their age. */
const MAX_DELETIONS = 500;
/** An administrator is waiting. What takes longer continues after the answer. */
const RENEW_WITHIN_MS = 5_000;

/** Whose configuration has changed. */
interface ConfigurationChange {
  /** Codes. */
  readonly municipalities: readonly string[];
  /** Codes: all their municipalities have changed. */
  readonly tenants: readonly string[];
}

/** The call that brought the change. */
interface Changing {
  readonly now: Instant;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/**
 * Replaces the snapshots of municipalities that have changed, and the directory of public municipalities. It never fails:
 * the next run replaces what could not be replaced, or it soon becomes too old to be used.
 */
export async function renewSnapshots(
  env: Env,
  change: ConfigurationChange,
  changing: Changing,
): Promise<void> {
  const renewing = renew(env, change, changing.now);
  changing.waitUntil(renewing.catch(() => {}));
  try {
    await withTimeout(RENEW_WITHIN_MS, renewing);
  } catch (error) {
    logEvent('warn', 'snapshots_not_renewed', { message: errorMessage(error) });
  }
}

async function renew(
  env: Env,
  { municipalities, tenants }: ConfigurationChange,
  now: Instant,
): Promise<void> {
  const ofTenants = tenants.length === 0 ? [] : await listMunicipalityCodes(env.DB, tenants);
  const codes = [...new Set([...municipalities, ...ofTenants])];
  const outcomes = await Promise.allSettled([
    refreshPacks(env, codes, () => now),
    // The pack has the newer snapshot, or none where the municipality was switched off.
    ...codes.slice(0, MAX_DELETIONS).map((code) => env.SNAPSHOTS.delete(onDemandKey(code))),
  ]);
  // Last: a municipality that is listed has its snapshot already.
  await writePublicDirectory(env);
  const failed = outcomes.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') {
    throw failed.reason;
  }
}
