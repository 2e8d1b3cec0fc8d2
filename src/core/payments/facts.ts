import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { UnreadError } from '../../base/errors/unread.ts';
import { type Instant, instant, MINUTE_MS } from '../../domain/instant.ts';
import { isSoldFrom, type PayableSubscription } from '../../domain/payment.ts';
import type { Plate } from '../../domain/plate.ts';
import { MAX_READ_SUBSCRIPTIONS } from '../../domain/plate-bounds.ts';
import type { MeterPlan, PurchaseOperation } from '../../domain/purchase-options.ts';
import { sum } from '../../domain/sum.ts';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import { municipality, municipalityReader } from '../../serving/lookups/municipality-table.ts';
import { hasRequestId, LOGGED_CALLS } from '../../storage/call-log/calls-parts.ts';
import { retry, TRIES_WHILE_WAITING } from '../../storage/db/retry.ts';
import {
  paymentChanges,
  payments,
  plans,
  subscriptionPeriods,
  subscriptionTypes,
} from '../../storage/db/schema/index.ts';
import {
  type Json,
  json,
  jsonArray,
  jsonRows,
  literal,
  parsed,
  primaryKeyOf,
  type TupleOf,
  tableAs,
} from '../../storage/db/sql.ts';
import { type Parameters, type ValuesOf, value } from '../../storage/db/statement.ts';
import { firstRecordKnown, hasChangedSince } from '../../storage/history/configuration-versions-table.ts';
import {
  MAX_SPANS,
  type SubscriptionTuple,
  subscription,
  subscriptionJson,
  subscriptionOf,
  subscriptionsOfPlate,
} from '../entitlement/plate-subscriptions-table.ts';
import { paymentJson, type StoredPayment, storedPayment } from '../recorded-payments/payment-parts.ts';
import type { SubscriptionVersion } from './payment-table.ts';

/** A subscription that a payment may be for, and its version. */
export type VersionedSubscription = PayableSubscription & SubscriptionVersion;

/** A municipality with what a payment is judged by. */
export interface PaymentMunicipality extends FoundMunicipality {
  readonly id: number;
  readonly name: string;
  readonly timeZone: string;
  /** The plate's, freely sold ones included. */
  readonly held: readonly VersionedSubscription[];
  /** The payment that is stored under this key. */
  readonly stored: StoredPayment | null;
}

const QUERY = {
  plate: value<Plate>(),
  at: value<Instant>(),
  /** The payment's key, and the digest in its place once the plate was erased. */
  names: value<Json<readonly string[]>>(),
  planCode: value<string>(),
  /** The `request_id` of the options answer that was sold from. */
  offeredBy: value<string | null>(),
};
type Query = Parameters<ValuesOf<typeof QUERY>>;

/** A paid period counts as recent if it starts less than this long before the collection. */
const RECENT_MS = 10 * MINUTE_MS;

const subscriptionType = alias(subscriptionTypes, 'subscription_type');
const paid = alias(subscriptionPeriods, 'paid');
const recent = alias(payments, 'recent');
const reversal = alias(paymentChanges, 'reversal');

const RECENT = [recent.planCode, recent.collectedAt] as const;
const recentPayments = (at: SQL): SQL =>
  jsonRows(
    jsonArray(RECENT),
    sql`
      from ${tableAs(subscriptionPeriods, paid, primaryKeyOf(subscriptionPeriods))}
      cross join ${tableAs(payments, recent, primaryKeyOf(payments))}
        on ${recent.municipalityId} = ${municipality.id}
        and ${recent.paymentId} = ${paid.paidBy}
      where ${paid.subscriptionId} = ${subscription.id}
        and ${paid.startsAt} > ${at} - ${literal(RECENT_MS)}
        and ${paid.startsAt} <= ${at}
        and not exists (
          select 1
          from ${tableAs(paymentChanges, reversal, primaryKeyOf(paymentChanges))}
          where ${reversal.municipalityId} = ${municipality.id}
            and ${reversal.paymentId} = ${recent.paymentId}
            and ${reversal.change} = 'reversed'
        )`,
  );

