import { pick } from '../../base/platform/pick.ts';
import type { Plate } from '../../domain/plate.ts';
import { selectMunicipality } from '../../serving/lookups/municipality-table.ts';
import { query, read } from '../../storage/db/batch.ts';
import { municipalities } from '../../storage/db/schema/index.ts';
import { HELD, heldOf } from '../held-subscriptions/held-table.ts';

const MUNICIPALITY = query(() =>
  selectMunicipality(
    pick(municipalities, 'name', 'timeZone', 'subscriptionsEnabled', 'subscriptionOptionsEnabled'),
  ),
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
