import { Cron } from 'croner';
import { printError } from '../print.ts';
import { configured } from './configured.ts';

/** The crons of `wrangler.toml`. */
export async function configuredCrons(): Promise<readonly string[]> {
  return (await configured()).triggers.crons ?? [];
}

/**
 * Fires the service's cron triggers on their schedule, as the platform does and `wrangler dev` does not.
 * Schedules are in UTC. A failed run is logged; the next one still comes.
 *
 * @returns the jobs, which run until they are stopped
 */
export function fireCrons(address: string, patterns: readonly string[]): Cron[] {
  // The platform counts the days of the week from 1, Sunday.
  const options = { timezone: 'UTC', alternativeWeekdays: true, protect: true };
  return patterns.map((pattern) => new Cron(pattern, options, () => fire(address, pattern)));
}

/** The run that renews the snapshots, which the pages are made from. */
const EVERY_MINUTE = '* * * * *';

/** Renews the snapshots now, so that the pages show at once what was loaded. */
export const renewSnapshots = (address: string): Promise<void> => fire(address, EVERY_MINUTE);

async function fire(address: string, pattern: string): Promise<void> {
  try {
    const url = `${address}/cdn-cgi/handler/scheduled?${new URLSearchParams({ cron: pattern })}`;
    const response = await fetch(url);
    const outcome = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${outcome}`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    printError(JSON.stringify({ event: 'cron_failed', cron: pattern, message }));
  }
}
