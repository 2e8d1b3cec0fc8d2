import { type Instant, instant } from './instant.ts';
import type { Span } from './interval.ts';
import type { Subscription } from './subscription.ts';

/** A stretch of time [from, until). It ends, as each paid period does. */
export interface ValidInterval {
  readonly from: Instant;
  readonly until: Instant;
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
  const paid = periods.map((period) => ({ from: period.startsAt, until: period.endsAt }));
  const needed = [[{ from, until: revokedAt }], [authorized], spansOutside(suspended), plateValidity];
  return mergeIntervals(needed.reduce(within, paid));
}

/** All time outside a span. */
function spansOutside(span: Subscription['suspended']): readonly Span[] {
  if (span === null) {
    return [{ from: null, until: null }];
  }
  const before = { from: null, until: span.from };
  return span.until === null ? [before] : [before, { from: span.until, until: null }];
}

/** The parts of the intervals that lie in one of the spans. */
const within = (intervals: readonly ValidInterval[], spans: readonly Span[]): ValidInterval[] =>
  intervals
    .flatMap((interval) => spans.map((span) => common(interval, span)))
    .filter(({ from, until }) => from < until);

const common = ({ from, until }: ValidInterval, span: Span): ValidInterval => ({
  from: instant(Math.max(from, span.from ?? from)),
  until: instant(Math.min(until, span.until ?? until)),
});

function mergeIntervals(intervals: readonly ValidInterval[]): readonly ValidInterval[] {
  const result: ValidInterval[] = [];
  for (const next of intervals.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last === undefined || last.until < next.from) {
      result.push(next);
    } else {
      result[result.length - 1] = { from: last.from, until: instant(Math.max(last.until, next.until)) };
    }
  }
  return result;
}
