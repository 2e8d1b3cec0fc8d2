import * as z from 'zod';
import { optionalText, params } from '../../base/forms/fields.ts';
import { FRESHNESS_STATUSES } from '../../domain/source-freshness.ts';
import type { Contract } from '../../serving/contract.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import {
  code,
  count,
  dateTime,
  flag,
  name,
  place,
  timeZone,
  version,
} from '../../serving/http/response-fields.ts';
import { CODE_LENGTH } from '../../storage/db/schema/columns.ts';
import { AREA_TYPES } from '../../storage/db/schema/configuration.ts';

export const reportRequest = z
  .strictObject({
    municipality_code: optionalText
      .refine(
        (text = '') => [...text].length <= CODE_LENGTH,
        params(
          `must have at most ${CODE_LENGTH} characters`,
          `deve avere al massimo ${CODE_LENGTH} caratteri`,
        ),
      )
      .meta({ maxLength: CODE_LENGTH })
      .describe('The municipality. Null, blank or absent: the credential’s only active municipality.'),
    area_type: optionalText
      .pipe(z.enum(AREA_TYPES).default('street'))
      .describe('Streets or facilities. Null, blank or absent: streets.'),
    source_id: z
      .int()
      .min(1)
      .nullish()
      .describe(
        'The `id` of a source. It fills `selected_source`, `source_totals` and the rows’ `source_active_…`, and changes nothing else.',
      ),
  })
  .meta({
    id: 'ReportRequest',
    description: 'Which areas to report on. Null means absent. Unknown properties are refused.',
  });

const reportSource = z
  .object({
    id: z.int().describe('Its number, for `source_id` in a request.'),
    code: code.describe('Its code.'),
    name: name.describe('Its name.'),
    category: code.describe('The kind of source.'),
    active: flag.describe(
      'Whether it is active. Sessions of an inactive source still count, because they were paid.',
    ),
    is_system: flag.describe('Whether it is the municipality’s own system, which is never stale.'),
  })
  .meta({ id: 'Source', description: 'A source of sessions.' });

const freshnessItem = z
  .object({
    source_id: z.int().describe('The source.'),
    status: z
      .enum(FRESHNESS_STATUSES)
      .describe(
        '`native`: the municipality’s own system. `fresh` or `stale`: by the age of its last successful import. `never`: no import has succeeded. `error`: its last import failed.',
      ),
    last_successful_import_at: dateTime
      .nullable()
      .describe('Its last successful import. Null: there was none.'),
  })
  .meta({ id: 'SourceFreshness', description: 'How up to date a source’s sessions are.' });

const nullable = count.nullable();

const counters = {
  active_now: nullable.describe('Vehicles with a session valid at `checked_at`.'),
  active_after_30: nullable.describe('Vehicles with a session valid 30 minutes later, as known now.'),
  active_after_60: nullable.describe('Vehicles with a session valid 60 minutes later, as known now.'),
  ending_within_30: nullable.describe('Active now, but not 30 minutes later.'),
  ending_between_30_60: nullable.describe('Active now and 30 minutes later, but not 60 minutes later.'),
};

/** Null if `capacity` is. */
const spaces = {
  available_now: nullable.describe('Free spaces now, never below 0.'),
  available_after_30: nullable.describe('Free spaces 30 minutes later.'),
  available_after_60: nullable.describe('Free spaces 60 minutes later.'),
  excess_now: nullable.describe('Vehicles beyond the capacity, never below 0.'),
  occupancy_percent: z
    .number()
    .min(0)
    .nullable()
    .describe('Active vehicles in percent of the spaces, with one decimal.'),
};

const areaType = z.enum(AREA_TYPES);

const reportArea = z
  .object({
    id: z.int().describe('Its number.'),
    code: code.describe('Its code.'),
    name: name.describe('Its name.'),
    area_type: areaType.describe('Street or facility.'),
  })
  .meta({ id: 'ReportArea', description: 'An area.' });

