/** Reads the service's own clock, from the `Date` of its answers. */
export function watchedClock(): {
  readonly fetch: typeof fetch;
  /** How far this machine is ahead, in whole seconds; null before an answer that has a `Date`. */
  aheadSeconds(): number | null;
} {
  let ahead: number | null = null;
  return {
    fetch: async (...request) => {
      const sentAt = Date.now();
      const response = await fetch(...request);
      const date = Date.parse(response.headers.get('Date') ?? '');
      if (!Number.isNaN(date)) ahead = aheadOf(sentAt, Date.now(), date);
      return response;
    },
    aheadSeconds: () => ahead,
  };
}

/** A `Date` is cut to the second. */
const DATE_PRECISION_MS = 1_000;

/**
 * How far a clock here is ahead of one there, in whole seconds.
 *
 * @param shown the other clock's time at some instant between the two
 * @param precisionMs how much later it may have been than that
 */
export function aheadOf(
  sentAt: number,
  receivedAt: number,
  shown: number,
  precisionMs = DATE_PRECISION_MS,
): number {
  if (sentAt > shown + precisionMs) return Math.round((sentAt - shown - precisionMs) / 1_000);
  if (receivedAt < shown) return Math.round((receivedAt - shown) / 1_000);
  return 0;
}
