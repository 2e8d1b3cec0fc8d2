import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { MAX_SPANS } from '../../core/entitlement/plate-subscriptions-table.ts';
import type { Instant } from '../../domain/instant.ts';
import { coveredUntil } from '../../domain/paid-periods.ts';
import {
  CROWD_WINDOW_MS,
  type CrowdedRow,
  crowdedKeys,
  MAX_PLATE_SESSIONS,
  MAX_PLATE_SUBSCRIPTIONS,
} from '../../domain/plate-bounds.ts';
import { subscriptionOverAt } from '../../domain/subscription.ts';
import { type Json, json, parsed } from '../../storage/db/json.ts';
import { parkingSessions, subscriptionPlates, subscriptions } from '../../storage/db/schema/index.ts';
import { OPEN_END } from '../../storage/db/schema/sessions.ts';
import { literal, tableAs } from '../../storage/db/sql.ts';
import { all, type Parameters, statement, type ValuesOf, value } from '../../storage/db/statement.ts';
import { lineAt } from './line-parts.ts';
import { keepsPlaceOfSession } from './rules.ts';
import type { SessionRow } from './session-line.ts';
import type { SubscriptionRow } from './subscription-line.ts';

const OF_PLATES = {
  municipalityId: value<number>(),
  /** Each once, with an instant. */
  plates: value<Json<readonly (readonly [plate: string, since: number])[]>>(),
  /** How many ends of a plate are read, and from how many on they are answered. */
  maxRead: value<number>(),
  minAnswered: value<number>(),
};

const session = alias(parkingSessions, 'session');
const span = alias(subscriptionPlates, 'span');
const subscription = alias(subscriptions, 'subscription');

/** A plate of which much is stored. */
interface EndsRow {
  readonly plate: string;
  /** When each of what is stored of it ends, where that is later than the plate's instant. */
  readonly ends: Json<number[]>;
}

type OfPlates = Parameters<ValuesOf<typeof OF_PLATES>>;

/** @param ends a select of the ends of a line's plate, each as `"end"` */
const readEnds = (ends: (values: OfPlates) => SQL) =>
  statement(
    OF_PLATES,
    (values) => sql<EndsRow>`
  select * from (
    select ${lineAt(0)} as plate, (
      select json_group_array("end") from (${ends(values)}
        limit ${values.maxRead}
      )
    ) as ends
    from json_each(${values.plates}) as line
  )
  where json_array_length(ends) >= ${values.minAnswered}`,
  );

/** When the sessions of plates end. */
const READ_SESSION_ENDS = readEnds(
  ({ municipalityId }) => sql`
        select ${session.runsUntil} as "end"
        from ${tableAs(parkingSessions, session, 'parking_sessions_by_plate')}
        where ${session.municipalityId} = ${municipalityId}
          and ${session.plate} = ${lineAt(0)}
          and ${session.runsUntil} > ${lineAt(1)}`,
);

/** When the subscriptions of plates are over. */
const READ_SUBSCRIPTION_ENDS = readEnds(
  ({ municipalityId }) => sql`
        select ${subscription.overAt} as "end"
        from (
          select ${span.subscriptionId} as id
          from ${tableAs(subscriptionPlates, span, 'subscription_plates_by_plate')}
          where ${span.municipalityId} = ${municipalityId}
            and ${span.plate} = ${lineAt(0)}
          limit ${literal(MAX_SPANS)}
        ) as held
        cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = held.id
        where "end" > ${lineAt(1)}
        group by ${subscription.id}`,
);

/** Where stored rows are read, and how many others there may be. */
interface Count {
  readonly db: D1Database;
  readonly municipalityId: number;
  readonly statement: typeof READ_SESSION_ENDS;
  readonly max: number;
}

type Uncounted = Omit<CrowdedRow, 'stored'>;

/**
 * The keys of the rows that are one too many of a plate. Each plate is read once, however many lines name it, and few come near
 * the bound: the database answers for these alone.
 *
 * @param rows all that a batch changes
 */
async function findCrowded(
  { db, municipalityId, statement, max }: Count,
  rows: readonly Uncounted[],
): Promise<ReadonlySet<string>> {
  const earliest = new Map<string, number>();
  for (const { plate, since, isExempt } of rows) {
    if (!isExempt) {
      earliest.set(plate, Math.min(since, earliest.get(plate) ?? since));
    }
  }
  if (earliest.size === 0) {
    return new Set();
  }
  const { results } = await all(
    statement.prepare(db, {
      municipalityId,
      plates: json([...earliest]),
      maxRead: max + rows.length + 1,
      minAnswered: max - rows.length,
    }),
  );
  const ends = new Map(results.map((row) => [row.plate, parsed(row.ends)]));
  const near = rows.filter(({ plate }) => ends.has(plate));
  return crowdedKeys(
    near.map((row) => ({ ...row, stored: countLater(ends.get(row.plate) ?? [], row.since) })),
    max,
  );
}

const countLater = (ends: readonly number[], since: number): number =>
  ends.reduce((count, end) => (end > since ? count + 1 : count), 0);

/** What a batch changes of a row, which is null before it is stored. */
export interface RowChange<Row> {
  readonly before: Row | null;
  readonly after: Row;
}

/** The ids of the sessions that are one too many of their plate. */
export const findCrowdedSessions = (
  db: D1Database,
  municipalityId: number,
  changes: readonly RowChange<SessionRow>[],
): Promise<ReadonlySet<string>> =>
  findCrowded(
    { db, municipalityId, statement: READ_SESSION_ENDS, max: MAX_PLATE_SESSIONS },
    changes.map(({ before, after }) => ({
      key: after.sessionId,
      plate: after.plate,
      since: after.startsAt - CROWD_WINDOW_MS,
      until: after.endsAt ?? OPEN_END,
      storedUntil: before !== null && before.plate === after.plate ? (before.endsAt ?? OPEN_END) : null,
      isExempt: before !== null && keepsPlaceOfSession(before, after),
    })),
  );

/** The numbers of the subscriptions that are one too many of one of their plates. */
export const findCrowdedSubscriptions = (
  db: D1Database,
  municipalityId: number,
  changes: readonly RowChange<SubscriptionRow>[],
  now: Instant,
): Promise<ReadonlySet<string>> =>
  findCrowded(
    { db, municipalityId, statement: READ_SUBSCRIPTION_ENDS, max: MAX_PLATE_SUBSCRIPTIONS },
    changes.flatMap(({ before, after }) => {
      const until = overAt(after, now);
      const held = new Set(platesOf(before));
      const storedUntil = before === null ? null : overAt(before, now);
      return [...new Set(platesOf(after))].map((plate) => {
        const counted = held.has(plate) ? storedUntil : null;
        return {
          key: after.subscriptionNumber,
          plate,
          since: now,
          until,
          storedUntil: counted,
          // It counts already, or will count for nothing.
          isExempt: (counted !== null && counted > now) || until <= now,
        };
      });
    }),
  );

const platesOf = (row: SubscriptionRow | null): string[] => row?.plates.map(({ plate }) => plate) ?? [];

/** When a subscription that changes now is over. */
const overAt = (row: SubscriptionRow, now: Instant): number =>
  subscriptionOverAt({ ...row, lastPeriodEndsAt: coveredUntil(row.periods).at(-1) ?? null, changedAt: now });