const areaRow = z
  .object({
    area: reportArea.describe('The area.'),
    capacity: nullable.describe(
      'How many spaces it has. Null: unknown, and everything that depends on it is null, too.',
    ),
    ...counters,
    ...spaces,
    source_active_now: nullable.describe('`active_now` of the selected source; null without one.'),
    source_active_after_30: nullable.describe('`active_after_30` of the selected source; null without one.'),
    source_active_after_60: nullable.describe('`active_after_60` of the selected source; null without one.'),
  })
  .meta({
    id: 'AreaRow',
    description: 'An area’s counters. A vehicle with several sessions there counts once.',
  });

/** Each of the totals has some of these. */
const reportCounts = z
  .object({
    ...counters,
    ending_within_60: nullable.describe('`ending_within_30` + `ending_between_30_60`.'),
    areas_count: nullable.describe('The number of rows.'),
    configured_count: nullable.describe('The same as `configured_areas_count`.'),
    unconfigured_count: nullable.describe('The number of rows without a capacity.'),
    configured_areas_count: nullable.describe('The number of rows with a capacity.'),
    spaces_count: nullable.describe('The number of their spaces.'),
    ...spaces,
  })
  .partial()
  .meta({
    id: 'Counts',
    description:
      'Sums over the rows: a vehicle in two areas counts twice. Each total has only some of these fields.',
  });

const reportFilters = z
  .object({
    area_type: areaType.describe('Streets or facilities.'),
    source_id: z.int().nullable().describe('The selected source; null without one.'),
  })
  .meta({ id: 'ReportFilters', description: 'The filters of the request.' });

const reportResponse = z
  .object({
    api_version: version('2.0'),
    report: z.literal('active_by_area').describe('The name of the report.'),
    report_version: z.literal('1.0').describe('The report’s version, also in `X-Service-Report-Version`.'),
    supported: z.literal(true).describe('Always true.'),
    timezone: timeZone,
    refresh_after_seconds: z.int().describe('Ask again after this many seconds.'),
    municipality: place.describe('The municipality.'),
    filters: reportFilters.describe('The filters of the request, with defaults filled in.'),
    sources: z.array(reportSource).describe('All sources of the municipality, including inactive ones.'),
    selected_source: reportSource
      .nullable()
      .describe('The source that `source_id` selects; null without one.'),
    areas_count: count.describe('The number of rows.'),
    rows: z
      .array(areaRow)
      .describe('The active areas of this type, by code, with the sessions of all sources.'),
    totals: reportCounts.describe('The sums of the rows’ counters.'),
    source_totals: reportCounts.nullable().describe('The same for the selected source; null without one.'),
    capacity_totals: reportCounts.describe('The sums over the rows with a capacity.'),
    source_freshness: z.array(freshnessItem).describe('How up to date each source’s sessions are.'),
    generated_at: dateTime.describe('When the counters were computed.'),
    checked_at: dateTime.describe('The instant of the counters.'),
    after_30: dateTime.describe('`checked_at` plus 30 minutes.'),
    after_60: dateTime.describe('`checked_at` plus 60 minutes.'),
  })
  .meta({ id: 'ReportResponse', description: 'The report.' });

export type ReportRequest = z.infer<typeof reportRequest>;
export type ReportResponse = z.infer<typeof reportResponse>;
export type ReportCounts = z.infer<typeof reportCounts>;
export type AreaRow = z.infer<typeof areaRow>;

/** The report of active vehicles by area. */
export const activeByArea = {
  id: 'reportActiveByArea',
  method: 'POST',
  path: '/api/v2/parking/reports/active-by-area',
  access: { by: 'credential', scope: 'report', budget: 'calls', tokenHeaders: 'all' },
  // A page shows it: after this, a clear failure is better than an answer.
  deadlineMs: 5_000,
  body: { kind: 'json', schema: reportRequest, maxBytes: QUERY_BODY },
  answer: reportResponse,
  errors: ['SERVICE_DISABLED', 'SOURCE_NOT_FOUND', 'NO_ACTIVE_FACILITIES'],
  headers: { 'X-Service-Report': 'active_by_area', 'X-Service-Report-Version': '1.0' },
  crossOrigin: {
    exposeHeaders: [
      'X-Request-Id',
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
      'X-Service-Report',
      'X-Service-Report-Version',
    ],
  },
  log: { operation: 'active_by_area' },
} as const satisfies Contract;
