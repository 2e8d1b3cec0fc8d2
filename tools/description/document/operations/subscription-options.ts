import { subscriptionOptions } from '../../../../src/core/subscription-options/contract.ts';
import { RESULT_TEXT } from '../../../../src/core/subscription-options/present.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { CITY, SUBSCRIBED, TERMINAL } from '../samples.ts';

/** A renewal: the active subscription ends on 31 March. */
const RESPONSE = {
  ...{ result_code: 'OPTIONS_AVAILABLE', message: RESULT_TEXT.OPTIONS_AVAILABLE.en, plate: SUBSCRIBED },
  terminal_code: TERMINAL,
  operation: 'renewal',
  options_count: 2,
  tariffe: [
    {},
    {
      ...{ codice_tariffa: '103', importo_eurocent: 25_000 },
      ...{ scadenza: '17:44 31/03/2027', descrizione: 'RESIDENTI ANNUALE' },
    },
  ],
};

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Parking meters', subscriptionOptions, {
    summary: 'Find the plans that a plate can buy at a meter',
    words: `
Finds the plans for the first activation of a subscription that the office has approved, or for the renewal of one that
was activated before. Freely sold subscriptions are left out. The call only reads: it creates no period and records no
payment.

If nothing can be bought, that is **a valid negative**: a 200 with \`eligible\` false, no \`tariffe\`, and the reason in
\`result_code\`. **An error** is any other status. It says nothing about the plate: try again, and do not show it as a no.

Every result, which comes first, and how \`scadenza\` is computed: [the rules](/docs/interface/subscription-options).
`.trim(),
    request: { plate: 'DE 101 MO', municipality_code: CITY.code, terminal_code: TERMINAL },
    answer: RESPONSE,
  }),
];
