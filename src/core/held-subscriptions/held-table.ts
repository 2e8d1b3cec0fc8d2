import { and, eq, inArray, type SQLWrapper, sql } from 'drizzle-orm';
import { UnreadError } from '../../base/errors/unread.ts';
import { pick } from '../../base/platform/pick.ts';
import { MAX_READ_SUBSCRIPTIONS } from '../../domain/plate-bounds.ts';
import { type HeldSubscription, PURCHASE_OPERATIONS } from '../../domain/purchase-options.ts';
import { BY_CODE } from '../../serving/lookups/municipality-table.ts';
import { db, query, type ResultsOf } from '../../storage/db/batch.ts';
import {
  municipalities,
  plans,
  subscriptionPlates,
  subscriptions,
  subscriptionTypes,
} from '../../storage/db/schema/index.ts';
import { atMost } from '../../storage/db/sql.ts';
import { spanColumns, subscriptionOf, titlesIn } from '../../storage/db/titles.ts';

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
const SPANS = query(() =>
  db
    .select({
      ...spanColumns(),
      typeId: subscriptions.typeId,
      type: {
        code: subscriptionTypes.code,
        ...pick(
          subscriptionTypes,
          'freelySold',
          'renewalAllowed',
          'renewalOpensDaysBefore',
          'soldWithinAuthorization',
        ),
      },
    })
    .from(subscriptionPlates)
    .innerJoin(subscriptions, eq(subscriptions.id, subscriptionPlates.subscriptionId))
    .innerJoin(subscriptionTypes, eq(subscriptionTypes.id, subscriptions.typeId))
    .where(ofPlate())
    .limit(atMost(MAX_READ_SUBSCRIPTIONS + 1)),
);

/** The plans that meters sell for the types of these subscriptions. */
const PLANS = query(() =>
  db
    .select({
      typeId: plans.subscriptionTypeId,
      code: plans.code,
      amountCents: plans.amountCents,
      duration: plans.duration,
      description: plans.description,
      forFirstActivation: plans.forFirstActivation,
      forRenewal: plans.forRenewal,
    })
    .from(plans)
    .where(
      and(
        inArray(
          plans.subscriptionTypeId,
          db
            .select({ id: subscriptions.typeId })
            .from(subscriptionPlates)
            .innerJoin(subscriptions, eq(subscriptions.id, subscriptionPlates.subscriptionId))
            .where(ofPlate()),
        ),
        eq(plans.active, true),
        eq(plans.onParkingMeter, true),
      ),
    ),
);

/** The queries of {@link heldOf}. */
export const HELD = [SPANS, PLANS] as const;
type HeldRows = ResultsOf<typeof HELD>;

/**
 * The plate's subscriptions.
 *
 * @throws UnreadError for a plate that has more of them than are read
 */
export function heldOf(municipalityCode: string, [rows, sold]: HeldRows): HeldSubscription[] {
  if (rows.length > MAX_READ_SUBSCRIPTIONS) throw new UnreadError(municipalityCode, ['subscriptions']);
  const plansOf = Map.groupBy(sold, ({ typeId }) => typeId);
  return titlesIn(rows).map(({ title, spans }) => {
    const accepted = title.paid.filter(({ reversalRecordedAt }) => reversalRecordedAt === null);
    return {
      ...{ id: title.id, type: title.type, accepted },
      subscription: subscriptionOf(title, spans),
      isActivated: title.periods.length > 0 || accepted.length > 0,
      plans: (plansOf.get(title.typeId) ?? []).map(({ forFirstActivation, forRenewal, ...plan }) => ({
        ...plan,
        operations: PURCHASE_OPERATIONS.filter((one) =>
          one === 'renewal' ? forRenewal : forFirstActivation,
        ),
      })),
    };
  });
}
