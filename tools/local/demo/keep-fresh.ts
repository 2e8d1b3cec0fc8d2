import { type Instant, MINUTE_MS } from '../../../src/domain/instant.ts';
import { printError } from '../../print.ts';
import type { Demonstration } from './load.ts';

/** Well below the demonstrated tolerances, and the age at which a source becomes stale. */
const REFRESH_EVERY_MS = 5 * MINUTE_MS;

/** Refreshes the demonstration while the process runs. A failed refresh is logged, and retried later. */
export function keepFresh(demonstration: Demonstration, clock: () => Instant): void {
  setInterval(async () => {
    try {
      await demonstration.refresh(clock());
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      printError(JSON.stringify({ event: 'demonstration_refresh_failed', message }));
    }
  }, REFRESH_EVERY_MS);
}
