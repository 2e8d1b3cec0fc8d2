import type { Instant } from './instant.ts';

/** A half-open interval [from, until): it contains its start and not its end. Null: unbounded. */
export interface Span {
  readonly from: Instant | null;
  readonly until: Instant | null;
}

/** Whether an instant lies in the span: from ≤ at < until. */
export function contains(span: Span, at: Instant): boolean {
  return (span.from === null || span.from <= at) && (span.until === null || at < span.until);
}

/** Whether two spans, neither of them empty, share an instant. Spans that only touch share none. */
export function overlaps(a: Span, b: Span): boolean {
  return startsBeforeEnd(a, b) && startsBeforeEnd(b, a);
}

function startsBeforeEnd(a: Span, b: Span): boolean {
  return a.from === null || b.until === null || a.from < b.until;
}
