import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Plate } from '../../domain/plate.ts';
import type { OfferedSubscription } from '../../domain/purchase-options.ts';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import { BY_CODE, FOUND, OF_TENANT } from '../../serving/lookups/municipality-table.ts';
import { db, query, read } from '../../storage/db/batch.ts';
import {
  municipalities,
  plans,
  subscriptionPlates,
  subscriptions,
  tenants,
} from '../../storage/db/schema/index.ts';
import {
  HELD,
  heldOf,
  isSoldByMeters,
  ofMunicipality,
  PLAN,
  planOf,
} from '../held-subscriptions/held-table.ts';

/** A municipality, with the plate's subscriptions and what it sells for them. */
export interface OptionsMunicipality extends FoundMunicipality {
  readonly name: string;
  readonly timeZone: string;
  /** Whether it has both subscriptions and this query switched on. */
  readonly serviceEnabled: boolean;
  /** Freely sold ones included. */
  readonly held: readonly OfferedSubscription[];
}

const MUNICIPALITY = query(() =>
  db
    .select({
      ...FOUND,
      name: municipalities.name,
      timeZone: municipalities.timeZone,
      subscriptionsEnabled: municipalities.subscriptionsEnabled,
      subscriptionOptionsEnabled: municipalities.subscriptionOptionsEnabled,
    })
    .from(municipalities)
    .innerJoin(tenants, OF_TENANT)
    .where(BY_CODE),
);

/** The plans that meters sell for the types of the plate's subscriptions. */
const PLANS = query(() =>
  db
    .select(PLAN)
    .from(plans)
    .where(
      and(
        inArray(
          plans.subscriptionTypeId,
          db
            .select({ id: subscriptions.typeId })
            .from(subscriptionPlates)
            .innerJoin(subscriptions, eq(subscriptions.id, subscriptionPlates.subscriptionId))
            .where(
              and(
                ofMunicipality(subscriptionPlates.municipalityId),
                eq(subscriptionPlates.plate, sql.placeholder('plate')),
              ),
            ),
        ),
        isSoldByMeters(),
      ),
    ),
);

/**
 * Everything that the options depend on, in one round trip: rows of the plate and the municipality, and the plans of the types of its
 * subscriptions.
 *
 * @throws UnreadError for a plate that has more subscriptions than are read
 */
export async function readOptionsFacts(
  d1: D1Database,
  code: string,
  plate: Plate,
): Promise<OptionsMunicipality | null> {
  const [[municipality], held, sold] = await read(d1, [MUNICIPALITY, HELD, PLANS], { code, plate });
  if (municipality === undefined) return null;
  const plansOf = Map.groupBy(sold, ({ typeId }) => typeId);
  return {
    ...municipality,
    serviceEnabled: municipality.subscriptionsEnabled && municipality.subscriptionOptionsEnabled,
    held: heldOf(code, plate, held).map((one) => ({
      ...one,
      plans: (plansOf.get(one.typeId) ?? []).map(planOf),
    })),
  };
}
