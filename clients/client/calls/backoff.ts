/** Before the second try; each further one waits up to twice as long. */
const WITHIN_A_CALL = { firstMs: 100, maxMs: 5_000 };

/**
 * How long to wait before another try: anywhere between nothing and a bound that doubles (full jitter), so that a
 * thousand gates do not come back in step; but at least as long as the service asked for.
 *
 * @param failedTries how many tries have failed, from 1
 * @param random a number from 0 to 1
 */
export function backoffMs(
  failedTries: number,
  notBeforeMs: number,
  random: number,
  { firstMs, maxMs } = WITHIN_A_CALL,
): number {
  const bound = Math.min(maxMs, firstMs * 2 ** (failedTries - 1));
  return Math.max(notBeforeMs, Math.floor(random * bound));
}
