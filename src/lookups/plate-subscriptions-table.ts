import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { subscriptionPeriods, subscriptionPlates, subscriptions } from '../db/schema/index.ts';
import { aliased, jsonArray, jsonRows, type TupleOf } from '../db/sql.ts';
import { instant, nullableInstant } from '../domain/instant.ts';
import type { Span } from '../domain/interval.ts';
import type { Plate } from '../domain/plate.ts';
import type { Subscription } from '../domain/subscription.ts';
import { m } from './municipality-table.ts';

/** A subscription of the plate. */
export const b = alias(subscriptions, 'b');
const l = alias(subscriptionPlates, 'l');
const p = alias(subscriptionPeriods, 'p');

const PERIOD = [p.startsAt, p.endsAt] as const;
const VALIDITY = [l.validFrom, l.validUntil] as const;

/**
 * The subscriptions `b` of a plate in the municipality `m`, each once: to stand behind `from`.
 *
 * @param plate the statement's parameter that holds the plate
 */
export const subscriptionsOfPlate = (plate: SQL): SQL => sql`(
  select ${l.subscriptionId} as subscription_id, json_group_array(${jsonArray(VALIDITY)}) as validity
  from ${aliased(subscriptionPlates, l)} where ${l.municipalityId} = ${m.id} and ${l.plate} = ${plate}
  group by ${l.subscriptionId}
) own join ${aliased(subscriptions, b)} on ${b.id} = own.subscription_id`;

interface Some {
  /** Ids of municipalities, a JSON list. */
  readonly ids: SQL;
  readonly plate: SQL;
  /** The subscription that they come behind, by its id, and how many. */
  readonly after: SQL;
  readonly most: SQL;
}

/** Likewise some of a plate in several municipalities, in the order of their ids. */
export const someSubscriptionsOfPlate = ({ ids, plate, after, most }: Some): SQL => sql`(
  select ${l.subscriptionId} as subscription_id, json_group_array(${jsonArray(VALIDITY)}) as validity
  from json_each(${ids}) as held cross join ${aliased(subscriptionPlates, l)}
    on ${l.municipalityId} = held.value and ${l.plate} = ${plate} and ${l.subscriptionId} > ${after}
  group by ${l.subscriptionId} order by ${l.subscriptionId} limit ${most}
) own join ${aliased(subscriptions, b)} on ${b.id} = own.subscription_id`;

const SUBSCRIPTION = [
  b.subscriptionNumber,
  b.approval,
  b.authorizedFrom,
  b.authorizedUntil,
  b.suspendedFrom,
  b.suspendedUntil,
  b.revokedAt,
  b.allAreas,
  sql<TupleOf<typeof VALIDITY>[]>`json(own.validity)`,
  sql<TupleOf<typeof PERIOD>[]>`${jsonRows(
    jsonArray(PERIOD),
    sql`from ${aliased(subscriptionPeriods, p)} where ${p.subscriptionId} = ${b.id}`,
  )}`,
] as const;

/** Such a subscription as JSON: a {@link SubscriptionTuple}. */
export const SUBSCRIPTION_JSON = sql<SubscriptionTuple>`${jsonArray(SUBSCRIPTION)}`;

/** What {@link SUBSCRIPTION_JSON} is, parsed. */
export type SubscriptionTuple = TupleOf<typeof SUBSCRIPTION>;

/**
 * The subscription of a row.
 *
 * @param limitedTo the codes of its areas that were read, for one that is limited to areas
 */
export function subscriptionOf(
  tuple: SubscriptionTuple,
  plate: Plate,
  limitedTo: readonly string[],
): Subscription {
  const [
    number,
    approval,
    from,
    until,
    suspendedFrom,
    suspendedUntil,
    revokedAt,
    allAreas,
    validity,
    periods,
  ] = tuple;
  return {
    subscriptionNumber: number,
    plate,
    plateValidity: validity.map(spanOf),
    approval,
    authorized: spanOf([from, until]),
    suspended:
      suspendedFrom === null
        ? null
        : { from: instant(suspendedFrom), until: nullableInstant(suspendedUntil) },
    revokedAt: nullableInstant(revokedAt),
    periods: periods.map(([startsAt, endsAt]) => ({ startsAt: instant(startsAt), endsAt: instant(endsAt) })),
    areas: allAreas === 1 ? 'all' : limitedTo,
  };
}

const spanOf = ([from, until]: readonly [number | null, number | null]): Span => ({
  from: nullableInstant(from),
  until: nullableInstant(until),
});
