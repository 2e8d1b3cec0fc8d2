import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  parkingSessions,
  pastParkingSessions,
  pastSubscriptionPlates,
  pastSubscriptions,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { type Json, jsonArray, jsonRows, primaryKeyOf, type TupleOf, tableAs } from '../../storage/db/sql.ts';
import {
  type Parameters,
  type RowIn,
  select,
  statement,
  type ValuesOf,
  value,
} from '../../storage/db/statement.ts';
import { fieldColumnsByName, recordValue, recordValues } from '../../storage/db/subscription-fields.ts';
import { mayBeListed, type PeriodTuple, PLACE, periodsAfter, subscription } from './listed-parts.ts';

/*
 * The changes after a cursor, each with the versions that the caller may hold. If a right changes again while the pages are
 * sent, it moves after the last of these changes, and the next delta has it.
 */

const CHANGED = {
  ...PLACE,
  /** The versions that the caller may hold. */
  heldFrom: value<number>(),
  heldTo: value<number>(),
  /** Where to continue, and the last change to send. */
  fromAt: value<number>(),
  fromId: value<number>(),
  upTo: value<number>(),
  maxLookedAt: value<number>(),
};

interface Held {
  readonly heldFrom: SQL;
  readonly heldTo: SQL;
}

/** Whether the caller may hold a past version. */
const mayBeHeld = (
  { recordedAt, replacedAt }: Record<'recordedAt' | 'replacedAt', SQLWrapper>,
  { heldFrom, heldTo }: Held,
): SQL => sql`${replacedAt} > ${heldFrom} and ${recordedAt} <= ${heldTo}`;

const session = alias(parkingSessions, 'session');
const past = alias(pastParkingSessions, 'past');

const HELD_SESSION = [past.plate, past.startsAt, past.endsAt, past.cancelledAt] as const;

/** The versions of a session that the caller may hold: when the first was recorded, their number, and those in the facility. */
export type HeldSessionsTuple = [since: number | null, count: number, here: TupleOf<typeof HELD_SESSION>[]];

const changedSession = (areaId: SQL, held: Held) =>
  ({
    id: session.id,
    recorded_at: session.recordedAt,
    source_code: session.sourceCode,
    session_id: session.sessionId,
    plate: session.plate,
    starts_at: session.startsAt,
    ends_at: session.endsAt,
    cancelled_at: session.cancelledAt,
    is_here: sql<number>`${session.areaId} = ${areaId}`,
    held: sql<Json<HeldSessionsTuple>>`(
    select json_array(
      min(${past.recordedAt}),
      count(*),
      json_group_array(${jsonArray(HELD_SESSION)}) filter (where ${past.areaId} = ${areaId}))
    from ${tableAs(pastParkingSessions, past, primaryKeyOf(pastParkingSessions))}
    where ${past.id} = ${session.id}
      and ${mayBeHeld(past, held)}
  )`,
  }) as const;

export const CHANGED_SESSIONS = statement(
  CHANGED,
  ({ municipalityId, areaId, fromAt, fromId, upTo, maxLookedAt, ...held }) =>
    select(
      changedSession(areaId, held),
      sql`
  from ${tableAs(parkingSessions, session, 'parking_sessions_by_recording')}
  where ${session.municipalityId} = ${municipalityId}
    and (${session.recordedAt}, ${session.id}) >= (${fromAt}, ${fromId})
    and ${session.recordedAt} <= ${upTo}
  order by ${session.recordedAt}, ${session.id}
  limit ${maxLookedAt}`,
    ),
);
export type ChangedSessionRow = RowIn<typeof CHANGED_SESSIONS>;

const changedSpan = alias(subscriptionPlates, 'changed_span');
const span = alias(subscriptionPlates, 'span');
const pastSpan = alias(pastSubscriptionPlates, 'past_span');
const version = alias(pastSubscriptions, 'version');

const SPAN = [span.recordedAt, span.id, span.plate, span.validFrom, span.validUntil] as const;
const PAST_SPAN = [
  pastSpan.recordedAt,
  pastSpan.id,
  pastSpan.plate,
  pastSpan.validFrom,
  pastSpan.validUntil,
  pastSpan.replacedAt,
] as const;
export type SpanTuple = TupleOf<typeof SPAN>;
export type PastSpanTuple = TupleOf<typeof PAST_SPAN>;

const versionValues = (areaCode: SQL, heldAt: SQL) =>
  [
    version.recordedAt,
    version.replacedAt,
    ...recordValues(version.record),
    sql<number>`(
      ${recordValue(version.record, 'areas')} = 'all'
      or exists (
        select 1
        from json_each(${version.record}, '$.areas') as named
        where named.value = ${areaCode}
      )
    )`,
    sql<PeriodTuple[]>`(
      select json_group_array(json_array(paid.value ->> 0, paid.value ->> 1))
      from json_each(${version.record}, '$.periods') as paid
      where paid.value ->> 1 > ${heldAt}
    )`,
  ] as const;

