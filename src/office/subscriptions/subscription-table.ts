import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import type { Instant } from '../../domain/instant.ts';
import { BY_CODE } from '../../serving/lookups/municipality-table.ts';
import { db, named, query, read } from '../../storage/db/batch.ts';
import {
  municipalities,
  payments,
  subscriptionPlates,
  subscriptions,
  subscriptionTypes,
} from '../../storage/db/schema/index.ts';
import { namedIn } from '../../storage/db/sql.ts';
import { judgedColumns } from '../../storage/db/titles.ts';
import { MAX_PAID_PERIODS } from './contract.ts';

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

const PAID = query(() =>
  db
    .select({
      startsAt: sql<Instant>`${payments.startsAt}`.as('starts_at'),
      endsAt: sql<Instant>`${payments.endsAt}`.as('ends_at'),
      reversalRecordedAt: payments.reversalRecordedAt,
    })
    .from(municipalities)
    .crossJoin(subscriptions)
    .crossJoin(payments)
    .where(and(ofNumber(), eq(payments.subscriptionId, subscriptions.id), isNotNull(payments.startsAt)))
    .orderBy(asc(payments.startsAt))
    .limit(MAX_PAID_PERIODS),
);

/**
 * Reads a subscription of a municipality, by what it may be stored under: the time zone, the subscription, its plates,
 * and the payments that made a period.
 */
export const readSubscription = (d1: D1Database, code: string, names: readonly string[]) =>
  read(d1, [PLACE, TITLE, PLATES, PAID], { code, names: JSON.stringify(names) });