const heldColumns = (at: SQL) =>
  [
    subscription.id,
    subscription.changedAt,
    sql<SubscriptionTuple>`${subscriptionJson(at)}`,
    subscriptionType.code,
    subscriptionType.freelySold,
    subscriptionType.renewalAllowed,
    subscriptionType.renewalOpensDaysBefore,
    sql<TupleOf<typeof RECENT>[]>`json(${recentPayments(at)})`,
    sql<number>`own.spans`,
  ] as const;
type HeldTuple = TupleOf<ReturnType<typeof heldColumns>>;

const held = ({ plate, at }: Query): SQL =>
  jsonRows(
    jsonArray(heldColumns(at)),
    sql`
    from ${subscriptionsOfPlate(plate, at)}
    cross join ${tableAs(subscriptionTypes, subscriptionType)} on ${subscriptionType.id} = ${subscription.typeId}`,
  );

const plan = alias(plans, 'plan');
const planType = alias(subscriptionTypes, 'plan_type');
const PLAN = [
  planType.code,
  plan.amountCents,
  plan.duration,
  plan.forFirstActivation,
  plan.forRenewal,
] as const;
type PlanTuple = TupleOf<typeof PLAN>;

/** The plan as it is sold today. */
const planOfToday = ({ planCode }: Query): SQL => sql`(
    select ${jsonArray(PLAN)}
    from ${tableAs(plans, plan, 'plans_municipality_code')}
    cross join ${tableAs(subscriptionTypes, planType)} on ${planType.id} = ${plan.subscriptionTypeId}
    where ${plan.municipalityId} = ${municipality.id}
      and ${plan.code} = ${planCode}
      and ${plan.active}
      and ${plan.onParkingMeter}
  )`;

const { from: CALLS, columns: call } = LOGGED_CALLS;

const sells = (operation: PurchaseOperation): SQL => sql`exists (
      select 1
      from json_each(then_sold.value, '$.operations') as sold
      where sold.value = ${sql.raw(`'${operation}'`)}
    )`;

/** The plan as it was configured at an instant. */
const planThen = ({ planCode }: Query, at: SQLWrapper): SQL => sql`(
    select json_array(
      then_sold.value ->> 'subscription_type',
      then_sold.value ->> 'importo_eurocent',
      then_sold.value ->> 'duration',
      ${sells('first_activation')},
      ${sells('renewal')})
    from json_each(${firstRecordKnown(municipality.id, at)}, '$.plans') as then_sold
    where then_sold.value ->> 'codice_tariffa' = ${planCode}
  )`;

/** When an options answer offered the plan for this plate in the municipality. */
const offeringCall = ({ offeredBy, plate, planCode }: Query): SQL => sql`
    select ${call.at} as at
    from ${CALLS}
    where ${hasRequestId(offeredBy)}
      and ${call.operation} = 'subscription_options'
      and ${call.municipalityCode} = ${municipality.code}
      and json_valid(${call.response})
      and ${call.response} ->> '$.plate' = ${plate}
      and exists (
        select 1
        from json_each(${call.response}, '$.tariffe') as offered
        where offered.value ->> 'codice_tariffa' = ${planCode}
      )`;

const OFFERED_AT = sql.raw('offering.at');
/** When the plan was offered for this plate here, and how it was configured then if that has changed since. */
const offer = (query: Query): SQL => sql`(
    select json_array(${OFFERED_AT}, iif(
      ${hasChangedSince(municipality.id, OFFERED_AT)},
      json(${planThen(query, OFFERED_AT)}),
      json(${planOfToday(query)})))
    from (
      ${offeringCall(query)}
      limit 1
    ) as offering
  )`;
