import { patrol } from '../../../../src/field/patrol/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { CITY, SMALL_FACILITY, SOURCE, UNKNOWN } from '../samples.ts';

const WORDS = `
Checks up to a hundred vehicles that an officer has seen. Each gets the first \`finding\` that applies:

| finding | when | the officer |
|---|---|---|
| \`entitled\` | it has a valid entitlement, or the facility lets it in | lets it go |
| \`tolerated\` | it had one within the tolerated minutes before, or gets one within the minutes of observation | lets it go |
| \`not_due\` | parking need not be paid there at that time | lets it go |
| \`look_again\` | a doubt that time settles: the driver may be paying, or a source has not reported yet | asks again at \`look_again_at\`, about the same \`seen_at\` |
| \`officer_decides\` | a doubt that only a look can settle | looks at the plate, the ticket, the area |
| \`no_entitlement\` | none of these | may fine |

**Only a whole 200 with \`no_entitlement\` is grounds for a fine.** A refused item, an error and a time-out verify nothing.

A refusal of one plate, as in a plate check, refuses only that item. Each plate costs one of the budget.

\`doubts\` never name another plate. The call log keeps a keyed digest of each plate that was asked about, with its finding.

Every finding and doubt, and where the boundaries are: [the rules](/docs/interface/patrol).
`.trim();

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Patrol', patrol, {
    summary: 'Check the vehicles that an officer has seen',
    words: WORDS,
    request: {
      municipality_code: CITY.code,
      checks: [
        {
          id: '1',
          plate: UNKNOWN,
          area_code: SMALL_FACILITY.code,
          seen_at: '2026-03-07T08:34:00+01:00',
        },
      ],
    },
    answer: {
      generated_at: '2026-03-07T08:34:05.120+01:00',
      sources: [{ status: 'fresh', complete_until: '2026-03-07T08:32:11+01:00' }],
      results: [
        {
          ...{ id: '1', plate: UNKNOWN, area: { ...SMALL_FACILITY, area_type: 'facility' } },
          ...{ has_valid_entitlement: false, has_valid_parking: false, has_valid_subscription: false },
          seen_at: '2026-03-07T08:34:00+01:00',
          finding: 'look_again',
          look_again_at: '2026-03-07T08:39:00+01:00',
          doubts: [
            {
              code: 'SOURCE_LATE',
              message: 'This source may not have reported yet what was paid by then.',
              source_code: SOURCE.code,
            },
          ],
        },
      ],
    },
  }),
];
