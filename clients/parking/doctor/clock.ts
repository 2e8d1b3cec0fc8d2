/** Listens to the service's own clock, by the `Date` of its answers. */
export function watchedClock(): {
  readonly fetch: typeof fetch;
  /** How far this machine is ahead, in whole seconds; null before an answer. */
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

/**
 * How far a clock here is ahead of one there, in whole seconds.
 *
 * @param date what the other showed at some instant in between, cut to the second
 */
export function aheadOf(sentAt: number, receivedAt: number, date: number): number {
  // The other clock showed something from `date` to a second later, here it was something between the two.
  if (sentAt > date + 1_000) return Math.round((sentAt - (date + 1_000)) / 1_000);
  if (receivedAt < date) return Math.round((receivedAt - date) / 1_000);
  return 0;
}