type OfferTuple = [offeredAt: number, plan: PlanTuple | null];

/** What a payment is looked up by. */
export interface PaymentQuery {
  readonly plate: Plate;
  /** The collection. */
  readonly at: Instant;
  /** What the payment may be stored under. */
  readonly names: readonly string[];
  readonly planCode: string;
  readonly offeredBy: string | null;
}

/**
 * Everything that a payment is judged by, in one statement and one round trip of the primary. It reads only rows of the plate and
 * the municipality, and one plan.
 *
 * @throws UnreadError for a plate that has more subscriptions than are read
 */
const read = municipalityReader({
  declared: QUERY,
  selection: (query) => ({
    id: municipality.id,
    name: municipality.name,
    time_zone: municipality.timeZone,
    held: sql<Json<HeldTuple[]> | null>`${held(query)}`,
    plan: sql<Json<PlanTuple> | null>`${planOfToday(query)}`,
    offer: sql<Json<OfferTuple> | null>`iif(${query.offeredBy} is null, null, ${offer(query)})`,
    stored: paymentJson(municipality.id, query.names),
  }),
  factsOf: (row, { plate, at, planCode }): Omit<PaymentMunicipality, keyof FoundMunicipality> => ({
    id: row.id,
    name: row.name,
    timeZone: row.time_zone,
    held: heldOf(row.code, row.held === null ? [] : parsed(row.held), planOf(row, at), planCode, plate),
    stored: row.stored === null ? null : storedPayment(row.stored),
  }),
});

export const readPaymentFacts = (
  db: D1Database,
  code: string,
  { names, ...query }: PaymentQuery,
): Promise<PaymentMunicipality | null> =>
  retry(() => read(db, code, { ...query, names: json(names) }), TRIES_WHILE_WAITING);

interface Sold {
  readonly typeCode: string;
  readonly plan: Omit<MeterPlan, 'code'>;
}

/** The plan that counts: as it was offered, or as it is today. */
function planOf(
  row: { readonly plan: Json<PlanTuple> | null; readonly offer: Json<OfferTuple> | null },
  at: Instant,
): Sold | null {
  const [offeredAt, then] = row.offer === null ? [null, null] : parsed(row.offer);
  const counts = offeredAt !== null && then !== null && isSoldFrom(instant(offeredAt), at);
  const tuple = counts ? then : row.plan === null ? null : parsed(row.plan);
  if (tuple === null) {
    return null;
  }
  const [typeCode, amountCents, duration, first, renewal] = tuple;
  const operations: PurchaseOperation[] = [];
  if (first === 1) operations.push('first_activation');
  if (renewal === 1) operations.push('renewal');
  return { typeCode, plan: { amountCents, duration, description: '', operations } };
}

function heldOf(
  code: string,
  tuples: readonly HeldTuple[],
  sold: Sold | null,
  planCode: string,
  plate: Plate,
): VersionedSubscription[] {
  const spans = sum(tuples.map((tuple) => tuple[8]));
  if (tuples.length > MAX_READ_SUBSCRIPTIONS || spans > MAX_SPANS) {
    throw new UnreadError(code, ['subscriptions']);
  }
  return tuples.map(
    ([id, changedAt, tuple, typeCode, freelySold, renewalAllowed, renewalOpensDaysBefore, recents]) => ({
      id,
      changedAt,
      // The areas of a limited subscription are not read: no area is asked for.
      subscription: subscriptionOf(tuple, plate, []),
      type: {
        freelySold: freelySold === 1,
        renewalAllowed: renewalAllowed === 1,
        renewalOpensDaysBefore,
      },
      plans: sold !== null && sold.typeCode === typeCode ? [{ ...sold.plan, code: planCode }] : [],
      recentPayments: recents.map(([recentPlan, collectedAt]) => ({
        planCode: recentPlan,
        collectedAt: instant(collectedAt),
      })),
    }),
  );
}
