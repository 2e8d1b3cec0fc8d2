import { refreshSnapshots } from './core/snapshots/refresh.ts';
import type { Instant } from './domain/instant.ts';
import type { Env } from './env.ts';
import { runAlerts } from './office/watch/run-alerts.ts';
import { splitOutcomes } from './storage/databases/side-by-side.ts';
import { dropAllStatistics } from './storage/databases/statistics-table.ts';
import { runRetention, runRetentionStep } from './upkeep/retention/run-retention.ts';
import { deleteLeftCopies } from './upkeep/transfer/call-off-move.ts';

type Clock = () => Instant;
type Job = (env: Env, clock: Clock) => Promise<void>;

/** The cron expressions of `wrangler.toml`, each with its job. */
export const CRON_JOBS: Readonly<Record<string, Job>> = {
  '* * * * *': everyMinute,
  '*/3 * * * *': (env, clock) => runRetentionStep(env, clock()),
  '*/10 * * * *': (env) => everyTenMinutes(env),
  '17 * * * *': (env, clock) => runRetention(env, clock()),
};

/** Snapshots first, so that alerts see how that went, even if it failed. */
async function everyMinute(env: Env, clock: Clock): Promise<void> {
  try {
    await refreshSnapshots(env, clock);
  } finally {
    await runAlerts(env, clock());
  }
}

/** All of them share the 1,000 queries of an invocation. */
async function everyTenMinutes(env: Env): Promise<void> {
  const outcomes = [
    ...(await Promise.allSettled([dropAllStatistics(env)])),
    ...(await Promise.allSettled([deleteLeftCopies(env)])),
  ];
  const { failures } = splitOutcomes(outcomes);
  if (failures.length > 0)
    throw new AggregateError(failures, 'not all of the ten minutes’ work could be done');
}

/** Runs the job of a cron expression. An expression without a job is a mistake of the deployment, and throws. */
export async function runCron(expression: string, env: Env, clock: Clock): Promise<void> {
  const job = CRON_JOBS[expression];
  if (job === undefined) {
    throw new Error(`there is no job for the cron expression "${expression}"`);
  }
  await job(env, clock);
}
