import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Env } from '../../env.ts';
import { municipality } from '../../serving/lookups/municipality-table.ts';
import { readWhereItLives } from '../../serving/lookups/where-it-lives-table.ts';
import {
  municipalities,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { primaryKeyOf, tableAs } from '../../storage/db/sql.ts';
import { statement, value } from '../../storage/db/statement.ts';
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

const READ = statement(
  { code: value<string>(), number: value<string>() },
  ({ code, number }) => sql<SubscriptionRow>`
  select ${presentRecord(subscription)} as record,
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
  from ${tableAs(subscriptions, subscription, 'subscriptions_number')}
  where ${subscription.municipalityId} = (
      select ${municipality.id}
      from ${tableAs(municipalities, municipality)}
      where ${municipality.code} = ${code}
    )
    and ${subscription.subscriptionNumber} = ${number}`,
);

/** Reads a subscription where its municipality lives. Returns null for an unknown municipality. */
export const readSubscription = (env: Env, code: string, number: string) =>
  readWhereItLives(env, code, (db) => READ.prepare(db, { code, number }));
