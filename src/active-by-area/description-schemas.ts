import { ENVELOPE_WORDS, inEnvelope } from '../openapi/envelope.ts';
import { input, output } from '../openapi/words.ts';
import { reportRequest } from './request.ts';
import { areaRow, freshnessItem, reportCounts, reportResponse, reportSource } from './response.ts';

export const REQUEST = input(
  'ReportRequest',
  reportRequest,
  'Which areas to report on. Null is the same as absent; another property is refused.',
  {
    municipality_code: 'The municipality. Absent: the credential’s only active municipality.',
    area_type: 'Streets or facilities.',
    source_id:
      'The `id` of a source. It fills `selected_source`, `source_totals` and the `source_active_…` of the rows, and changes nothing else.',
  },
);

export const SOURCE = output('Source', reportSource, 'A source of sessions.', {
  id: 'Its number, for `source_id` in a request.',
  code: 'Its code.',
  name: 'Its name.',
  category: 'What kind of source it is.',
  active: 'Whether it is active. Sessions of an inactive source still count, because they were paid.',
  is_system: 'Whether it is the municipality’s own system, which is never stale.',
});

export const FRESHNESS = output('SourceFreshness', freshnessItem, 'How up to date a source’s sessions are.', {
  source_id: 'The source.',
  status:
    '`native`: the municipality’s own system. `fresh` or `stale`: by the age of its last successful import. `never`: no import has succeeded yet. `error`: its last import failed.',
  last_successful_import_at: 'When an import last succeeded. Null if none has yet.',
});

const COUNTER_WORDS = {
  active_now: 'Vehicles with a session valid at `checked_at`.',
  active_after_30: 'Vehicles with a session valid 30 minutes later, as far as is known now.',
  active_after_60: 'Vehicles with a session valid 60 minutes later, as far as is known now.',
  ending_within_30: 'Active now, and not after 30 minutes.',
  ending_between_30_60: 'Active now and after 30 minutes, and not after 60.',
} as const;

const CAPACITY_WORDS = {
  available_now: 'Free spaces now, never below 0.',
  available_after_30: 'Free spaces after 30 minutes.',
  available_after_60: 'Free spaces after 60 minutes.',
  excess_now: 'Vehicles beyond the capacity, never below 0.',
  occupancy_percent: 'Active vehicles per space, in percent with one decimal.',
} as const;

export const AREA = output('ReportArea', areaRow.shape.area, 'An area.', {
  id: 'Its number.',
  code: 'Its code.',
  name: 'Its name.',
  area_type: 'Street or facility.',
});

export const ROW = output(
  'AreaRow',
  areaRow,
  'An area’s counters. A vehicle counts once in an area, however many sessions it has there.',
  {
    area: 'The area.',
    capacity:
      'Its number of spaces. If it is not configured it is null, as is everything that depends on it.',
    ...COUNTER_WORDS,
    ...CAPACITY_WORDS,
    source_active_now: 'As `active_now`, of the selected source alone; null without one.',
    source_active_after_30: 'As `active_after_30`, of the selected source alone; null without one.',
    source_active_after_60: 'As `active_after_60`, of the selected source alone; null without one.',
  },
);

export const COUNTS = output(
  'Counts',
  reportCounts,
  'Sums over the rows: a vehicle in two areas counts twice. Each of the totals has only some of these fields.',
  {
    ...COUNTER_WORDS,
    ending_within_60: '`ending_within_30` + `ending_between_30_60`.',
    areas_count: 'The number of rows.',
    configured_count: 'The same as `configured_areas_count`.',
    unconfigured_count: 'The number of rows without a capacity.',
    configured_areas_count: 'The number of rows with a capacity.',
    spaces_count: 'The number of their spaces.',
    ...CAPACITY_WORDS,
  },
);

export const RESPONSE = output('ReportResponse', inEnvelope(reportResponse), 'The report.', {
  ...ENVELOPE_WORDS,
  api_version: 'The version of this operation.',
  report: 'Which report it is.',
  report_version: 'Its own version, also in `X-Service-Report-Version`.',
  supported: 'Always true.',
  timezone: 'The municipality’s time zone, an IANA name.',
  refresh_after_seconds: 'After how many seconds the counters may have changed.',
  municipality: 'The municipality.',
  filters: 'What was asked for, with defaults filled in.',
  sources: 'All sources of the municipality, including inactive ones.',
  selected_source: 'The source that `source_id` selects, else null.',
  areas_count: 'The number of rows.',
  rows: 'The active areas of this type, in the order of their codes, with the sessions of all sources.',
  totals: 'The sums of the rows’ counters.',
  source_totals: 'The same for the selected source only, else null.',
  capacity_totals: 'The sums over the rows with a capacity.',
  source_freshness: 'How up to date each source’s sessions are.',
  generated_at: 'When the counters were computed.',
  checked_at: 'The instant that the counters are for.',
  after_30: '30 minutes later.',
  after_60: '60 minutes later.',
});

export const FILTERS = output('ReportFilters', reportResponse.shape.filters, 'What was asked for.', {
  area_type: 'Streets or facilities.',
  source_id: 'The selected source, else null.',
});
