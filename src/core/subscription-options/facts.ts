import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { UnreadError } from '../../base/errors/unread.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import { MAX_READ_SUBSCRIPTIONS } from '../../domain/plate-bounds.ts';
import type { MeterPlan, OfferedSubscription, PurchaseOperation } from '../../domain/purchase-options.ts';
import { sum } from '../../domain/sum.ts';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import { municipality, municipalityReader } from '../../serving/lookups/municipality-table.ts';
import { plans, subscriptionTypes } from '../../storage/db/schema/index.ts';
import { type Json, jsonArray, jsonRows, parsed, type TupleOf, tableAs } from '../../storage/db/sql.ts';
import { value } from '../../storage/db/statement.ts';
import {
  MAX_SPANS,
  type SubscriptionTuple,
  subscription,
  subscriptionJson,
  subscriptionOf,
  subscriptionsOfPlate,
} from '../entitlement/plate-subscriptions-table.ts';

/** A municipality, with the plate's subscriptions and what it sells for them. */
export interface OptionsMunicipality extends FoundMunicipality {
  readonly name: string;
  readonly timeZone: string;
  /** Whether it has both subscriptions and this query switched on. */
  readonly serviceEnabled: boolean;
  /** Freely sold ones included; none where the service is off. */
  readonly held: readonly OfferedSubscription[];
}

const subscriptionType = alias(subscriptionTypes, 'subscription_type');
const plan = alias(plans, 'plan');

const PLAN = [
  plan.code,
  plan.amountCents,
  plan.duration,
  plan.description,
  plan.forFirstActivation,
  plan.forRenewal,
] as const;
type PlanTuple = TupleOf<typeof PLAN>;

const METER_PLANS = jsonRows(
  jsonArray(PLAN),
  sql`
      from ${tableAs(plans, plan)}
      where ${plan.municipalityId} = ${municipality.id}
        and ${plan.subscriptionTypeId} = ${subscriptionType.id}
        and ${plan.active}
        and ${plan.onParkingMeter}`,
);

/**
 * A type, with the plate's subscriptions of it, and its plans once, however many these are: a municipality may have 999 plans,
 * and a plate 200 subscriptions.
 */
const TYPE = [
  subscriptionType.freelySold,
  subscriptionType.renewalAllowed,
  subscriptionType.renewalOpensDaysBefore,
  subscriptionType.soldWithinAuthorization,
  sql<PlanTuple[]>`case when ${subscriptionType.freelySold} then json_array() else ${METER_PLANS} end`,
  sql<SubscriptionTuple[]>`json(held.subscriptions)`,
  sql<number>`held.spans`,
] as const;
type TypeTuple = TupleOf<typeof TYPE>;

const typesHeld = (plate: SQL, at: SQL): SQL =>
  jsonRows(
    jsonArray(TYPE),
    sql`
    from (
      select ${subscription.typeId} as type_id,
        json_group_array(${subscriptionJson(at)}) as subscriptions,
        sum(own.spans) as spans
      from ${subscriptionsOfPlate(plate, at)}
      group by ${subscription.typeId}
    ) as held
    cross join ${tableAs(subscriptionTypes, subscriptionType)} on ${subscriptionType.id} = held.type_id`,
  );

const SERVICE_ENABLED = sql<number>`${municipality.subscriptionsEnabled} and ${municipality.subscriptionOptionsEnabled}`;

/**
 * Everything that the options depend on, in one statement and one round trip. It reads only rows of the plate and the
 * municipality, and the plans of each of their types that is not freely sold.
 *
 * @throws UnreadError for a plate that has more subscriptions than are read
 */
export const readOptionsFacts = municipalityReader({
  declared: { plate: value<Plate>(), at: value<Instant>() },
  selection: ({ plate, at }) => ({
    name: municipality.name,
    time_zone: municipality.timeZone,
    service_enabled: SERVICE_ENABLED,
    held: sql<Json<TypeTuple[]> | null>`case when ${SERVICE_ENABLED} then ${typesHeld(plate, at)} end`,
  }),
  factsOf: (row, { plate }) => ({
    name: row.name,
    timeZone: row.time_zone,
    serviceEnabled: row.service_enabled === 1,
    held: heldOf(row.code, row.held === null ? [] : parsed(row.held), plate),
  }),
});

function heldOf(code: string, types: readonly TypeTuple[], plate: Plate): OfferedSubscription[] {
  const count = sum(types.map(([, , , , , subscriptions]) => subscriptions.length));
  const spans = sum(types.map(([, , , , , , ofType]) => ofType));
  if (count > MAX_READ_SUBSCRIPTIONS || spans > MAX_SPANS) {
    throw new UnreadError(code, ['subscriptions']);
  }
  return types.flatMap(
    ([
      freelySold,
      renewalAllowed,
      renewalOpensDaysBefore,
      soldWithinAuthorization,
      meterPlanTuples,
      subscriptions,
    ]) => {
      const type = {
        freelySold: freelySold === 1,
        renewalAllowed: renewalAllowed === 1,
        renewalOpensDaysBefore,
      };
      const sold = meterPlanTuples.map(planOf);
      return subscriptions.map((tuple) => ({
        // The areas of a limited subscription are not read: no area is asked for.
        subscription: subscriptionOf(tuple, plate, []),
        type,
        plans: sold,
        soldWithinAuthorization: soldWithinAuthorization === 1,
      }));
    },
  );
}

function planOf([code, amountCents, duration, description, first, renewal]: PlanTuple): MeterPlan {
  const operations: PurchaseOperation[] = [];
  if (first === 1) operations.push('first_activation');
  if (renewal === 1) operations.push('renewal');
  return { code, amountCents, duration, description, operations };
}
