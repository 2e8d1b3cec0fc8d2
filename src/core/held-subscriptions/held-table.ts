import { and, eq, type SQLWrapper, sql } from 'drizzle-orm';
import { UnreadError } from '../../base/errors/unread.ts';
import type { Instant } from '../../domain/instant.ts';
import { paidPeriod } from '../../domain/paid-period.ts';
import type { Plate } from '../../domain/plate.ts';
import { MAX_READ_SUBSCRIPTIONS } from '../../domain/plate-bounds.ts';
import type { HeldSubscription, MeterPlan, PurchaseOperation } from '../../domain/purchase-options.ts';
import { BY_CODE } from '../../serving/lookups/municipality-table.ts';
import { db, query } from '../../storage/db/batch.ts';
import {
  municipalities,
  plans,
  subscriptionPlates,
  subscriptions,
  subscriptionTypes,
} from '../../storage/db/schema/index.ts';
import { atMost } from '../../storage/db/sql.ts';
import { judgedColumns, judgedPart, paidColumn } from '../../storage/db/titles.ts';

/*
 * The subscriptions of a plate, as options and payments are judged by them: all of them, whatever their state. The queries' values
 * are the `code` of the municipality, and the `plate`.
 */

/** The municipality of the placeholder `code`. */
export const ofMunicipality = (column: SQLWrapper) =>
  eq(column, db.select({ id: municipalities.id }).from(municipalities).where(BY_CODE));

const ofPlate = () =>
  and(
    ofMunicipality(subscriptionPlates.municipalityId),
    eq(subscriptionPlates.plate, sql.placeholder('plate')),
  );

/** The plate's subscriptions with their types: a row for each span of the plate on one. */
export const HELD = query(() =>
  db
    .select({
      id: subscriptions.id,
      subscriptionNumber: subscriptions.subscriptionNumber,
      ...judgedColumns(subscriptions),
      paid: paidColumn(),
      validFrom: subscriptionPlates.validFrom,
      validUntil: subscriptionPlates.validUntil,
      typeId: subscriptions.typeId,
      typeCode: subscriptionTypes.code,
      freelySold: subscriptionTypes.freelySold,
      renewalAllowed: subscriptionTypes.renewalAllowed,
      renewalOpensDaysBefore: subscriptionTypes.renewalOpensDaysBefore,
      soldWithinAuthorization: subscriptionTypes.soldWithinAuthorization,
    })
    .from(subscriptionPlates)
    .innerJoin(subscriptions, eq(subscriptions.id, subscriptionPlates.subscriptionId))
    .innerJoin(subscriptionTypes, eq(subscriptionTypes.id, subscriptions.typeId))
    .where(ofPlate())
    .limit(atMost(MAX_READ_SUBSCRIPTIONS + 1)),
);

type HeldRow = NonNullable<ReturnType<typeof HELD>['result']>[number];

/** A subscription of the plate, its plans apart. */
export interface Held extends Omit<HeldSubscription, 'plans'> {
  readonly id: number;
  readonly typeId: number;
  readonly typeCode: string;
  readonly soldWithinAuthorization: boolean;
  /** Its payments that made a period and were not reversed. */
  readonly accepted: readonly { readonly planCode: string; readonly collectedAt: Instant }[];
}

/**
 * The plate's subscriptions.
 *
 * @throws UnreadError for a plate that has more of them than are read
 */
export function heldOf(code: string, plate: Plate, rows: readonly HeldRow[]): Held[] {
  if (rows.length > MAX_READ_SUBSCRIPTIONS) throw new UnreadError(code, ['subscriptions']);
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((spans) =>
    spans.slice(0, 1).map((row) => heldBy(row, spans, plate)),
  );
}

function heldBy(row: HeldRow, spans: readonly HeldRow[], plate: Plate): Held {
  const accepted = row.paid.filter(({ reversalRecordedAt }) => reversalRecordedAt === null);
  const periods = row.paid.flatMap((payment) => paidPeriod(payment) ?? []);
  return {
    id: row.id,
    typeId: row.typeId,
    typeCode: row.typeCode,
    soldWithinAuthorization: row.soldWithinAuthorization,
    subscription: {
      ...judgedPart(row, periods),
      subscriptionNumber: row.subscriptionNumber,
      plate,
      plateValidity: spans.map(({ validFrom, validUntil }) => ({ from: validFrom, until: validUntil })),
    },
    isActivated: row.periods.length > 0 || accepted.length > 0,
    type: {
      freelySold: row.freelySold,
      renewalAllowed: row.renewalAllowed,
      renewalOpensDaysBefore: row.renewalOpensDaysBefore,
    },
    accepted,
  };
}

/** The columns of a plan. */
export const PLAN = {
  typeId: plans.subscriptionTypeId,
  planCode: plans.code,
  amountCents: plans.amountCents,
  duration: plans.duration,
  description: plans.description,
  forFirstActivation: plans.forFirstActivation,
  forRenewal: plans.forRenewal,
};

/** The condition that a parking meter sells the plan. */
export const isSoldByMeters = () => and(eq(plans.active, true), eq(plans.onParkingMeter, true));

export function planOf(row: {
  readonly planCode: string;
  readonly amountCents: number;
  readonly duration: string;
  readonly description: string;
  readonly forFirstActivation: boolean;
  readonly forRenewal: boolean;
}): MeterPlan {
  const { planCode: code, amountCents, duration, description } = row;
  const operations: PurchaseOperation[] = [];
  if (row.forFirstActivation) operations.push('first_activation');
  if (row.forRenewal) operations.push('renewal');
  return { code, amountCents, duration, description, operations };
}
