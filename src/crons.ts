import { refreshSnapshots } from './core/snapshots/refresh.ts';
import type { Instant } from './domain/instant.ts';
import type { Env } from './env.ts';
import { runAlerts } from './office/watch/run-alerts.ts';
import { runRetention } from './upkeep/retention/run-retention.ts';

type Clock = () => Instant;
type Job = (env: Env, clock: Clock) => Promise<void>;

/** The cron expressions of `wrangler.toml`, each with its job. */
export const CRON_JOBS: Readonly<Record<string, Job>> = {
  '* * * * *': everyMinute,
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

/** Runs the job of a cron expression. An expression without a job is a mistake of the deployment, and throws. */
export async function runCron(expression: string, env: Env, clock: Clock): Promise<void> {
  const job = CRON_JOBS[expression];
  if (job === undefined) {
    throw new Error(`there is no job for the cron expression "${expression}"`);
  }
  await job(env, clock);
}
