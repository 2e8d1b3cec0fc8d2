import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import type { Json } from '../../storage/db/json.ts';
import { parkingSessions, subscriptionPlates, subscriptions } from '../../storage/db/schema/index.ts';
import {
  bare,
  columns,
  jsonArray,
  jsonRows,
  list,
  type RowOf,
  type TupleOf,
  tableAs,
} from '../../storage/db/sql.ts';
import { statement, value } from '../../storage/db/statement.ts';
import { sharedByName } from '../../storage/db/subscription-fields.ts';
import { mayBeListed, PLACE, periodsAfter, subscription } from './listed-parts.ts';

const READ = {
  ...PLACE,
  asOf: value<Instant>(),
  /** How many rows are looked at, and how many of them are read. */
  maxLookedAt: value<number>(),
  maxTaken: value<number>(),
};

const session = alias(parkingSessions, 'session');
const plate = alias(subscriptionPlates, 'plate');

const SESSION = {
  id: session.id,
  source_code: session.sourceCode,
  session_id: session.sessionId,
  plate: session.plate,
  starts_at: session.startsAt,
  ends_at: session.endsAt,
  cancelled_at: session.cancelledAt,
} as const;

/** `is_mark` 1: no entry, but the last row that was looked at. */
export type SessionRow = RowOf<typeof SESSION> & { readonly is_mark: number };

/**
 * Those of the facility among the next sessions, and where these are fewer than are taken, the last one that was looked at.
 * Nothing is kept aside: of each, its row of the index and its own are read, and that of the index once more for the last.
 */
export const READ_SESSIONS = statement(
  {
    ...READ,
    /** The position of the last session. */
    afterEnd: value<number>(),
    afterStart: value<number>(),
    afterId: value<number>(),
    greatestEnd: value<number>(),
  },
  ({ municipalityId, areaId, asOf, maxLookedAt, maxTaken, afterEnd, afterStart, afterId, greatestEnd }) => {
    // In the order of their ends, which is that of the index, after a position.
    const inOrder = sql`
    from ${tableAs(parkingSessions, session, 'parking_sessions_by_end')}
    where ${session.municipalityId} = ${municipalityId}
      and ${session.runsUntil} <= ${greatestEnd}
      and (${session.runsUntil}, ${session.startsAt}, ${session.id}) > (${afterEnd}, ${afterStart}, ${afterId})
    order by ${session.runsUntil}, ${session.startsAt}, ${session.id}`;
    return sql<SessionRow>`
  select ${list(Object.keys(SESSION).map((name) => bare({ name })))}, 0 as is_mark
  from (
    select ${columns(SESSION)}, ${session.areaId} as area_id
    ${inOrder}
    limit ${maxLookedAt}
  )
  where area_id = ${areaId}
    and (cancelled_at is null or cancelled_at > ${asOf})
  union all
  select *, 1 as is_mark
  from (
    select ${columns(SESSION)}
    from (
      select ${session.id} as last
      ${inOrder}
      limit 1 offset ${maxLookedAt} - 1
    )
    cross join ${tableAs(parkingSessions, session)} on ${session.id} = last
  )
  limit ${maxTaken}`;
  },
);

const PLATE = [plate.plate, plate.validFrom, plate.validUntil, plate.recordedAt, plate.id] as const;
export type PlateTuple = TupleOf<typeof PLATE>;

const subscriptionColumns = (asOf: SQL) =>
  ({
    subscription_number: subscription.subscriptionNumber,
    ...sharedByName(subscription),
    plates: sql<Json<PlateTuple[]>>`${jsonRows(
      jsonArray(PLATE),
      sql`
      from ${tableAs(subscriptionPlates, plate, 'subscription_plates_by_subscription')}
      where ${plate.subscriptionId} = ${subscription.id}`,
    )}`,
    periods: periodsAfter(asOf),
  }) as const;

export type SubscriptionRow = RowOf<ReturnType<typeof subscriptionColumns>> & {
  readonly position: number;
  /** 0: it is included only because it was the last one looked at. */
  readonly may_be_listed: number;
  /** How many there are, with those whose plates had no room. */
  readonly found: number;
};

/**
 * Subscriptions of the municipality in the order of their numbers, from a number on: those that may be listed, and in any
 * case the last one that was looked at. They end with the one whose plates go beyond the maximum.
 */
export const READ_SUBSCRIPTIONS = statement(
  { ...READ, from: value<string>(), maxPlates: value<number>() },
  ({ municipalityId, areaId, asOf, maxLookedAt, maxTaken, from, maxPlates }) => sql<SubscriptionRow>`
  with looked_at as materialized (
    select ${subscription.id} as id,
      ${subscription.subscriptionNumber} as number,
      ${mayBeListed(areaId, asOf)} as may_be_listed,
      row_number() over (order by ${subscription.subscriptionNumber}) as position
    from ${tableAs(subscriptions, subscription)}
    where ${subscription.municipalityId} = ${municipalityId}
      and ${subscription.subscriptionNumber} >= ${from}
    order by ${subscription.subscriptionNumber}
    limit ${maxLookedAt}
  )
  select ${columns(subscriptionColumns(asOf))},
    taken.may_be_listed as may_be_listed,
    taken.position as position,
    taken.found as found
  from (
    select *,
      count(*) over () as found,
      coalesce(
        sum(iif(number = ${from}, 0, plates))
          over (order by position rows between unbounded preceding and 1 preceding),
        0) as plates_before
    from (
      select *, (
        select count(*)
        from ${tableAs(subscriptionPlates, plate, 'subscription_plates_by_subscription')}
        where ${plate.subscriptionId} = looked_at.id
      ) as plates
      from looked_at
      where may_be_listed or position = ${maxLookedAt}
      order by position
      limit ${maxTaken}
    )
  ) as taken
  cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = taken.id
  where taken.plates_before < ${maxPlates}
  order by taken.position`,
);
