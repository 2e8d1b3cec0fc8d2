import { TimeoutError, withTimeout } from '../../base/platform/deadline.ts';
import { lastRefresh } from '../../base/platform/kv-notes.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import type { Call } from '../../serving/call.ts';
import { computeSnapshots } from './compute.ts';
import { type ActiveMunicipality, listActiveMunicipalities } from './municipality-rows-table.ts';
import { writePublicDirectory } from './public-directory.ts';
import { writeSnapshot } from './snapshot-store.ts';

/**
 * What is read at once: little enough that the database can answer others in between and that the sessions of big cities fit into
 * memory, and enough that hundreds of towns take far fewer than the 1,000 queries that D1 allows an invocation.
 */
const MAX_MUNICIPALITIES = 25;
const MAX_AREAS = 1_000;

/**
 * A snapshot is used for 120 s: it is read until the next one is written a minute later, and from KV's caches for 30 s
 * more. That leaves 30 s for a run.
 */
const RUN_MS = 20 * SECOND_MS;
/** How long the reading of one batch, or one write, may take. */
const WITHIN_MS = 6 * SECOND_MS;

/**
 * Writes the snapshot of every active municipality to KV, and the directory of the public ones: all for the instant at
 * which the run begins. Every value is written every minute, changed or not, so that none grows too old.
 *
 * A municipality that fails does not stop the others: it keeps its previous snapshot, and the failure is logged. The run
 * then fails at its end, so that the platform counts it as failed.
 */
export async function refreshSnapshots(env: Env, clock: () => Instant): Promise<void> {
  const at = clock();
  const listed = await withTimeout(WITHIN_MS, listActiveMunicipalities(env.DB));
  const failures = await writeAll(env, listed, at, clock);
  if (failures.length === 0) {
    failures.push(...(await attempt([], lastRefresh.write(env.SNAPSHOTS, { version: 1, at }))));
  }
  logEvent('log', 'snapshots', {
    at: new Date(at).toISOString(),
    municipalities: listed.length,
    failures: failures.length,
  });
  throwAll(failures);
}

/** An administrator is waiting. What takes longer continues after the answer. */
const RENEW_WITHIN_MS = 5 * SECOND_MS;

/**
 * Replaces the snapshots of municipalities whose configuration has changed, and the directory of public ones. It never fails:
 * the next run replaces what could not be replaced.
 */
export async function renewSnapshots(c: Call, codes: readonly string[]): Promise<void> {
  const renewing = renew(c.env, codes, c.get('now'));
  c.executionCtx.waitUntil(renewing.catch(() => {}));
  try {
    await withTimeout(RENEW_WITHIN_MS, renewing);
  } catch (error) {
    logEvent('warn', 'snapshots_not_renewed', { message: errorMessage(error) });
  }
}

async function renew(env: Env, codes: readonly string[], now: Instant): Promise<void> {
  const listed = await listActiveMunicipalities(env.DB);
  const changed = listed.filter(({ code }) => codes.includes(code));
  throwAll(await writeAll(env, changed, now, () => now));
}

/**
 * Computes and writes snapshots, and then the directory of all public municipalities. The members of a batch that cannot be
 * read are read alone, behind the others.
 *
 * @returns the failures
 */
async function writeAll(
  env: Env,
  municipalities: readonly ActiveMunicipality[],
  at: Instant,
  clock: () => Instant,
): Promise<unknown[]> {
  const endsAtMs = performance.now() + RUN_MS;
  const failures: unknown[] = [];
  const batches = batchesOf(municipalities);
  for (const batch of batches) {
    try {
      const leftMs = endsAtMs - performance.now();
      if (leftMs <= 0) throw new TimeoutError('the run has taken too long');
      const computing = computeSnapshots(env.DB, batch, at, clock);
      const snapshots = await withTimeout(Math.min(WITHIN_MS, leftMs), computing);
      const writing = snapshots.map((snapshot) =>
        attempt([snapshot.municipality], writeSnapshot(env.SNAPSHOTS, snapshot)),
      );
      failures.push(...(await Promise.all(writing)).flat());
    } catch (error) {
      if (batch.length > 1 && !(error instanceof TimeoutError)) batches.push(...batch.map((one) => [one]));
      else failures.push(noted(batch, error));
    }
  }
  // Last: a municipality that is listed has its snapshot already.
  failures.push(...(await attempt([], writePublicDirectory(env))));
  return failures;
}

/** What is read at once. A big city is a batch of its own. */
function batchesOf(municipalities: readonly ActiveMunicipality[]): ActiveMunicipality[][] {
  const batches: ActiveMunicipality[][] = [];
  let areas = Number.POSITIVE_INFINITY;
  for (const municipality of municipalities) {
    areas += municipality.areasCount;
    if (areas > MAX_AREAS || batches.at(-1)?.length === MAX_MUNICIPALITIES) {
      batches.push([]);
      areas = municipality.areasCount;
    }
    batches.at(-1)?.push(municipality);
  }
  return batches;
}

type Coded = readonly { readonly code: string }[];

/** Waits for a write. The rest of the run continues behind one that fails, which is noted. */
const attempt = (municipalities: Coded, writing: Promise<void>): Promise<unknown[]> =>
  withTimeout(WITHIN_MS, writing).then(
    () => [],
    (error) => [noted(municipalities, error)],
  );

function noted(municipalities: Coded, error: unknown): unknown {
  logEvent('error', 'snapshot_failed', {
    municipality_codes: municipalities.map(({ code }) => code),
    message: errorMessage(error),
  });
  return error;
}

function throwAll(failures: readonly unknown[]): void {
  if (failures.length > 0) throw new AggregateError(failures, 'some municipalities have no new snapshot');
}
