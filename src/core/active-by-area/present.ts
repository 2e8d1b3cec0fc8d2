import { type CapacityFigures, capacityFigures, capacityTotals } from '../../domain/capacity.ts';
import { type Instant, instant } from '../../domain/instant.ts';
import {
  type Counters,
  endingWithin60,
  HALF_HOUR_MS,
  LOOK_AHEAD_MS,
  NO_VEHICLES,
  sumOf,
} from '../../domain/occupancy.ts';
import { sourceFreshness } from '../../domain/source-freshness.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import { findVersion } from '../../serving/http/versions.ts';
import type { AreaType } from '../../storage/db/schema/configuration.ts';
import type { Snapshot, SnapshotArea, SnapshotSource } from '../snapshots/snapshot.ts';
import type { AreaRow, ReportCounts, ReportResponse } from './contract.ts';

/** A municipality's snapshot, and the requested part. */
export interface Report {
  /** The instant of the answer, at which freshness is judged, however old the snapshot. */
  readonly now: Instant;
  readonly snapshot: Snapshot;
  readonly areaType: AreaType;
  /** Of the area type. */
  readonly areas: readonly SnapshotArea[];
  readonly selectedSource: SnapshotSource | null;
}

/** How soon the counters may have changed: they are computed every minute. */
const REFRESH_AFTER_SECONDS = 60;

/** The answer of the report, instants in the municipality's time zone. */
function presentReport(report: Report): ReportResponse {
  const { snapshot, areaType, areas, selectedSource } = report;
  const { municipality, sources, at, computedAt } = snapshot;
  const asLocalTime = (time: Instant): string => formatInstant(time, municipality.timeZone);
  return {
    api_version: '2.0',
    report: 'active_by_area',
    report_version: '1.0',
    supported: true,
    timezone: municipality.timeZone,
    refresh_after_seconds: REFRESH_AFTER_SECONDS,
    municipality: { code: municipality.code, name: municipality.name },
    filters: { area_type: areaType, source_id: selectedSource?.id ?? null },
    sources: sources.map(presentSource),
    selected_source: selectedSource && presentSource(selectedSource),
    areas_count: areas.length,
    rows: areas.map((area) => presentRow(area, selectedSource)),
    totals: presentTotals(areas),
    source_totals:
      selectedSource && presentCounters(sumOf(areas.map((area) => ofSource(area, selectedSource)))),
    capacity_totals: presentCapacityTotals(areas),
    source_freshness: sources.map((source) => ({
      source_id: source.id,
      status: sourceFreshness(source, report.now),
      last_successful_import_at:
        source.lastSuccessfulAt === null ? null : asLocalTime(source.lastSuccessfulAt),
    })),
    generated_at: asLocalTime(computedAt),
    checked_at: asLocalTime(at),
    after_30: asLocalTime(instant(at + HALF_HOUR_MS)),
    after_60: asLocalTime(instant(at + LOOK_AHEAD_MS)),
  };
}

function presentSource({ id, code, name, category, active, isSystem }: SnapshotSource) {
  return { id, code, name, category, active, is_system: isSystem };
}

function presentRow(area: SnapshotArea, source: SnapshotSource | null): AreaRow {
  const { id, code, name, areaType, capacity, counters } = area;
  const own = source && ofSource(area, source);
  return {
    area: { id, code, name, area_type: areaType },
    capacity,
    ...presentActive(counters),
    ...presentEnding(counters),
    ...presentSpaces(capacityFigures(area)),
    source_active_now: own?.activeNow ?? null,
    source_active_after_30: own?.activeAfter30 ?? null,
    source_active_after_60: own?.activeAfter60 ?? null,
  };
}

const ofSource = ({ bySource }: SnapshotArea, { id }: SnapshotSource): Counters =>
  bySource[id] ?? NO_VEHICLES;

const presentActive = ({ activeNow, activeAfter30, activeAfter60 }: Counters) => ({
  active_now: activeNow,
  active_after_30: activeAfter30,
  active_after_60: activeAfter60,
});

const presentEnding = ({ endingWithin30, endingBetween30And60 }: Counters) => ({
  ending_within_30: endingWithin30,
  ending_between_30_60: endingBetween30And60,
});

/** Null without a capacity. */
const presentSpaces = (figures: CapacityFigures | null) => ({
  available_now: figures?.availableNow ?? null,
  available_after_30: figures?.availableAfter30 ?? null,
  available_after_60: figures?.availableAfter60 ?? null,
  excess_now: figures?.excessNow ?? null,
  occupancy_percent: figures?.occupancyPercent ?? null,
});

const presentCounters = (counters: Counters): ReportCounts => ({
  ...presentActive(counters),
  ...presentEnding(counters),
  ending_within_60: endingWithin60(counters),
});

function presentTotals(areas: readonly SnapshotArea[]): ReportCounts {
  return {
    ...presentCounters(sumOf(areas.map(({ counters }) => counters))),
    areas_count: areas.length,
    configured_areas_count: areas.filter(({ capacity }) => capacity !== null).length,
  };
}

function presentCapacityTotals(areas: readonly SnapshotArea[]): ReportCounts {
  const totals = capacityTotals(areas);
  return {
    configured_areas_count: totals.configuredCount,
    configured_count: totals.configuredCount,
    unconfigured_count: totals.unconfiguredCount,
    spaces_count: totals.spacesCount,
    ...presentActive(totals),
    ...presentSpaces(totals),
  };
}

/**
 * The answer of the report as JSON. Many widgets ask for the same city in a minute, so a report without a selected source
 * is written once per snapshot.
 */
export async function reportText(report: Report): Promise<string> {
  const { selectedSource, areaType, snapshot, now } = report;
  if (selectedSource !== null) return JSON.stringify(presentReport(report));
  const statuses = snapshot.sources.map((source) => sourceFreshness(source, now));
  const key = ['report', areaType, ...statuses].join();
  return (await findVersion(snapshot, key, () => JSON.stringify(presentReport(report)))).text;
}
