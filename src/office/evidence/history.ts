import { authorizationOf } from '../../core/entitlement/held-subscription.ts';
import { type Instant, instant, nullableInstant, SECOND_MS } from '../../domain/instant.ts';
import { contains, overlaps, type Span } from '../../domain/interval.ts';
import { effectiveEnd } from '../../domain/parking-session.ts';
import {
  type Change,
  type RecordedSession,
  type RecordedSubscription,
  subjectOf,
} from '../../storage/history/recorded.ts';

/** The most changes, and the most checks, that a history counts. */
export const MAX_COUNTED = 1_000;

/** Decides which changes belong to the history of an instant. */
export interface HistoryQuery {
  /** The time around the instant. */
  readonly window: Span;
  /** Null for the whole municipality. */
  readonly areaCode: string | null;
  /** How long a source's open-ended sessions count, in hours; undefined for an unknown source. */
  readonly openSessionMaxHours: (sourceCode: string) => number | undefined;
}

/**
 * Returns the changes whose record overlaps the window or that were recorded in it, in their order; with an area, only that
 * area's. A change by which the plate leaves has no record: its previous record is used.
 *
 * @param changes all changes of the plate, in the order of recording
 */
export function historyOf(changes: readonly Change[], query: HistoryQuery): Change[] {
  const latest = new Map<string, Change>();
  return changes.filter((change) => {
    const subject = subjectOf(change);
    const replaced = latest.get(subject) ?? null;
    latest.set(subject, change);
    return isOfArea(change, replaced, query) && isOfWindow(change, replaced, query);
  });
}

/**
 * How long after the session's start a change was recorded, in whole seconds; 0 if before. Null for a subscription, and if the
 * plate has left.
 */
export function lateBySeconds(change: Change): number | null {
  if (change.kind === 'subscription' || change.record === null) {
    return null;
  }
  return Math.max(0, Math.floor((change.recordedAt - change.record.starts_at) / SECOND_MS));
}

function isOfArea(change: Change, replaced: Change | null, { areaCode }: HistoryQuery): boolean {
  if (areaCode === null || change.kind === 'subscription') {
    return true;
  }
  const before = replaced?.kind === 'parking_session' ? replaced.record : null;
  return [change.record?.area_code, before?.area_code, change.leftAreaCode].includes(areaCode);
}

function isOfWindow(change: Change, replaced: Change | null, query: HistoryQuery): boolean {
  return (
    contains(query.window, change.recordedAt) ||
    spansOf(change.record === null ? (replaced ?? change) : change, query).some((span) =>
      overlaps(span, query.window),
    )
  );
}

function spansOf(change: Change, query: HistoryQuery): Span[] {
  if (change.record === null) {
    return [];
  }
  return change.kind === 'parking_session'
    ? [spanOfSession(change.record, query.openSessionMaxHours(change.sourceCode))]
    : spansOfSubscription(change.record);
}

function spanOfSession(
  { starts_at, ends_at }: RecordedSession,
  openSessionMaxHours: number | undefined,
): Span {
  const startsAt = instant(starts_at);
  const endsAt = nullableInstant(ends_at);
  const until: Instant | null =
    openSessionMaxHours === undefined ? endsAt : effectiveEnd({ startsAt, endsAt, openSessionMaxHours });
  return { from: startsAt, until };
}

const spansOfSubscription = (record: RecordedSubscription): Span[] => [
  authorizationOf(record),
  ...record.periods.map(({ starts_at, ends_at }) => ({ from: instant(starts_at), until: instant(ends_at) })),
];
