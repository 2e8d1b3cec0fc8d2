import { and, asc, eq, sql } from 'drizzle-orm';
import type { Facility } from '../../domain/facility-access.ts';
import type { Instant } from '../../domain/instant.ts';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import { BY_CODE, FOUND, OF_TENANT } from '../../serving/lookups/municipality-table.ts';
import { db, query, read } from '../../storage/db/batch.ts';
import { areas, changes, municipalities, sources, tenants } from '../../storage/db/schema/index.ts';

/** A municipality, with the facility of the requested list. */
export interface ListMunicipality extends FoundMunicipality {
  readonly id: number;
  readonly timeZone: string;
  readonly pastSince: Instant;
  readonly plateCheckEnabled: boolean;
  readonly subscriptionsEnabled: boolean;
  /** Null if it has no active facility with this code. */
  readonly facility: ListedFacility | null;
  /** The hours for which an open session of each source counts, by code. */
  readonly openSessionMaxHours: ReadonlyMap<string, number>;
  /** Null: nothing of it was ever recorded. */
  readonly newest: Mark | null;
  /** The change at the instant of the cursor; null where there is none. */
  readonly marked: Mark | null;
}

export interface ListedFacility extends Facility {
  readonly areaId: number;
  readonly code: string;
  /** 0: it has no list. */
  readonly offlineMinutes: number;
}

/** A change of the municipality, by its instant and its call: after a restore another change may have the instant. */
export interface Mark {
  readonly at: Instant;
  /** The last bytes of the call’s id, hexadecimal: the first ones are its instant. */
  readonly call: string;
}

const PLACE = query(() =>
  db
    .select({
      ...FOUND,
      id: municipalities.id,
      timeZone: municipalities.timeZone,
      pastSince: municipalities.pastSince,
      plateCheckEnabled: municipalities.plateCheckEnabled,
      subscriptionsEnabled: municipalities.subscriptionsEnabled,
    })
    .from(municipalities)
    .innerJoin(tenants, OF_TENANT)
    .where(BY_CODE),
);

const FACILITY = query(() =>
  db
    .select({
      areaId: areas.id,
      code: areas.code,
      serviceEnabled: areas.serviceEnabled,
      plateControlEnabled: areas.plateControlEnabled,
      subscriptionAccess: areas.subscriptionAccess,
      entryGraceMinutes: areas.entryGraceMinutes,
      exitGraceMinutes: areas.exitGraceMinutes,
      offlineMinutes: areas.offlineMinutes,
    })
    .from(municipalities)
    .innerJoin(areas, eq(areas.municipalityId, municipalities.id))
    .where(
      and(
        BY_CODE,
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

const MARK = {
  at: changes.recordedAt,
  call: sql<string>`lower(substr(hex(${changes.requestId}), 21))`.as('call'),
};

const NEWEST = query(() =>
  db
    .select(MARK)
    .from(municipalities)
    .innerJoin(
      changes,
      and(
        eq(changes.municipalityId, municipalities.id),
        sql`${changes.recordedAt} = (
          select max(newest.recorded_at) from ${changes} as newest where newest.municipality_id = ${municipalities.id})`,
      ),
    )
    .where(BY_CODE),
);

const MARKED = query(() =>
  db
    .select(MARK)
    .from(municipalities)
    .innerJoin(
      changes,
      and(eq(changes.municipalityId, municipalities.id), eq(changes.recordedAt, sql.placeholder('markAt'))),
    )
    .where(BY_CODE),
);

/**
 * The municipality of a list, its facility, and its newest change.
 *
 * @param markAt the instant of the change that a cursor names, if any
 */
export async function readFacility(
  d1: D1Database,
  code: string,
  { areaCode, markAt }: { readonly areaCode: string; readonly markAt: Instant | null },
): Promise<ListMunicipality | null> {
  const values = { code, areaCode, markAt };
  const [[place], [facility], hours, [newest], [marked]] = await read(
    d1,
    [PLACE, FACILITY, SOURCES, NEWEST, MARKED],
    values,
  );
  return place === undefined
    ? null
    : {
        ...place,
        facility: facility ?? null,
        openSessionMaxHours: new Map(hours.map((source) => [source.code, source.hours])),
        newest: newest ?? null,
        marked: marked ?? null,
      };
}
