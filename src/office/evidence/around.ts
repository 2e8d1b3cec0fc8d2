import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import { contains, overlaps, type Span } from '../../domain/interval.ts';
import { effectiveEnd } from '../../domain/parking-session.ts';
import type { PlateVersion } from '../history/versions.ts';

/** Decides which versions belong to the history of an instant. */
export interface HistoryQuery {
  /** The time around the instant. */
  readonly window: Span;
  /** Null for the whole municipality. */
  readonly areaCode: string | null;
  /** How long a source's open-ended sessions count, in hours; without an entry for one that came later. */
  readonly openSessionMaxHours: ReadonlyMap<string, number>;
}

/**
 * The versions whose record overlaps the window, or that were recorded or replaced in it, in their order; with an area, only that
 * area's sessions.
 */
export const historyOf = (versions: readonly PlateVersion[], query: HistoryQuery): PlateVersion[] =>
  versions.filter((version) => isOfArea(version, query.areaCode) && isOfWindow(version, query));

/**
 * How long after the session's start its first version was recorded, in whole seconds; 0 if before. Null for other versions, and
 * other kinds.
 */
export const lateBySeconds = (version: PlateVersion): number | null =>
  version.kind === 'parking_session' && version.before === null
    ? Math.max(0, Math.floor((version.recordedAt - version.startsAt) / SECOND_MS))
    : null;

const isOfArea = (version: PlateVersion, areaCode: string | null): boolean =>
  areaCode === null || version.kind !== 'parking_session' || version.areaCode === areaCode;

function isOfWindow(version: PlateVersion, query: HistoryQuery): boolean {
  const { window } = query;
  const isWithin = (at: Instant | null) => at !== null && contains(window, at);
  return (
    isWithin(version.recordedAt) ||
    isWithin(version.replacedAt) ||
    (version.kind === 'payment' && isWithin(version.collectedAt)) ||
    spansOf(version, query).some((span) => overlaps(span, window))
  );
}

function spansOf(version: PlateVersion, { openSessionMaxHours }: HistoryQuery): Span[] {
  switch (version.kind) {
    case 'parking_session': {
      const { startsAt, endsAt, sourceCode } = version;
      const hours = openSessionMaxHours.get(sourceCode);
      const until =
        hours === undefined ? endsAt : effectiveEnd({ startsAt, endsAt, openSessionMaxHours: hours });
      return [{ from: startsAt, until }];
    }
    case 'subscription': {
      const { authorizedFrom, authorizedUntil, periods } = version;
      const paid = periods.map(([from, until]) => ({ from, until }));
      return [{ from: authorizedFrom, until: authorizedUntil }, ...paid];
    }
    case 'payment': {
      const { startsAt, endsAt } = version;
      return startsAt === null || endsAt === null ? [] : [{ from: startsAt, until: endsAt }];
    }
    default:
      return version satisfies never;
  }
}
