import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { lastRecordedAt } from '../db/changes-sql.ts';
import {
  pastSubscriptionPlates,
  pastSubscriptions,
  subscriptionAreas,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../db/schema/index.ts';
import { bare, list, primaryKeyOf, tableAs } from '../db/sql.ts';
import { presentRecord } from '../db/stored-subscriptions.ts';
import { requestAt } from './session-versions-parts.ts';

const span = alias(subscriptionPlates, 'span');
const pastSpan = alias(pastSubscriptionPlates, 'past_span');
const subscription = alias(subscriptions, 'subscription');
const version = alias(pastSubscriptions, 'version');
const period = alias(subscriptionPeriods, 'period');
const allowed = alias(subscriptionAreas, 'allowed');

const KEPT = [
  pastSubscriptions.id,
  pastSubscriptions.municipalityId,
  pastSubscriptions.record,
  pastSubscriptions.recordedAt,
  pastSubscriptions.replacedAt,
];

/**
 * Keeps what the plates of subscriptions have shared until now. To be run before these change.
 *
 * @param of the subscriptions' columns, under their alias in `from`
 * @param record the shared part as a `SubscriptionRecord`
 */
export const keepShared = (
  municipalityId: SQL,
  of: Readonly<Record<'id' | 'recordedAt', SQLiteColumn>>,
  record: SQL,
  from: SQL,
): SQL => sql`
    insert into ${pastSubscriptions} (${list(KEPT.map(bare))})
    select ${of.id}, ${municipalityId}, ${record}, ${of.recordedAt}, ${lastRecordedAt(municipalityId)}
    ${from}`;

/** The parameters of a page of a plate's subscriptions. */
export interface SubscriptionsPage {
  /** The ids of municipalities, a JSON list. */
  readonly ids: SQL;
  readonly plate: SQL;
  /** Where the page begins: the id of its first subscription, and the first instant wanted of that one. */
  readonly fromId: SQL;
  readonly fromAt: SQL;
  /** The limits of a page. The first version is read even if it is larger than `bytes`. */
  readonly max: Readonly<Record<'subscriptions' | 'spans' | 'versions' | 'bytes', SQL>>;
}

/** The subscriptions that the plate is or was on, as the table `held_subscription`. */
const heldSubscriptions = ({
  ids,
  plate,
  fromId,
  max,
}: SubscriptionsPage): SQL => sql`held_subscription as materialized (
  select one.value as id, held.value as municipality_id
  from json_each(${ids}) as held cross join json_each((select json_group_array(id) from (
    select id from (
      select * from (select distinct ${span.subscriptionId} as id from ${tableAs(subscriptionPlates, span, 'subscription_plates_by_plate')}
        where ${span.municipalityId} = held.value and ${span.plate} = ${plate} and ${span.subscriptionId} >= ${fromId}
        order by ${span.subscriptionId} limit ${max.subscriptions})
      union
      select * from (select distinct ${pastSpan.subscriptionId} from ${tableAs(pastSubscriptionPlates, pastSpan, 'past_subscription_plates_by_plate')}
        where ${pastSpan.municipalityId} = held.value and ${pastSpan.plate} = ${plate} and ${pastSpan.subscriptionId} >= ${fromId}
        order by ${pastSpan.subscriptionId} limit ${max.subscriptions})
    ) order by id limit ${max.subscriptions}
  ))) as one order by one.value limit ${max.subscriptions}
)`;

/** A span of the plate on a subscription, present or past. */
export interface SpanRow {
  /** The subscription's. */
  readonly id: number;
  readonly valid_from: number | null;
  readonly valid_until: number | null;
  readonly recorded_at: number;
  readonly recorded_by: string | null;
  readonly replaced_at: number | null;
  readonly replaced_by: string | null;
}

const by = (instant: string): SQL => requestAt(sql.raw('one.municipality_id'), sql.raw(`one.${instant}`));

/** All spans of the plate on the page's subscriptions. */
export const spansOfPage = (page: SubscriptionsPage): SQL<SpanRow> => sql`
with ${heldSubscriptions(page)}
select one.*, ${by('recorded_at')} as recorded_by, iif(one.replaced_at is null, null, ${by('replaced_at')}) as replaced_by from (
  select held_subscription.id as id, held_subscription.municipality_id as municipality_id, ${span.validFrom} as valid_from, ${span.validUntil} as valid_until, ${span.recordedAt} as recorded_at, null as replaced_at
  from held_subscription cross join ${tableAs(subscriptionPlates, span, 'subscription_plates_by_plate')}
    on ${span.municipalityId} = held_subscription.municipality_id and ${span.plate} = ${page.plate} and ${span.subscriptionId} = held_subscription.id
  union all
  select held_subscription.id, held_subscription.municipality_id, ${pastSpan.validFrom}, ${pastSpan.validUntil}, ${pastSpan.recordedAt}, ${pastSpan.replacedAt}
  from held_subscription cross join ${tableAs(pastSubscriptionPlates, pastSpan, 'past_subscription_plates_by_plate')}
    on ${pastSpan.municipalityId} = held_subscription.municipality_id and ${pastSpan.plate} = ${page.plate} and ${pastSpan.subscriptionId} = held_subscription.id
) as one limit ${page.max.spans} + 1`;

/** An estimate of the size of a present record, which is built only for the rows that the page keeps. */
const PRESENT_BYTES = sql`(300
      + (select coalesce(sum(40 + coalesce(octet_length(${period.paidBy}), 0)), 0) from ${tableAs(subscriptionPeriods, period, primaryKeyOf(subscriptionPeriods))} where ${period.subscriptionId} = ${subscription.id})
      + 40 * (select count(*) from ${tableAs(subscriptionAreas, allowed, primaryKeyOf(subscriptionAreas))} where ${allowed.subscriptionId} = ${subscription.id}))`;

/** A version of the part that a subscription's plates share. */
export interface SharedRow {
  /** The subscription's. */
  readonly id: number;
  readonly municipality_id: number;
  readonly number: string;
  /** JSON of a `SubscriptionRecord`. */
  readonly record: string;
  /** The size of `record`; an estimate for the present version. */
  readonly bytes: number;
  readonly recorded_at: number;
  readonly recorded_by: string | null;
  readonly replaced_at: number | null;
}

/** A row of a page, and how many subscriptions and versions the page's query found. */
export interface SharedPageRow extends SharedRow {
  readonly subscriptions: number;
  readonly versions: number;
}

/** The versions of the shared parts, by subscription, then by time, up to the limits of the page. */
export const sharedOfPage = (page: SubscriptionsPage): SQL<SharedPageRow> => sql`
with ${heldSubscriptions(page)}
select page.*, (select count(*) from held_subscription) as subscriptions, ${subscription.subscriptionNumber} as number,
  iif(page.replaced_at is null, ${presentRecord(subscription)}, ${version.record}) as record,
  ${requestAt(sql.raw('page.municipality_id'), sql.raw('page.recorded_at'))} as recorded_by
from (
  select *, count(*) over () as versions,
    coalesce(sum(bytes) over (order by id, recorded_at rows between unbounded preceding and 1 preceding), 0) as bytes_before
  from (
    select * from (
      select ${subscription.id} as id, held_subscription.municipality_id as municipality_id, ${subscription.recordedAt} as recorded_at, null as replaced_at, ${PRESENT_BYTES} as bytes
      from held_subscription cross join ${tableAs(subscriptions, subscription)} not indexed on ${subscription.id} = held_subscription.id
      union all
      select ${version.id}, held_subscription.municipality_id, ${version.recordedAt}, ${version.replacedAt}, octet_length(${version.record})
      from held_subscription cross join ${tableAs(pastSubscriptions, version, primaryKeyOf(pastSubscriptions))}
        on ${version.id} = held_subscription.id and ${version.replacedAt} > iif(held_subscription.id = ${page.fromId}, ${page.fromAt}, 0)
    ) order by id, recorded_at limit ${page.max.versions} + 1
  )
) as page cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = page.id
left join ${tableAs(pastSubscriptions, version, primaryKeyOf(pastSubscriptions))} on ${version.id} = page.id and ${version.replacedAt} = page.replaced_at
where page.bytes_before < ${page.max.bytes} order by page.id, page.recorded_at`;
