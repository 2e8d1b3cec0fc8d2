import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { municipality } from '../../serving/lookups/municipality-table.ts';
import {
  municipalities,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { primaryKeyOf, tableAs } from '../../storage/db/sql.ts';
import { first, statement, value } from '../../storage/db/statement.ts';
import { presentRecord } from '../../storage/db/stored-subscriptions.ts';

const subscription = alias(subscriptions, 'subscription');
const span = alias(subscriptionPlates, 'span');
const period = alias(subscriptionPeriods, 'paid_period');

export interface SubscriptionRow {
  /** JSON of a `SubscriptionRecord`. */
  readonly record: string;
  /** JSON: plate, start and end of each span. */
  readonly spans: string;
  /** JSON: start and end of each period that a payment made. */
  readonly paid: string;
}

/** A municipality, and the subscription if it has one with this number. */
type FoundSubscription = { readonly timezone: string } & (
  | (SubscriptionRow & { readonly is_found: 1 })
  | { readonly is_found: 0 }
);

const READ = statement(
  { code: value<string>(), number: value<string>() },
  ({ code, number }) => sql<FoundSubscription>`
  select ${municipality.timeZone} as timezone,
    ${subscription.id} is not null as is_found,
    ${presentRecord(subscription)} as record,
    (
      select json_group_array(
        json_array(${span.plate}, ${span.validFrom}, ${span.validUntil})
        order by ${span.plate}, ${span.validFrom})
      from ${tableAs(subscriptionPlates, span, 'subscription_plates_by_subscription')}
      where ${span.subscriptionId} = ${subscription.id}
    ) as spans,
    (
      select json_group_array(json_array(${period.startsAt}, ${period.endsAt}) order by ${period.startsAt})
      from ${tableAs(subscriptionPeriods, period, primaryKeyOf(subscriptionPeriods))}
      where ${period.subscriptionId} = ${subscription.id}
        and ${period.paidBy} is not null
    ) as paid
  from ${tableAs(municipalities, municipality)}
  left join ${tableAs(subscriptions, subscription, 'subscriptions_number')}
    on ${subscription.municipalityId} = ${municipality.id}
    and ${subscription.subscriptionNumber} = ${number}
  where ${municipality.code} = ${code}
    and not ${municipality.restoring}`,
);

/** Reads a subscription of a municipality. Returns null for an unknown municipality. */
export const readSubscription = (db: D1Database, code: string, number: string) =>
  first(READ.prepare(db, { code, number }));
