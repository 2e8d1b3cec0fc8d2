import type { Instant } from '../../domain/instant.ts';
import type { Span } from '../../domain/interval.ts';
import type { Plate } from '../../domain/plate.ts';
import { json } from '../../storage/db/json.ts';
import type { Change } from '../../storage/history/recorded.ts';
import { sessionChanges } from '../../storage/history/session-versions-parts.ts';
import { subscriptionChanges } from '../../storage/history/subscription-changes.ts';
import type { SharedPageRow, SpanRow } from '../../storage/history/subscription-versions-parts.ts';
import {
  MAX_OF_SUBSCRIPTIONS,
  MAX_VERSIONS,
  SESSION_VERSIONS,
  type SessionVersionsRow,
  SHARED_VERSIONS,
  SPANS,
} from './facts-statements.ts';

/** The versions of a plate around a time, as changes. */
export interface Versions {
  /** In the order of recording. */
  readonly changes: readonly Change[];
  /** Whether these are all. If not, all missing ones are newer. */
  readonly areWhole: boolean;
  /** If sessions are missing: the source of most. */
  readonly mostFrom: string | null;
}

/** The statements that read the versions of a plate around a time. */
export const versionStatements = (
  db: D1DatabaseSession,
  municipalityId: number,
  plate: Plate,
  { from, until }: { readonly [Bound in keyof Span]: Instant },
) => {
  const held = { ids: json([municipalityId]), plate };
  return [
    SESSION_VERSIONS.prepare(db, { ...held, from, until }),
    SPANS.prepare(db, held),
    SHARED_VERSIONS.prepare(db, held),
  ] as const;
};

/** The versions that these statements have read. */
export function versionsOf(
  sessions: D1Result<SessionVersionsRow>,
  spans: D1Result<SpanRow>,
  shared: D1Result<SharedPageRow>,
): Versions {
  const until = readUntil(sessions.results);
  const mostFrom = sessions.results[0]?.most_from ?? null;
  const subscriptions = subscriptionChanges(
    spans.results,
    shared.results,
    { id: 0, at: 0 },
    MAX_OF_SUBSCRIPTIONS,
  );
  if (spans.results.length > MAX_OF_SUBSCRIPTIONS.spans || subscriptions.next !== null) {
    return { changes: [], areWhole: false, mostFrom };
  }
  const changes = [
    ...sessions.results.flatMap((row) => (row.id === null ? [] : sessionChanges(row))),
    ...subscriptions.changes.map(({ change }): Change => change),
  ].sort((one, other) => one.recordedAt - other.recordedAt);
  return until === null
    ? { changes, areWhole: true, mostFrom }
    : { changes: changes.filter(({ recordedAt }) => recordedAt < until), areWhole: false, mostFrom };
}

/** The instant until which all versions of the sessions were read; null if all were. */
function readUntil(rows: readonly SessionVersionsRow[]): number | null {
  const { present = 0, past = 0, past_until = null } = rows[0] ?? {};
  if (present > MAX_VERSIONS) {
    return 0;
  }
  const last = rows.at(-1);
  const isCut = rows.length > MAX_VERSIONS && last !== undefined && last.id !== null;
  const ends = [...(past > MAX_VERSIONS ? [past_until ?? 0] : []), ...(isCut ? [last.recorded_at] : [])];
  return ends.length === 0 ? null : Math.min(...ends);
}
