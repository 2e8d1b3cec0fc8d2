import type { Instant } from './instant.ts';
import type { Span } from './interval.ts';
import type { Subscription } from './subscription.ts';

/** A stretch of time [from, until) with a start. Without `until`, for good. */
export interface ValidInterval {
  readonly from: Instant;
  readonly until: Instant | null;
}

/**
 * When a subscription entitles its plate in an area, from an instant on: exactly the instants at which it is listed and its
 * diagnosis is `VALID_SUBSCRIPTION`. In the order of time; intervals that touch are one.
 */
export function validIntervals(
  { approval, plateValidity, authorized, suspended, revokedAt, periods, areas }: Subscription,
  areaCode: string,
  from: Instant,
): readonly ValidInterval[] {
  if (approval !== 'approved' || (areas !== 'all' && !areas.includes(areaCode))) {
    return [];
  }
  const granted = within([{ from, until: revokedAt }], [authorized]);
  const paid = periods.map((period) => ({ from: period.startsAt, until: period.endsAt }));
  return mergeIntervals(within(within(within(granted, spansOutside(suspended)), plateValidity), paid));
}

/** All time outside a span. */
function spansOutside(
  span: { readonly from: Instant; readonly until: Instant | null } | null,
): readonly Span[] {
  if (span === null) {
    return [{ from: null, until: null }];
  }
  const before = { from: null, until: span.from };
  return span.until === null ? [before] : [before, { from: span.until, until: null }];
}

/** The parts of the intervals that lie in one of the spans. */
function within(intervals: readonly ValidInterval[], spans: readonly Span[]): ValidInterval[] {
  return intervals
    .flatMap((interval) => spans.map((span) => common(interval, span)))
    .filter(({ from, until }) => until === null || from < until);
}

const common = (interval: ValidInterval, span: Span): ValidInterval => ({
  from: span.from !== null && span.from > interval.from ? span.from : interval.from,
  until: earlierOf(interval.until, span.until),
});

function earlierOf(a: Instant | null, b: Instant | null): Instant | null {
  if (a === null || b === null) {
    return a ?? b;
  }
  return a < b ? a : b;
}

function mergeIntervals(intervals: readonly ValidInterval[]): readonly ValidInterval[] {
  const result: ValidInterval[] = [];
  for (const next of intervals.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last === undefined || (last.until !== null && last.until < next.from)) {
      result.push(next);
    } else {
      result[result.length - 1] = { from: last.from, until: laterOf(last.until, next.until) };
    }
  }
  return result;
}

const laterOf = (a: Instant | null, b: Instant | null): Instant | null =>
  a === null || b === null ? null : a < b ? b : a;
