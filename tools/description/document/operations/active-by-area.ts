import { activeByArea } from '../../../../src/core/active-by-area/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { CITY, STREET, STREET_CITY } from '../samples.ts';

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Reports', activeByArea, {
    summary: 'Report the active vehicles by area',
    words: `
Counts the active vehicles in each street or facility, now and in 30 and 60 minutes, with capacity and
availability. It contains no plates. Counters are computed every minute; a change of the configuration shows within two.

Areas without vehicles, and a municipality without streets, are a 200 with zeros or no rows. **A failure is a 500, never
an empty report.** Pages of any origin may call it: give a public page its own credential, with only the scope
\`report\`. It shares its budget with the plate check.

How vehicles and spaces are counted: [the rules](/docs/interface/active-by-area).
`.trim(),
    request: { municipality_code: CITY.code, area_type: 'facility' },
    // The only street of a municipality.
    answer: {
      municipality: STREET_CITY,
      sources: [{ code: 'meters', name: 'Parking meters', category: 'meter', is_system: true }, { id: 2 }],
      rows: [{ area: { id: 11, ...STREET } }],
      source_freshness: [
        {},
        { source_id: 2, status: 'fresh', last_successful_import_at: '2026-03-07T17:41:03+01:00' },
      ],
      after_30: '2026-03-07T18:14:12+01:00',
      after_60: '2026-03-07T18:44:12+01:00',
    },
  }),
];
