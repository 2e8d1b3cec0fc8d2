import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  pastSubscriptionPlates,
  pastSubscriptions,
  subscriptionAreas,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../db/schema/index.ts';
import { primaryKeyOf, tableAs } from '../db/sql.ts';
import { presentRecord } from '../db/stored-subscriptions.ts';
import { requestAt } from './session-versions-parts.ts';

const span = alias(subscriptionPlates, 'span');
const pastSpan = alias(pastSubscriptionPlates, 'past_span');
const subscription = alias(subscriptions, 'subscription');
const version = alias(pastSubscriptions, 'version');
const period = alias(subscriptionPeriods, 'period');
const allowed = alias(subscriptionAreas, 'allowed');

/** What a page of a plate's subscriptions is. */
export interface SubscriptionsPage {
  /** The ids of municipalities, a JSON list. */
  readonly ids: SQL;
  readonly plate: SQL;
  /** The id of the first subscription, and the first instant that is asked for of it: all before are known. */
  readonly fromId: SQL;
  readonly fromAt: SQL;
  /** The most subscriptions, spans, versions, and bytes: more than these only of the first version. */
  readonly max: Readonly<Record<'subscriptions' | 'spans' | 'versions' | 'bytes', SQL>>;
}

/** The subscriptions that the plate is or was on, as the table `title`. */
const titles = ({ ids, plate, fromId, max }: SubscriptionsPage): SQL => sql`title as materialized (
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

/** A time that the plate is or was on a subscription. */
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

/** All of it: a {@link SpanRow} each, in the order of the subscriptions. */
export const spansOfPage = (page: SubscriptionsPage): SQL<SpanRow> => sql`
with ${titles(page)}
select one.*, ${by('recorded_at')} as recorded_by, iif(one.replaced_at is null, null, ${by('replaced_at')}) as replaced_by from (
  select title.id as id, title.municipality_id as municipality_id, ${span.validFrom} as valid_from, ${span.validUntil} as valid_until, ${span.recordedAt} as recorded_at, null as replaced_at
  from title cross join ${tableAs(subscriptionPlates, span, 'subscription_plates_by_plate')}
    on ${span.municipalityId} = title.municipality_id and ${span.plate} = ${page.plate} and ${span.subscriptionId} = title.id
  union all
  select title.id, title.municipality_id, ${pastSpan.validFrom}, ${pastSpan.validUntil}, ${pastSpan.recordedAt}, ${pastSpan.replacedAt}
  from title cross join ${tableAs(pastSubscriptionPlates, pastSpan, 'past_subscription_plates_by_plate')}
    on ${pastSpan.municipalityId} = title.municipality_id and ${pastSpan.plate} = ${page.plate} and ${pastSpan.subscriptionId} = title.id
) as one limit ${page.max.spans} + 1`;

/** About how large the record of a subscription of today is: it is made of those alone that are read. */
const PRESENT_BYTES = sql`(300
      + (select coalesce(sum(40 + coalesce(octet_length(${period.paidBy}), 0)), 0) from ${tableAs(subscriptionPeriods, period, primaryKeyOf(subscriptionPeriods))} where ${period.subscriptionId} = ${subscription.id})
      + 40 * (select count(*) from ${tableAs(subscriptionAreas, allowed, primaryKeyOf(subscriptionAreas))} where ${allowed.subscriptionId} = ${subscription.id}))`;

/** What a subscription shared, from one instant to another. */
export interface SharedRow {
  /** The subscription's. */
  readonly id: number;
  readonly municipality_id: number;
  readonly number: string;
  /** JSON of a `SubscriptionRecord`, and how large it is. */
  readonly record: string;
  readonly bytes: number;
  readonly recorded_at: number;
  readonly recorded_by: string | null;
  readonly replaced_at: number | null;
}

/** A row of a page, and how much was found for all of it. */
export interface SharedPageRow extends SharedRow {
  readonly subscriptions: number;
  readonly versions: number;
}

/** What the subscriptions have shared, in the order of subscriptions and of time, as far as the page goes. */
export const sharedOfPage = (page: SubscriptionsPage): SQL<SharedPageRow> => sql`
with ${titles(page)}
select page.*, (select count(*) from title) as subscriptions, ${subscription.subscriptionNumber} as number,
  iif(page.replaced_at is null, ${presentRecord(subscription)}, ${version.record}) as record,
  ${requestAt(sql.raw('page.municipality_id'), sql.raw('page.recorded_at'))} as recorded_by
from (
  select *, count(*) over () as versions,
    coalesce(sum(bytes) over (order by id, recorded_at rows between unbounded preceding and 1 preceding), 0) as bytes_before
  from (
    select * from (
      select ${subscription.id} as id, title.municipality_id as municipality_id, ${subscription.recordedAt} as recorded_at, null as replaced_at, ${PRESENT_BYTES} as bytes
      from title cross join ${tableAs(subscriptions, subscription)} not indexed on ${subscription.id} = title.id
      union all
      select ${version.id}, title.municipality_id, ${version.recordedAt}, ${version.replacedAt}, octet_length(${version.record})
      from title cross join ${tableAs(pastSubscriptions, version, primaryKeyOf(pastSubscriptions))}
        on ${version.id} = title.id and ${version.replacedAt} > iif(title.id = ${page.fromId}, ${page.fromAt}, 0)
    ) order by id, recorded_at limit ${page.max.versions} + 1
  )
) as page cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = page.id
left join ${tableAs(pastSubscriptions, version, primaryKeyOf(pastSubscriptions))} on ${version.id} = page.id and ${version.replacedAt} = page.replaced_at
where page.bytes_before < ${page.max.bytes} order by page.id, page.recorded_at`;
