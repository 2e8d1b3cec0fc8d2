import { and, asc, eq, sql } from 'drizzle-orm';
import { pick } from '../../base/platform/pick.ts';
import { type Instant, instant } from '../../domain/instant.ts';
import { BY_CODE, selectMunicipality } from '../../serving/lookups/municipality-table.ts';
import { db, named, query, read } from '../../storage/db/batch.ts';
import { areas, changes, municipalities, sources } from '../../storage/db/schema/index.ts';
import type { Mark } from './cursor.ts';

const PLACE = query(() =>
  selectMunicipality({
    ...pick(municipalities, 'timeZone', 'pastSince', 'plateCheckEnabled', 'subscriptionsEnabled'),
    id: named(municipalities.id, 'municipality_id'),
    facility: {
      code: named(areas.code, 'area_code'),
      ...pick(areas, 'id', 'serviceEnabled', 'plateControlEnabled', 'subscriptionAccess'),
      ...pick(areas, 'entryGraceMinutes', 'exitGraceMinutes', 'offlineMinutes'),
    },
  }).leftJoin(
    areas,
    and(
      eq(areas.municipalityId, municipalities.id),
      eq(areas.code, sql.placeholder('areaCode')),
      eq(areas.areaType, 'facility'),
      eq(areas.active, true),
    ),
  ),
);

const SOURCES = query(() =>
  db
    .select({ code: sources.code, hours: sources.openSessionMaxHours })
    .from(municipalities)
    .innerJoin(sources, eq(sources.municipalityId, municipalities.id))
    .where(BY_CODE)
    .orderBy(asc(sources.code)),
);

/** The change that a cursor names, and the newest one. */
const MARKS = query(() =>
  db
    .select({
      at: changes.recordedAt,
      call: sql<string>`lower(substr(hex(${changes.requestId}), 21))`.as('call'),
    })
    .from(municipalities)
    .innerJoin(
      changes,
      and(
        eq(changes.municipalityId, municipalities.id),
        sql`${changes.recordedAt} in (${sql.placeholder('markAt')}, (
          select max(newest.recorded_at) from ${changes} as newest where newest.municipality_id = ${municipalities.id}))`,
      ),
    )
    .where(BY_CODE)
    .orderBy(asc(changes.recordedAt)),
);

/** The mark of a municipality of which nothing was ever recorded. */
const NOTHING: Mark = { at: instant(0), call: '' };

/**
 * The municipality of a list, its facility, and its newest change.
 *
 * @param markAt the instant of the change that a cursor names, if any
 */
export async function readFacility(
  d1: D1Database,
  code: string,
  { areaCode, markAt }: { readonly areaCode: string; readonly markAt: Instant | null },
) {
  const [[place], hours, marks] = await read(d1, [PLACE, SOURCES, MARKS], { code, areaCode, markAt });
  return place === undefined
    ? null
    : {
        ...place,
        /** The hours for which an open session of each source counts, by code. */
        openSessionMaxHours: new Map(hours.map((source) => [source.code, source.hours])),
        newest: marks.at(-1) ?? NOTHING,
        /** The change at the instant of the cursor, if it is known. */
        marked: marks.find(({ at }) => at === markAt) ?? NOTHING,
      };
}

/** A municipality, with the facility of the requested list: null if it has no active facility with this code. */
export type ListMunicipality = NonNullable<Awaited<ReturnType<typeof readFacility>>>;
export type ListedFacility = NonNullable<ListMunicipality['facility']>;
