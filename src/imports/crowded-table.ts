import { OPEN_END } from '../db/schema/sessions.ts';
import type { Change } from '../domain/daily-changes.ts';
import type { Instant } from '../domain/instant.ts';
import type { Plate } from '../domain/plate.ts';
import {
  CROWD_WINDOW_MS,
  type CrowdedRow,
  crowdedKeys,
  MAX_PLATE_SESSIONS,
  MAX_PLATE_SUBSCRIPTIONS,
} from '../domain/plate-bounds.ts';
import { COUNT_PLATE_SESSIONS, COUNT_PLATE_SUBSCRIPTIONS, type CountRow } from './crowded-statements.ts';
import type { SessionRow } from './session-line.ts';
import type { SubscriptionRow } from './subscription-line.ts';

/** Where stored rows are counted, and how many others there may be. */
interface Count {
  readonly db: D1Database;
  readonly municipalityId: number;
  readonly text: () => string;
  readonly max: number;
}

type Uncounted = Omit<CrowdedRow, 'stored'>;

/**
 * The keys of the rows that are one too many of a plate. Few plates come near the bound: the database answers for these alone.
 *
 * @param rows all that a batch changes
 */
async function findCrowded(
  { db, municipalityId, text, max }: Count,
  rows: readonly Uncounted[],
): Promise<ReadonlySet<string>> {
  const candidates = rows.filter(({ endsSomething }) => !endsSomething);
  if (candidates.length === 0) {
    return new Set();
  }
  const lines = JSON.stringify(candidates.map(({ plate, since }) => [plate, since]));
  const { results } = await db
    .prepare(text())
    .bind(municipalityId, lines, max + rows.length + 1, max - rows.length)
    .all<CountRow>();
  const stored = new Map(results.map((row) => [candidates[row.position], row.stored]));
  const plates = new Set(candidates.filter((row) => stored.has(row)).map(({ plate }) => plate));
  return crowdedKeys(
    rows.filter(({ plate }) => plates.has(plate)).map((row) => ({ ...row, stored: stored.get(row) ?? 0 })),
    max,
  );
}

/** What a batch changes of a row, and what that counts. */
interface Changed<Row> {
  readonly before: Row | null;
  readonly after: Row;
  readonly change: Change;
}

/** The ids of the sessions that are one too many of their plate. */
export const findCrowdedSessions = (
  db: D1Database,
  municipalityId: number,
  changes: readonly Changed<SessionRow>[],
): Promise<ReadonlySet<string>> =>
  findCrowded(
    { db, municipalityId, text: COUNT_PLATE_SESSIONS, max: MAX_PLATE_SESSIONS },
    changes.map(({ before, after, change }) => ({
      key: after.sessionId,
      plate: after.plate,
      since: after.startsAt - CROWD_WINDOW_MS,
      until: after.endsAt ?? OPEN_END,
      storedUntil: before !== null && before.plate === after.plate ? (before.endsAt ?? OPEN_END) : null,
      endsSomething: change.ending !== 'none',
    })),
  );

/** The numbers of the subscriptions that are one too many of one of their plates. */
export const findCrowdedSubscriptions = (
  db: D1Database,
  municipalityId: number,
  changes: readonly Changed<SubscriptionRow>[],
  now: Instant,
): Promise<ReadonlySet<string>> =>
  findCrowded(
    { db, municipalityId, text: COUNT_PLATE_SUBSCRIPTIONS, max: MAX_PLATE_SUBSCRIPTIONS },
    changes.flatMap(({ before, after, change }) =>
      platesJoining(before, after, now).map((plate) => ({
        key: after.subscriptionNumber,
        plate,
        since: now,
        until: OPEN_END,
        storedUntil: null,
        endsSomething: change.ending !== 'none',
      })),
    ),
  );

/** The plates that the subscription is about to count for: all of a new one, or of one that was over, else those that come on it. */
function platesJoining(before: SubscriptionRow | null, after: SubscriptionRow, now: Instant): Plate[] {
  const counted = new Set(before === null || isOver(before, now) ? [] : platesOf(before));
  return platesOf(after).filter((plate) => !counted.has(plate));
}

const platesOf = ({ plates }: SubscriptionRow): Plate[] => [...new Set(plates.map(({ plate }) => plate))];

/** Whether a subscription is over, as retention has it. One without any end counts from its last change. */
function isOver(row: SubscriptionRow, now: Instant): boolean {
  const { approval, authorizedUntil, revokedAt, periods } = row;
  const lastPeriodEndsAt = periods.at(-1)?.endsAt ?? Number.NEGATIVE_INFINITY;
  return (
    approval === 'rejected' ||
    (revokedAt !== null && revokedAt <= now) ||
    Math.max(authorizedUntil ?? Number.NEGATIVE_INFINITY, lastPeriodEndsAt) <= now
  );
}
