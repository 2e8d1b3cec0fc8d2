import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { hasRequestId, LOGGED_CALLS } from '../call-log/calls-parts.ts';
import {
  configurationVersions,
  paymentChanges,
  payments,
  plans,
  subscriptionPeriods,
  subscriptionTypes,
} from '../db/schema/index.ts';
import { jsonArray, jsonRows, literal, parameter, primaryKeyOf, type TupleOf, tableAs } from '../db/sql.ts';
import { type Instant, instant, MINUTE_MS } from '../domain/instant.ts';
import { isSoldFrom, type PayableSubscription } from '../domain/payment.ts';
import type { Plate } from '../domain/plate.ts';
import { MAX_READ_SUBSCRIPTIONS } from '../domain/plate-bounds.ts';
import type { MeterPlan, PurchaseOperation } from '../domain/purchase-options.ts';
import { UnreadError } from '../errors/unread.ts';
import type { FoundMunicipality } from '../lookups/municipality-choice.ts';
import { municipality, municipalityReader } from '../lookups/municipality-table.ts';
import {
  MAX_OPTION_SPANS,
  type SubscriptionTuple,
  subscription,
  subscriptionJson,
  subscriptionOf,
  subscriptionsOfPlate,
} from '../lookups/plate-subscriptions-table.ts';
import { paymentJson, type StoredPayment, storedPayment } from '../recorded-payments/payment-parts.ts';

/** A subscription that a payment may be for, and its version. */
export interface VersionedSubscription extends PayableSubscription {
  readonly id: number;
  readonly changedAt: number | null;
}

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

/** Parameters 1 and 2 are the municipality's. */
const PLATE = parameter(3);
const AT = parameter(4);
/** A JSON list: the payment's key, and what it is once the plate was erased. */
const NAMES = parameter(5);
const PLAN_CODE = parameter(6);
/** The `request_id` of the options answer that was sold from, or null. */
const OFFERED_BY = parameter(7);

/** A period that a recent payment made starts no longer ago: at its collection, or where the running period ended since. */
const RECENT_MS = 10 * MINUTE_MS;

const subscriptionType = alias(subscriptionTypes, 'subscription_type');
const paid = alias(subscriptionPeriods, 'paid');
const recent = alias(payments, 'recent');
const reversal = alias(paymentChanges, 'reversal');

const RECENT = [recent.planCode, recent.collectedAt] as const;
const recentPayments = jsonRows(
  jsonArray(RECENT),
  sql`from ${tableAs(subscriptionPeriods, paid, primaryKeyOf(subscriptionPeriods))}
    cross join ${tableAs(payments, recent, primaryKeyOf(payments))} on ${recent.municipalityId} = ${municipality.id} and ${recent.paymentId} = ${paid.paidBy}
    where ${paid.subscriptionId} = ${subscription.id} and ${paid.startsAt} > ${AT} - ${literal(RECENT_MS)} and ${paid.startsAt} <= ${AT}
      and not exists (select 1 from ${tableAs(paymentChanges, reversal, primaryKeyOf(paymentChanges))}
        where ${reversal.municipalityId} = ${municipality.id} and ${reversal.paymentId} = ${recent.paymentId} and ${reversal.change} = 'reversed')`,
);

const HELD = [
  subscription.id,
  subscription.changedAt,
  sql<SubscriptionTuple>`${subscriptionJson(AT)}`,
  subscriptionType.code,
  subscriptionType.freelySold,
  subscriptionType.renewalAllowed,
  subscriptionType.renewalOpensDaysBefore,
  sql<TupleOf<typeof RECENT>[]>`json(${recentPayments})`,
  sql<number>`own.spans`,
] as const;
type HeldTuple = TupleOf<typeof HELD>;