const CHANGED_SUBSCRIPTION = {
  ...CHANGED,
  areaCode: value<string>(),
  /** The instant of the caller's list. */
  heldAt: value<number>(),
  /** The most plates to read. */
  maxPlates: value<number>(),
};
type ChangedSubscription = Parameters<ValuesOf<typeof CHANGED_SUBSCRIPTION>>;

const CHANGED_SPANS = tableAs(subscriptionPlates, changedSpan, 'subscription_plates_by_subscription');
const sharedHasChanged = ({ heldFrom }: Pick<Held, 'heldFrom'>) =>
  sql`${subscription.recordedAt} > ${heldFrom}`;
const isChangedSpan = ({ heldFrom }: Pick<Held, 'heldFrom'>) => sql`
      ${changedSpan.subscriptionId} = ${subscription.id}
      and ${changedSpan.recordedAt} > iif(${sharedHasChanged({ heldFrom })}, -1, ${heldFrom})`;
const replacedSpans = ({ heldFrom }: Pick<Held, 'heldFrom'>) => sql`
      from ${tableAs(pastSubscriptionPlates, pastSpan, primaryKeyOf(pastSubscriptionPlates))}
      where ${pastSpan.subscriptionId} = ${subscription.id}
        and ${pastSpan.replacedAt} > ${heldFrom}`;

/** All spans of a plate with a changed span: they are one right. */
const spansOfChanged = (municipalityId: SQL, held: Held) => sql<Json<SpanTuple[]>>`
    iif(${sharedHasChanged(held)}, ${jsonRows(
      jsonArray(SPAN),
      sql`
      from ${tableAs(subscriptionPlates, span, 'subscription_plates_by_subscription')}
      where ${span.subscriptionId} = ${subscription.id}`,
    )}, ${jsonRows(
      jsonArray(SPAN),
      sql`
      from (
        select ${changedSpan.plate} as plate
        from ${CHANGED_SPANS}
        where ${isChangedSpan(held)}
        union
        select ${pastSpan.plate} ${replacedSpans(held)}
      ) as changed
      cross join ${tableAs(subscriptionPlates, span, 'subscription_plates_by_plate')}
        on ${span.municipalityId} = ${municipalityId}
        and ${span.plate} = changed.plate
        and ${span.subscriptionId} = ${subscription.id}`,
    )})`;

const changedSubscription = ({ municipalityId, areaId, areaCode, heldAt, ...held }: ChangedSubscription) =>
  ({
    id: subscription.id,
    changed_at: sql<number>`${subscription.changedAt}`,
    recorded_at: subscription.recordedAt,
    subscription_number: subscription.subscriptionNumber,
    ...fieldColumnsByName(subscription),
    periods: periodsAfter(heldAt),
    versions: sql<Json<TupleOf<ReturnType<typeof versionValues>>[]>>`${jsonRows(
      jsonArray(versionValues(areaCode, heldAt)),
      sql`
      from ${tableAs(pastSubscriptions, version, primaryKeyOf(pastSubscriptions))}
      where ${version.id} = ${subscription.id}
        and ${mayBeHeld(version, held)}`,
    )}`,
    spans: spansOfChanged(municipalityId, held),
    past_spans: sql<Json<PastSpanTuple[]>>`${jsonRows(
      jsonArray(PAST_SPAN),
      sql`${replacedSpans(held)}
        and ${pastSpan.recordedAt} <= ${held.heldTo}`,
    )}`,
    is_listed: mayBeListed(areaId, heldAt),
  }) as const;

/** In any order, up to the one that exceeds the most plates: a subscription may have hundreds of plates, and often has one. */
export const CHANGED_SUBSCRIPTIONS = statement(CHANGED_SUBSCRIPTION, (changed) =>
  select(
    changedSubscription(changed),
    sql`
  from (
    select distinct id from (
      select ${subscription.id} as id
      from (
        select *
        from ${tableAs(subscriptions, subscription, 'subscriptions_by_change')}
        where ${subscription.municipalityId} = ${changed.municipalityId}
          and (${subscription.changedAt}, ${subscription.id}) >= (${changed.fromAt}, ${changed.fromId})
          and ${subscription.changedAt} <= ${changed.upTo}
        order by ${subscription.changedAt}, ${subscription.id}
        limit ${changed.maxLookedAt}
      ) as subscription
      left join ${CHANGED_SPANS} on ${isChangedSpan(changed)}
      limit ${changed.maxPlates}
    )
  ) as found
  cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = found.id`,
  ),
);
export type ChangedSubscriptionRow = RowIn<typeof CHANGED_SUBSCRIPTIONS>;
