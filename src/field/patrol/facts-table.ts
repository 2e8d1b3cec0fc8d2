import { and, eq, gt, gte, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm';
import { pick } from '../../base/platform/pick.ts';
import { AREA, MUNICIPALITY, OF_CITY, platesOf, SEEN_PLATE } from '../../core/entitlement/facts-table.ts';
import { OF_LAST_IMPORT } from '../../core/snapshots/municipality-rows-table.ts';
import { selectMunicipality } from '../../serving/lookups/municipality-table.ts';
import { db, named, query } from '../../storage/db/batch.ts';
import {
  areas,
  imports,
  municipalities,
  payments,
  rejectedPlates,
  sources,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { atMost, namedIn } from '../../storage/db/sql.ts';

/*
 * What a patrol reads beside the plate check's own queries. Their values: `code`, of the municipality; `areas` and `seen`, JSON lists of
 * the areas and plates of the sightings; `unsettledFrom` and `lastSeenAt`,
 * the time of payments that may speak for a plate; and `digests` and `rejectedAfter`, of rejected plates.
 */

export const PLACE = query(() =>
  selectMunicipality({
    ...MUNICIPALITY,
    ...pick(municipalities, 'holidays', 'observationMinutes', 'overstayMinutes'),
  }),
);

/** The areas of the sightings, and of limited titles. */
export const AREAS = query(() =>
  db
    .select({ area: AREA, paidHours: areas.paidHours })
    .from(municipalities)
    .crossJoin(areas)
    .where(
      and(
        OF_CITY,
        eq(areas.municipalityId, municipalities.id),
        sql`${areas.code} in (
          select value from json_each(${sql.placeholder('areas')})
          union
          select limited_to.value
          from ${platesOf('seen')} cross join ${subscriptionPlates} cross join ${subscriptions}
            cross join json_each(${subscriptions.areas}) as limited_to
          where ${subscriptionPlates.municipalityId} = ${municipalities.id} and ${subscriptionPlates.plate} = ${SEEN_PLATE}
            and ${subscriptions.id} = ${subscriptionPlates.subscriptionId})`,
      ),
    ),
);

/** The payments that made no period, and that the office has not settled yet. */
export const UNSETTLED = query(() =>
  db
    .select({ plate: payments.plate, collectedAt: payments.collectedAt })
    .from(municipalities)
    .crossJoin(platesOf('seen'))
    .crossJoin(payments)
    .where(
      and(
        OF_CITY,
        eq(payments.municipalityId, municipalities.id),
        eq(payments.plate, SEEN_PLATE),
        gte(payments.collectedAt, sql.placeholder('unsettledFrom')),
        lt(payments.collectedAt, sql.placeholder('lastSeenAt')),
        isNull(payments.startsAt),
        isNull(payments.settledAt),
        isNull(payments.reversedAt),
      ),
    ),
);

/** The active sources, each with its last import. */
export const SOURCES = query(() =>
  db
    .select({
      code: named(sources.code, 'source_code'),
      ...pick(sources, 'name', 'isSystem', 'staleAfterMinutes', 'reportDelayMinutes'),
      lastOutcome: imports.outcome,
      lastSuccessfulAt: imports.succeededAt,
    })
    .from(municipalities)
    .innerJoin(sources, eq(sources.municipalityId, municipalities.id))
    .leftJoin(imports, OF_LAST_IMPORT)
    .where(and(OF_CITY, eq(sources.active, true)))
    .orderBy(sources.code),
);

const rejected = (which: SQL | undefined) =>
  db
    .select({ digest: rejectedPlates.digest })
    .from(municipalities)
    .crossJoin(rejectedPlates)
    .where(
      and(
        OF_CITY,
        eq(rejectedPlates.municipalityId, municipalities.id),
        which,
        gt(rejectedPlates.at, sql.placeholder('rejectedAfter')),
      ),
    );

/** The rejected plates among those that were seen. */
export const REJECTED = query(() => rejected(namedIn(rejectedPlates.digest, 'digests')));
/** One of a plate. */
export const ANY_REJECTED = query(() => rejected(isNotNull(rejectedPlates.digest)).limit(atMost(1)));
/** One that may be of any plate. */
export const REJECTED_UNREAD = query(() => rejected(isNull(rejectedPlates.digest)).limit(atMost(1)));
