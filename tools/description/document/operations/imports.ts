import {
  importSessions,
  importSubscriptions,
  sessionLine,
  subscriptionLine,
} from '../../../../src/intake/imports/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { CITY, FACILITY, SMALL_FACILITY, SOURCE, UNKNOWN } from '../samples.ts';

/** Only the bad line is rejected. */
const RESPONSE = {
  ...{ received: 3, unchanged: 0, erased: 0 },
  errors: [
    { line: 2, code: 'AREA_NOT_FOUND', message: 'area_code: the municipality has no area with this code' },
  ],
};

const WORDS = `
Newline-delimited JSON in UTF-8, one JSON object per line; blank lines are ignored. Each line is stored by its key, so
**sending the same file twice changes nothing**: repeat a call that failed.

An answer with counts is a 200, even if every line was rejected. Lines are stored as they arrive: after a 400, 413 or
500 a part is stored. Send the same file again to complete it: lines that were stored already count as unchanged.

A credential sends one file at a time (a second is a 429), and an isolate takes two (a third is a 503: try again). An
import ends within 120 s. With \`dry_run=true\` all lines are judged and counted, and nothing is stored.
`.trim();

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Imports', importSessions, {
    summary: 'Import parking sessions of a source',
    words: `${WORDS}\n\nIts success or failure changes the source’s freshness. A file without lines is a success.`,
    parameters: { municipality_code: CITY.code, source_code: SOURCE.code },
    request: [
      {
        session_id: 'APP1-20260307-000418',
        plate: UNKNOWN,
        area_code: FACILITY.code,
        starts_at: '2026-03-07T17:00:00+01:00',
        ends_at: '2026-03-07T19:00:00+01:00',
        revision: 2,
      },
      {
        session_id: 'APP1-20260307-000419',
        plate: 'EF456GH',
        area_code: SMALL_FACILITY.code,
        starts_at: '2026-03-07T17:10:00+01:00',
      },
    ],
    schema: sessionLine,
    answer: RESPONSE,
  }),
  describe('Imports', importSubscriptions, {
    summary: 'Import a municipality’s subscriptions',
    words: `${WORDS} A credential bound to a source may not call it (\`SCOPE_NOT_ALLOWED\`).`,
    parameters: { municipality_code: CITY.code },
    request: [
      {
        subscription_number: 'RES-2026-0042',
        type: 'RES',
        plates: [{ plate: UNKNOWN }],
        approval: 'approved',
        authorized_from: '2026-01-01T00:00:00+01:00',
        authorized_until: '2027-01-01T00:00:00+01:00',
        areas: 'all',
        periods: [{ starts_at: '2026-03-01T00:00:00+01:00', ends_at: '2026-04-01T00:00:00+02:00' }],
      },
    ],
    schema: subscriptionLine,
    answer: RESPONSE,
  }),
];
