import { HOUR_MS, type Instant, instant, MINUTE_MS, SECOND_MS } from '../instant.ts';
import { type SourceImports, sourceFreshness } from '../source-freshness.ts';

/** The facts of a source that decide whether its silence can be trusted. */
export interface ReportingSource extends SourceImports {
  /** How long after the fact it may report it. In whole minutes. */
  readonly reportDelayMinutes: number;
}

/**
 * Until when a source has reported everything: its last success, less its delay. A native source reports as things happen,
 * so its silence means nothing: now, less that delay, unless its last import has failed. Null if it has never imported.
 */
export function completeUntil(source: ReportingSource, at: Instant): Instant | null {
  const reported = source.isSystem && source.lastOutcome !== 'failed' ? at : source.lastSuccessfulAt;
  return reported === null ? null : instant(reported - source.reportDelayMinutes * MINUTE_MS);
}

/** This long after a sighting, waiting for a source is no longer worth while. */
export const WORTH_WAITING_MS = HOUR_MS;
/** When to ask again about a source that may report at any time. */
const UNKNOWN_WAIT_MS = 5 * MINUTE_MS;
const MIN_WAIT_MS = 30 * SECOND_MS;
const MAX_WAIT_MS = 15 * MINUTE_MS;

/**
 * How long to wait for a source that may still have to report what was paid before an instant.
 *
 * @returns milliseconds from now; null if it has reported everything
 */
export function waitForSource(source: ReportingSource, until: Instant, now: Instant): number | null {
  const status = sourceFreshness(source, now);
  const complete = completeUntil(source, now);
  if (status === 'stale' || status === 'error' || complete === null) {
    return UNKNOWN_WAIT_MS;
  }
  return complete >= until ? null : Math.min(Math.max(until - complete, MIN_WAIT_MS), MAX_WAIT_MS);
}
