/** Bounds on the service's own interval: not too often, and not so rarely that the widget looks dead. */
const MIN_SECONDS = 5;
const MAX_SECONDS = 600;
const DEFAULT_SECONDS = 60;

/** The random part of the wait after a failure, so that readers do not all come back at once. */
const SPREAD = 0.25;

/**
 * How long to wait until the next question.
 *
 * @param asked seconds, as the service last asked for; anything that is not a number counts as one minute
 * @param failures in a row: each doubles the waiting, up to ten minutes
 * @param random from 0 to 1
 */
export function waitingMs(asked: unknown, failures: number, random: number): number {
  const seconds = typeof asked === 'number' && Number.isFinite(asked) ? asked : DEFAULT_SECONDS;
  const usual = within(seconds);
  if (failures === 0) return usual * 1_000;
  return within(usual * 2 ** (failures - 1)) * (1 + SPREAD * random) * 1_000;
}

const within = (seconds: number): number => Math.min(Math.max(seconds, MIN_SECONDS), MAX_SECONDS);
