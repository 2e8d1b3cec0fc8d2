import type { Plate } from '../../domain/plate.ts';
import { BY_CODE, FOUND, OF_TENANT } from '../../serving/lookups/municipality-table.ts';
import { db, query, read } from '../../storage/db/batch.ts';
import { municipalities, tenants } from '../../storage/db/schema/index.ts';
import { HELD, heldOf } from '../held-subscriptions/held-table.ts';

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

/**
 * Everything that the options depend on, in one round trip: rows of the plate and the municipality, and the plans of the types of its
 * subscriptions. Null for an unknown municipality.
 *
 * @throws UnreadError for a plate that has more subscriptions than are read
 */
export async function readOptionsFacts(d1: D1Database, code: string, plate: Plate) {
  const [[municipality], ...held] = await read(d1, [MUNICIPALITY, ...HELD], { code, plate });
  return municipality ? { ...municipality, held: heldOf(code, held) } : null;
}

/** A municipality, with the plate's subscriptions, freely sold ones included, and what it sells for them. */
export type OptionsMunicipality = NonNullable<Awaited<ReturnType<typeof readOptionsFacts>>>;
