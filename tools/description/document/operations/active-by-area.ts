import type { ReportResponse } from '../../../../src/core/active-by-area/contract.ts';
import { activeByArea } from '../../../../src/core/active-by-area/contract.ts';
import { CITY, SOURCE, STREET, STREET_CITY } from '../examples/city.ts';
import { ENVELOPE } from '../examples/envelope.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

const APP = { id: 2, ...SOURCE, category: 'app', active: true, is_system: false };
const METERS = {
  id: 1,
  code: 'meters',
  name: 'Parking meters',
  category: 'meter',
  active: true,
  is_system: true,
};

/** The only street of a municipality. */
const REPORT: ReportResponse & typeof ENVELOPE = {
  ...ENVELOPE,
  api_version: '2.0',
  report: 'active_by_area',
  report_version: '1.0',
  supported: true,
  timezone: 'Europe/Rome',
  refresh_after_seconds: 60,
  municipality: STREET_CITY,
  filters: { area_type: 'street', source_id: null },
  sources: [METERS, APP],
  selected_source: null,
  areas_count: 1,
  rows: [
    {
      area: { id: 11, ...STREET, area_type: 'street' },
      capacity: 40,
      active_now: 31,
      active_after_30: 24,
      active_after_60: 15,
      ending_within_30: 9,
      ending_between_30_60: 10,
      available_now: 9,
      available_after_30: 16,
      available_after_60: 25,
      excess_now: 0,
      occupancy_percent: 77.5,
      source_active_now: null,
      source_active_after_30: null,
      source_active_after_60: null,
    },
  ],
  totals: {
    active_now: 31,
    active_after_30: 24,
    active_after_60: 15,
    ending_within_30: 9,
    ending_within_60: 19,
    ending_between_30_60: 10,
    areas_count: 1,
    configured_areas_count: 1,
  },
  source_totals: null,
  capacity_totals: {
    configured_areas_count: 1,
    configured_count: 1,
    unconfigured_count: 0,
    spaces_count: 40,
    active_now: 31,
    active_after_30: 24,
    active_after_60: 15,
    available_now: 9,
    available_after_30: 16,
    available_after_60: 25,
    excess_now: 0,
    occupancy_percent: 77.5,
  },
  source_freshness: [
    { source_id: 1, status: 'native', last_successful_import_at: null },
    { source_id: 2, status: 'fresh', last_successful_import_at: '2026-03-07T17:41:03+01:00' },
  ],
  generated_at: '2026-03-07T17:44:00+01:00',
  checked_at: '2026-03-07T17:44:00+01:00',
  after_30: '2026-03-07T18:14:00+01:00',
  after_60: '2026-03-07T18:44:00+01:00',
};

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(activeByArea, {
    section: 'Reports',
    summary: 'Report the active vehicles by area',
    words: `
Counts the active vehicles in each street or facility, now and in 30 and 60 minutes, with capacity and
availability. It contains no plates. Counters are computed every minute; a change of the configuration shows within two.

Areas without vehicles, and a municipality without streets, are a 200 with zeros or no rows. **A failure is a 500, never
an empty report.** Pages of any origin may call it: give a public page its own credential, with only the scope
\`report\`. It shares its budget with the plate check.

How vehicles and spaces are counted: [the rules](/docs/interface/active-by-area).
`.trim(),
    body: {
      words: 'The areas to report on. An empty object: the streets of the only municipality.',
      examples: {
        facilities: {
          summary: 'The facilities of a municipality',
          value: { municipality_code: CITY.code, area_type: 'facility' },
        },
        streets: { summary: 'The streets of the only municipality', value: {} },
        one_source: {
          summary: 'With one source’s own counters: its id is in the `sources` of every report',
          value: { municipality_code: CITY.code, area_type: 'facility', source_id: 2 },
        },
      },
    },
    answer: { words: 'The report.', example: REPORT },
  }),
];
