import { type Instant, instant, nullableInstant } from '../domain/instant.ts';
import { countVehicles, NO_VEHICLES, type Stay, validTime } from '../domain/occupancy.ts';
import type { MunicipalityRow, MunicipalityRows, SessionRow, SourceRow } from './municipality-rows-table.ts';
import type { Snapshot, SnapshotMunicipality, SnapshotSource } from './snapshot.ts';

/**
 * Makes the snapshot of a municipality from its rows, for the run of every minute and for a report.
 *
 * @param at the instant of the counters
 * @param computedAt now
 */
export function snapshotOf(rows: MunicipalityRows, at: Instant, computedAt: Instant): Snapshot {
  const counted = countVehicles(
    rows.areas.map(({ id }) => id),
    staysOf(rows),
    at,
  );
  return {
    at,
    computedAt,
    municipality: municipalityOf(rows.municipality),
    sources: rows.sources.map(sourceOf),
    areas: rows.areas.map(({ id, code, name, areaType, capacity, latitude, longitude }) => {
      const { all, bySource } = counted.get(id) ?? { all: NO_VEHICLES, bySource: new Map() };
      const coordinates = latitude === null || longitude === null ? null : { latitude, longitude };
      return { id, code, name, areaType, capacity, coordinates, all, bySource };
    }),
  };
}

function municipalityOf(row: MunicipalityRow): SnapshotMunicipality {
  return {
    id: row.municipalityId,
    code: row.code,
    name: row.name,
    timeZone: row.timeZone,
    country: row.country,
    tenantId: row.tenantId,
    tenantActive: row.tenantActive === 1,
    reportEnabled: row.reportEnabled === 1,
  };
}

function sourceOf(row: SourceRow): SnapshotSource {
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    category: row.category,
    active: row.active === 1,
    isSystem: row.isSystem === 1,
    staleAfterMinutes: row.staleAfterMinutes,
    lastOutcome: row.lastOutcome,
    lastSuccessfulAt: nullableInstant(row.lastSuccessfulAt),
  };
}

function* staysOf({ sources, sessions }: MunicipalityRows): Generator<Stay> {
  const byCode = new Map(sources.map((source) => [source.code, source]));
  for (const session of sessions) {
    const source = byCode.get(session.sourceCode);
    if (source === undefined) {
      throw new Error('a session belongs to a source that its municipality does not have');
    }
    yield stayOf(session, source);
  }
}

function stayOf(session: SessionRow, source: SourceRow): Stay {
  const { from, until } = validTime({
    startsAt: instant(session.startsAt),
    endsAt: nullableInstant(session.endsAt),
    cancelledAt: nullableInstant(session.cancelledAt),
    openSessionMaxHours: source.openSessionMaxHours,
  });
  return { vehicle: session.plate, areaId: session.areaId, sourceId: source.id, from, until };
}
