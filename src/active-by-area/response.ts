import * as z from 'zod';
import { AREA_TYPES } from '../db/schema/configuration.ts';
import { FRESHNESS_STATUSES } from '../domain/source-freshness.ts';
import { code, count, dateTime, name, place, timeZone } from '../http/response-fields.ts';

const nullableCount = count.nullable();
const percent = z.number().min(0);

export const reportSource = z.object({
  id: z.int(),
  code,
  name,
  category: code,
  active: z.boolean(),
  is_system: z.boolean(),
});

export const freshnessItem = z.object({
  source_id: z.int(),
  status: z.enum(FRESHNESS_STATUSES),
  last_successful_import_at: dateTime.nullable(),
});

/** What depends on the capacity is null where that is not configured; the source's own is null without a source. */
export const areaRow = z.object({
  area: z.object({ id: z.int(), code, name, area_type: z.enum(AREA_TYPES) }),
  capacity: nullableCount,
  active_now: nullableCount,
  active_after_30: nullableCount,
  active_after_60: nullableCount,
  ending_within_30: nullableCount,
  ending_between_30_60: nullableCount,
  available_now: nullableCount,
  available_after_30: nullableCount,
  available_after_60: nullableCount,
  excess_now: nullableCount,
  occupancy_percent: percent.nullable(),
  source_active_now: nullableCount,
  source_active_after_30: nullableCount,
  source_active_after_60: nullableCount,
});

const counted = nullableCount.optional();

/** Each of the totals has those of these that it is about. */
export const reportCounts = z.object({
  active_now: counted,
  active_after_30: counted,
  active_after_60: counted,
  ending_within_30: counted,
  ending_within_60: counted,
  ending_between_30_60: counted,
  areas_count: counted,
  configured_count: counted,
  unconfigured_count: counted,
  configured_areas_count: counted,
  spaces_count: counted,
  available_now: counted,
  available_after_30: counted,
  available_after_60: counted,
  excess_now: counted,
  occupancy_percent: percent.nullable().optional(),
});

export const reportResponse = z.object({
  api_version: z.literal('2.0'),
  report: z.literal('active_by_area'),
  report_version: z.literal('1.0'),
  supported: z.literal(true),
  timezone: timeZone,
  refresh_after_seconds: z.int(),
  municipality: place,
  filters: z.object({ area_type: z.enum(AREA_TYPES), source_id: z.int().nullable() }),
  sources: z.array(reportSource),
  selected_source: reportSource.nullable(),
  areas_count: count,
  rows: z.array(areaRow),
  totals: reportCounts,
  source_totals: reportCounts.nullable(),
  capacity_totals: reportCounts,
  source_freshness: z.array(freshnessItem),
  generated_at: dateTime,
  checked_at: dateTime,
  after_30: dateTime,
  after_60: dateTime,
});

export type ReportResponse = z.infer<typeof reportResponse>;
export type ReportCounts = z.infer<typeof reportCounts>;
export type AreaRow = z.infer<typeof areaRow>;
