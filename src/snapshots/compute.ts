import { type Instant, instant, nullableInstant } from '../domain/instant.ts';
import { countVehicles, NO_VEHICLES, type Stay, validTime } from '../domain/occupancy.ts';
import type { MunicipalityRow, MunicipalityRows, SessionRow, SourceRow } from './municipality-rows-table.ts';
import type { Snapshot, SnapshotMunicipality, SnapshotSource } from './snapshot.ts';

/**
 * The snapshot of a municipality: every one comes from here, whether the minute's run makes it or a report.
 *
 * @param at what the counters are to be true for
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
    areas: rows.areas.map(({ id, code, name, area_type: areaType, capacity }) => {
      const { all, bySource } = counted.get(id) ?? { all: NO_VEHICLES, bySource: new Map() };
      return { id, code, name, areaType, capacity, all, bySource };
    }),
  };
}

function municipalityOf(row: MunicipalityRow): SnapshotMunicipality {
  return {
    id: row.municipality_id,
    code: row.code,
    name: row.name,
    timeZone: row.time_zone,
    tenantId: row.tenant_id,
    tenantActive: row.tenant_active === 1,
    reportEnabled: row.report_enabled === 1,
  };
}

function sourceOf(row: SourceRow): SnapshotSource {
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    category: row.category,
    active: row.active === 1,
    isSystem: row.is_system === 1,
    staleAfterMinutes: row.stale_after_minutes,
    lastOutcome: row.last_outcome,
    lastSuccessfulAt: nullableInstant(row.last_successful_at),
  };
}

function* staysOf({ sources, sessions }: MunicipalityRows): Generator<Stay> {
  const byCode = new Map(sources.map((source) => [source.code, source]));
  for (const session of sessions) {
    const source = byCode.get(session.source_code);
    if (source === undefined) {
      throw new Error('a session is of a source that its municipality does not have');
    }
    yield stayOf(session, source);
  }
}

function stayOf(session: SessionRow, source: SourceRow): Stay {
  const { from, until } = validTime({
    startsAt: instant(session.starts_at),
    endsAt: nullableInstant(session.ends_at),
    cancelledAt: nullableInstant(session.cancelled_at),
    openSessionMaxHours: source.open_session_max_hours,
  });
  return { vehicle: session.plate, areaId: session.area_id, sourceId: source.id, from, until };
}
