import { and, eq, sql } from 'drizzle-orm';
import { type Instant, instant } from '../../domain/instant.ts';
import { type PayableSubscription, PLAN_COUNTS_MS } from '../../domain/payment.ts';
import type { Plate } from '../../domain/plate.ts';
import type { MeterPlan } from '../../domain/purchase-options.ts';
import { readConfigurationsSince } from '../../storage/configuration/versions-table.ts';
import { db, query, read } from '../../storage/db/batch.ts';
import { plans, subscriptionTypes } from '../../storage/db/schema/index.ts';
import {
  HELD,
  type Held,
  heldOf,
  isSoldByMeters,
  ofMunicipality,
  PLAN,
  planOf,
} from '../held-subscriptions/held-table.ts';
import { OF_KEY, type PaymentFacts, PLACE } from './found-table.ts';

/** A plan that meters sell, and the code of its type. */
interface SoldPlan {
  readonly typeCode: string;
  readonly plan: MeterPlan;
}

/** What a payment is judged by, and the payment that is stored under its key. */
export interface JudgedFacts extends PaymentFacts {
  /** The plate's subscriptions, freely sold ones included. */
  readonly held: readonly Held[];
  /** The plan as it is configured now. */
  readonly sold: readonly SoldPlan[];
}

/** What a payment is looked up by. */
export interface PaymentQuery {
  readonly plate: Plate;
  /** What the payment may be stored under. */
  readonly names: readonly string[];
  readonly planCode: string;
}

const SOLD = query(() =>
  db
    .select({ ...PLAN, typeCode: sql<string>`${subscriptionTypes.code}`.as('type_code') })
    .from(plans)
    .innerJoin(subscriptionTypes, eq(subscriptionTypes.id, plans.subscriptionTypeId))
    .where(
      and(
        ofMunicipality(plans.municipalityId),
        eq(plans.code, sql.placeholder('planCode')),
        isSoldByMeters(),
      ),
    ),
);

/**
 * Everything that a payment is judged by, in one round trip: rows of the plate and the municipality, and one plan. Returns null for an
 * unknown municipality.
 *
 * @throws UnreadError for a plate that has more subscriptions than are read
 */
export async function readPaymentFacts(
  d1: D1Database,
  code: string,
  { plate, names, planCode }: PaymentQuery,
): Promise<JudgedFacts | null> {
  const values = { code, plate, planCode, names: JSON.stringify(names) };
  const [[place], [payment], held, sold] = await read(d1, [PLACE, OF_KEY, HELD, SOLD], values);
  if (place === undefined) return null;
  return {
    ...place,
    payment: payment ?? null,
    held: heldOf(code, plate, held),
    sold: sold.map(({ typeCode, ...plan }) => ({ typeCode, plan: planOf(plan) })),
  };
}

/** The plan as it was configured at any time of the hour before the collection, the newest first. */
export async function readSoldBefore(
  d1: D1Database,
  municipalityId: number,
  planCode: string,
  collectedAt: Instant,
): Promise<readonly SoldPlan[]> {
  const since = instant(collectedAt - PLAN_COUNTS_MS);
  const versions = await readConfigurationsSince(d1, municipalityId, since);
  return versions
    .filter(({ recordedAt }) => recordedAt <= collectedAt)
    .toSorted((a, b) => b.recordedAt - a.recordedAt)
    .flatMap(({ plans: then }) => then)
    .filter((plan) => plan.codice_tariffa === planCode && plan.active && plan.on_parking_meter)
    .map((plan) => ({
      typeCode: plan.subscription_type,
      plan: {
        code: planCode,
        amountCents: plan.importo_eurocent,
        duration: plan.duration,
        description: plan.descrizione,
        operations: plan.operations,
      },
    }));
}

/** The subscriptions, each with the plans that it may be paid with. */
export const payableWith = (
  held: readonly Held[],
  sold: readonly SoldPlan[],
): readonly (Held & PayableSubscription)[] =>
  held.map((one) => ({
    ...one,
    plans: sold.filter(({ typeCode }) => typeCode === one.typeCode).map(({ plan }) => plan),
  }));
