import { and, eq, gt, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { pick } from '../../base/platform/pick.ts';
import { HOUR_MS } from '../../domain/instant.ts';
import { MAX_READ_SESSIONS, MAX_READ_SUBSCRIPTIONS } from '../../domain/plate-bounds.ts';
import { selectMunicipality } from '../../serving/lookups/municipality-table.ts';
import { db, named, query } from '../../storage/db/batch.ts';
import {
  areas,
  municipalities,
  parkingSessions,
  sources,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { atMost, literal } from '../../storage/db/sql.ts';
import { spanColumns } from '../../storage/db/titles.ts';

/*
 * The plate check's queries. Their values: `code`, of the municipality; `plates`, a JSON list; `areaCode`; and `from` and `until`, the
 * time that matters. Cross joins keep the order of the tables: without statistics, SQLite would rather begin with another one.
 */

/** What a check reads of an area. */
export const AREA = {
  code: named(areas.code, 'area_code'),
  name: named(areas.name, 'area_name'),
  active: named(areas.active, 'area_active'),
  areaType: areas.areaType,
  serviceEnabled: areas.serviceEnabled,
  plateControlEnabled: areas.plateControlEnabled,
  subscriptionAccess: areas.subscriptionAccess,
  entryGraceMinutes: areas.entryGraceMinutes,
  exitGraceMinutes: areas.exitGraceMinutes,
};

/** What a check reads of the municipality. */
export const MUNICIPALITY = pick(
  municipalities,
  'name',
  'timeZone',
  'plateCheckEnabled',
  'subscriptionsEnabled',
);

/** The municipality, and the area if there is one with that code. */
export const PLACE = query(() =>
  selectMunicipality({ ...MUNICIPALITY, area: AREA }).leftJoin(
    areas,
    and(eq(areas.municipalityId, municipalities.id), eq(areas.code, sql.placeholder('areaCode'))),
  ),
);

/** The municipality, in queries beside the one that looks it up. */
export const OF_CITY = eq(municipalities.code, sql.placeholder('code'));

/** The plates of a JSON list, one row each. */
export const platesOf = (placeholder: string): SQL =>
  sql`json_each(${sql.placeholder(placeholder)}) as "seen"`;
export const SEEN_PLATE = sql`"seen"."value"`;

const FROM = sql.placeholder('from');
const UNTIL = sql.placeholder('until');

/** The plates' sessions that the time, or a tolerance in it, can touch. The longest tolerance reaches one that starts at its end. */
export const SESSIONS = query(() =>
  db
    .select({
      plate: parkingSessions.plate,
      sessionId: parkingSessions.sessionId,
      sourceCode: parkingSessions.sourceCode,
      startsAt: parkingSessions.startsAt,
      endsAt: parkingSessions.endsAt,
      cancelledAt: parkingSessions.cancelledAt,
      openSessionMaxHours: sources.openSessionMaxHours,
      area: AREA,
    })
    .from(municipalities)
    .crossJoin(platesOf('plates'))
    .crossJoin(parkingSessions)
    .crossJoin(sources)
    .crossJoin(areas)
    .where(
      and(
        OF_CITY,
        eq(parkingSessions.municipalityId, municipalities.id),
        eq(parkingSessions.plate, SEEN_PLATE),
        gt(parkingSessions.runsUntil, FROM),
        lte(parkingSessions.startsAt, UNTIL),
        eq(sources.municipalityId, parkingSessions.municipalityId),
        eq(sources.code, parkingSessions.sourceCode),
        // A forgotten stop.
        sql`(${parkingSessions.endsAt} is not null or
          ${parkingSessions.startsAt} + ${sources.openSessionMaxHours} * ${literal(HOUR_MS)} > ${FROM})`,
        eq(areas.id, parkingSessions.areaId),
      ),
    )
    .limit(atMost(MAX_READ_SESSIONS + 1)),
);

/** The plates' titles whose spans the time touches, one row a span. */
export const TITLES = query(() =>
  db
    .select(spanColumns())
    .from(municipalities)
    .crossJoin(platesOf('plates'))
    .crossJoin(subscriptionPlates)
    .crossJoin(subscriptions)
    .where(
      and(
        OF_CITY,
        eq(subscriptionPlates.municipalityId, municipalities.id),
        eq(subscriptionPlates.plate, SEEN_PLATE),
        or(isNull(subscriptionPlates.validFrom), lte(subscriptionPlates.validFrom, UNTIL)),
        or(isNull(subscriptionPlates.validUntil), gt(subscriptionPlates.validUntil, FROM)),
        eq(subscriptions.id, subscriptionPlates.subscriptionId),
      ),
    )
    .limit(atMost(MAX_READ_SUBSCRIPTIONS + 1)),
);