const held = jsonRows(
  jsonArray(HELD),
  sql`from ${subscriptionsOfPlate(PLATE, AT)}
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
const planOfToday = sql`(select ${jsonArray(PLAN)} from ${tableAs(plans, plan, 'plans_municipality_code')}
  cross join ${tableAs(subscriptionTypes, planType)} on ${planType.id} = ${plan.subscriptionTypeId}
  where ${plan.municipalityId} = ${municipality.id} and ${plan.code} = ${PLAN_CODE} and ${plan.active} and ${plan.onParkingMeter})`;

const version = alias(configurationVersions, 'version');
const VERSIONS = tableAs(configurationVersions, version, primaryKeyOf(configurationVersions));
const { from: CALLS, columns: call } = LOGGED_CALLS;

/** The plan as it was configured at an instant: of the first part of that version, which has all plans. */
const planThen = (
  at: SQLWrapper,
): SQL => sql`(select json_array(then_sold.value ->> 'subscription_type', then_sold.value ->> 'importo_eurocent', then_sold.value ->> 'duration',
    exists (select 1 from json_each(then_sold.value, '$.operations') as sold where sold.value = 'first_activation'),
    exists (select 1 from json_each(then_sold.value, '$.operations') as sold where sold.value = 'renewal'))
  from (select ${version.record} as record from ${VERSIONS} where ${version.municipalityId} = ${municipality.id} and ${version.recordedAt} <= ${at} and ${version.part} = 0
    order by ${version.recordedAt} desc limit 1) as configured
  cross join json_each(configured.record, '$.plans') as then_sold where then_sold.value ->> 'codice_tariffa' = ${PLAN_CODE})`;

/** When the plan was offered for this plate here, and how it was configured then if that has changed since. */
const offer = sql`(select json_array(${call.at}, iif(
    exists (select 1 from ${VERSIONS} where ${version.municipalityId} = ${municipality.id} and ${version.recordedAt} > ${call.at}),
    json(${planThen(call.at)}), json(${planOfToday})))
  from ${CALLS} where ${hasRequestId(OFFERED_BY)} and ${call.operation} = 'subscription_options'
    and ${call.municipalityCode} = ${municipality.code} and json_valid(${call.response}) and ${call.response} ->> '$.plate' = ${PLATE}
    and exists (select 1 from json_each(${call.response}, '$.tariffe') as offered where offered.value ->> 'codice_tariffa' = ${PLAN_CODE}))`;
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
const read = municipalityReader(
  {
    id: sql<number | null>`${municipality.id}`,
    name: sql<string | null>`${municipality.name}`,
    time_zone: sql<string | null>`${municipality.timeZone}`,
    held: sql<string | null>`${held}`,
    plan: sql<string | null>`${planOfToday}`,
    offer: sql<string | null>`iif(${OFFERED_BY} is null, null, ${offer})`,
    stored: sql<string | null>`${paymentJson(municipality.id, NAMES)}`,
  },
  (
    row,
    plate: Plate,
    at: number,
    _names: string,
    planCode: string,
    _offeredBy: string | null,
  ): Omit<PaymentMunicipality, keyof FoundMunicipality> => ({
    // Not null where the row has a municipality.
    id: row.id ?? 0,
    name: row.name ?? '',
    timeZone: row.time_zone ?? '',
    held: heldOf(row.code, row.held, planOf(row, instant(at)), planCode, plate),
    stored: row.stored === null ? null : storedPayment(row.stored),
  }),
);

export const readPaymentFacts = (
  db: D1DatabaseSession,
  search: Parameters<typeof read>[1],
  { plate, at, names, planCode, offeredBy }: PaymentQuery,
) => read(db, search, plate, at, JSON.stringify(names), planCode, offeredBy);

interface Sold {
  readonly typeCode: string;
  readonly plan: Omit<MeterPlan, 'code'>;
}

/** The plan that counts: as it was offered, or as it is today. */
function planOf(
  row: { readonly plan: string | null; readonly offer: string | null },
  at: Instant,
): Sold | null {
  // The shapes are those of the statement.
  const [offeredAt, then] = row.offer === null ? [null, null] : (JSON.parse(row.offer) as OfferTuple);
  const counts = offeredAt !== null && then !== null && isSoldFrom(instant(offeredAt), at);
  const tuple = counts ? then : row.plan === null ? null : (JSON.parse(row.plan) as PlanTuple);
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
  code: string | null,
  json: string | null,
  sold: Sold | null,
  planCode: string,
  plate: Plate,
): VersionedSubscription[] {
  const tuples = JSON.parse(json ?? '[]') as HeldTuple[];
  const spans = tuples.reduce((sum, tuple) => sum + tuple[8], 0);
  if (tuples.length > MAX_READ_SUBSCRIPTIONS || spans > MAX_OPTION_SPANS) {
    throw new UnreadError(code ?? '', ['subscriptions']);
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
