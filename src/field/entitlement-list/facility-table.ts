import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Facility } from '../../domain/facility-access.ts';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import { municipality, municipalityReader } from '../../serving/lookups/municipality-table.ts';
import { areas, sources } from '../../storage/db/schema/index.ts';
import { type Json, jsonArray, parsed, type TupleOf, tableAs } from '../../storage/db/sql.ts';
import { value } from '../../storage/db/statement.ts';

/** A municipality, with the facility of the requested list. */
export interface ListMunicipality extends FoundMunicipality {
  readonly id: number;
  readonly timeZone: string;
  /** When it was last restored from a backup. Null: never. */
  readonly restoredAt: number | null;
  readonly plateCheckEnabled: boolean;
  readonly subscriptionsEnabled: boolean;
  /** Null if it has no active facility with this code. */
  readonly facility: ListedFacility | null;
  /** The hours for which an open session of each source counts, by code. */
  readonly openSessionMaxHours: ReadonlyMap<string, number>;
}

export interface ListedFacility extends Facility {
  readonly areaId: number;
  readonly code: string;
  /** 0: it has no list. */
  readonly offlineMinutes: number;
}

const area = alias(areas, 'area');
const source = alias(sources, 'source');

const AREA_VALUES = [
  area.id,
  area.code,
  area.serviceEnabled,
  area.plateControlEnabled,
  area.subscriptionAccess,
  area.entryGraceMinutes,
  area.exitGraceMinutes,
  area.offlineMinutes,
] as const;

const SOURCE_VALUES = [source.code, source.openSessionMaxHours] as const;

/** The municipality of a list, and its facility. */
export const readFacility = municipalityReader({
  declared: { areaCode: value<string>() },
  selection: () => ({
    id: municipality.id,
    time_zone: municipality.timeZone,
    restored_at: municipality.restoredAt,
    plate_check_enabled: municipality.plateCheckEnabled,
    subscriptions_enabled: municipality.subscriptionsEnabled,
    facility: sql<Json<TupleOf<typeof AREA_VALUES>> | null>`
      case when ${area.areaType} = 'facility' and ${area.active} then ${jsonArray(AREA_VALUES)} end`,
    sources: sql<Json<TupleOf<typeof SOURCE_VALUES>[]>>`(
      select json_group_array(${jsonArray(SOURCE_VALUES)} order by ${source.code})
      from ${tableAs(sources, source)}
      where ${source.municipalityId} = ${municipality.id}
    )`,
  }),
  joins: ({ areaCode }) => sql`
    left join ${tableAs(areas, area)}
      on ${area.municipalityId} = ${municipality.id}
      and ${area.code} = ${areaCode}`,
  factsOf: (row) => ({
    id: row.id,
    timeZone: row.time_zone,
    restoredAt: row.restored_at,
    plateCheckEnabled: row.plate_check_enabled === 1,
    subscriptionsEnabled: row.subscriptions_enabled === 1,
    facility: facilityOf(row.facility),
    openSessionMaxHours: new Map(parsed(row.sources)),
  }),
});

function facilityOf(values: Json<TupleOf<typeof AREA_VALUES>> | null): ListedFacility | null {
  if (values === null) {
    return null;
  }
  const [areaId, code, service, control, subscriptions, entry, exit, offlineMinutes] = parsed(values);
  return {
    areaId,
    code,
    serviceEnabled: service === 1,
    plateControlEnabled: control === 1,
    subscriptionAccess: subscriptions === 1,
    entryGraceMinutes: entry,
    exitGraceMinutes: exit,
    offlineMinutes,
  };
}
