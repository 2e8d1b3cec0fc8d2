import { and, asc, eq } from 'drizzle-orm';
import { BY_CODE } from '../../serving/lookups/municipality-table.ts';
import { db, named, query } from '../../storage/db/batch.ts';
import {
  municipalities,
  subscriptionPlates,
  subscriptions,
  subscriptionTypes,
} from '../../storage/db/schema/index.ts';
import { namedIn } from '../../storage/db/sql.ts';
import { judgedColumns, paidColumn } from '../../storage/db/titles.ts';

const PLACE = query(() =>
  db.select({ timeZone: municipalities.timeZone }).from(municipalities).where(BY_CODE),
);

/** The subscription of the municipality `code` under one of the `names`. */
const ofNumber = () =>
  and(
    BY_CODE,
    eq(subscriptions.municipalityId, municipalities.id),
    namedIn(subscriptions.subscriptionNumber, 'names'),
  );

const TITLE = query(() =>
  db
    .select({
      subscriptionNumber: subscriptions.subscriptionNumber,
      revision: subscriptions.revision,
      type: named(subscriptionTypes.code, 'type'),
      ...judgedColumns(subscriptions),
      paid: paidColumn(),
    })
    .from(municipalities)
    .crossJoin(subscriptions)
    .crossJoin(subscriptionTypes)
    .where(and(ofNumber(), eq(subscriptionTypes.id, subscriptions.typeId))),
);

const PLATES = query(() =>
  db
    .select({
      plate: subscriptionPlates.plate,
      validFrom: subscriptionPlates.validFrom,
      validUntil: subscriptionPlates.validUntil,
    })
    .from(municipalities)
    .crossJoin(subscriptions)
    .crossJoin(subscriptionPlates)
    .where(and(ofNumber(), eq(subscriptionPlates.subscriptionId, subscriptions.id)))
    .orderBy(asc(subscriptionPlates.plate), asc(subscriptionPlates.validFrom)),
);

/**
 * The subscription of the municipality `code`, by the `names` under which it may be stored: the time zone, the subscription with the
 * payments that made a period, and its plates.
 */
export const SUBSCRIPTION = [PLACE, TITLE, PLATES] as const;
