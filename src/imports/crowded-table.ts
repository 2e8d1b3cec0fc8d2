import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { parkingSessions, subscriptionPlates, subscriptions } from '../db/schema/index.ts';
import { OPEN_END } from '../db/schema/sessions.ts';
import { parameter, statement, tableAs } from '../db/sql.ts';
import type { Change } from '../domain/daily-changes.ts';
import type { Instant } from '../domain/instant.ts';
import {
  CROWD_WINDOW_MS,
  type CrowdedRow,
  crowdedKeys,
  MAX_PLATE_SESSIONS,
  MAX_PLATE_SUBSCRIPTIONS,
} from '../domain/plate-bounds.ts';
import { overAt } from '../plate-digest/guard-parts.ts';
import { lineAt } from './line-parts.ts';
import type { SessionRow } from './session-line.ts';
import type { SubscriptionRow } from './subscription-line.ts';

/** 1: the municipality; 2: a JSON list of lines; 3: how many of a line's others are counted; 4: from how many on it is answered. */
const [MUNICIPALITY, LIST, MAX_COUNTED, MIN_ANSWERED] = [
  parameter(1),
  parameter(2),
  parameter(3),
  parameter(4),
];
const session = alias(parkingSessions, 'session');
const span = alias(subscriptionPlates, 'span');
const subscription = alias(subscriptions, 'subscription');

interface CountRow {
  /** The line's, from 0. */
  readonly position: number;
  readonly stored: number;
}

/** Lines: a plate, and an instant. How many of the plate's sessions end later. */
export const COUNT_PLATE_SESSIONS = statement(
  () => sql`
select * from (
  select line.key as position, (select count(*) from (
      select 1 from ${tableAs(parkingSessions, session, 'parking_sessions_by_plate')}
      where ${session.municipalityId} = ${MUNICIPALITY} and ${session.plate} = ${lineAt(0)} and ${session.runsUntil} > ${lineAt(1)}
      limit ${MAX_COUNTED}
    )) as stored
  from json_each(${LIST}) as line
) where stored >= ${MIN_ANSWERED}`,
);

/** Lines: a plate, and now. How many subscriptions that are not over name it. */
export const COUNT_PLATE_SUBSCRIPTIONS = statement(
  () => sql`
select * from (
  select line.key as position, (select count(*) from (
      select 1 from ${tableAs(subscriptionPlates, span, 'subscription_plates_by_plate')}
      cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = ${span.subscriptionId}
      where ${span.municipalityId} = ${MUNICIPALITY} and ${span.plate} = ${lineAt(0)} and ${overAt(subscription)} > ${lineAt(1)}
      group by ${span.subscriptionId} limit ${MAX_COUNTED}
    )) as stored
  from json_each(${LIST}) as line
) where stored >= ${MIN_ANSWERED}`,
);

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
      [...new Set(after.plates.map(({ plate }) => plate))].map((plate) => ({
        key: after.subscriptionNumber,
        plate,
        since: now,
        until: OPEN_END,
        storedUntil: before?.plates.some((held) => held.plate === plate) ? OPEN_END : null,
        endsSomething: change.ending !== 'none',
      })),
    ),
  );
