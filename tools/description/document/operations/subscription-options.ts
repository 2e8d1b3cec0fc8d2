import type { OptionsResponse } from '../../../../src/core/subscription-options/contract.ts';
import { subscriptionOptions } from '../../../../src/core/subscription-options/contract.ts';
import { RESULT_TEXT } from '../../../../src/core/subscription-options/present.ts';
import { CITY, SUBSCRIBED } from '../examples/city.ts';
import { ENVELOPE } from '../examples/envelope.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

const plan = (code: string, cents: number, scadenza: string, descrizione: string) =>
  ({ codice_tariffa: code, importo_eurocent: cents, scadenza, descrizione, jolly_info: '' }) as const;

/** A renewal: the active subscription ends on 31 March. */
const RESPONSE: OptionsResponse & typeof ENVELOPE = {
  ...ENVELOPE,
  api_version: '2.1',
  result_code: 'OPTIONS_AVAILABLE',
  message: RESULT_TEXT.OPTIONS_AVAILABLE.en,
  eligible: true,
  plate: SUBSCRIBED,
  municipality: CITY,
  terminal_code: 'PM-0417',
  timezone: 'Europe/Rome',
  generated_at: '2026-03-07T17:44:12+01:00',
  operation: 'renewal',
  subscriptions_count: 1,
  options_count: 2,
  entitlements_count: 1,
  tariffe: [
    plan('101', 2_500, '17:44 30/04/2026', 'RESIDENTI MENSILE'),
    plan('103', 25_000, '17:44 31/03/2027', 'RESIDENTI ANNUALE'),
  ],
};

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(subscriptionOptions, {
    section: 'Parking meters',
    summary: 'Find the plans that a plate can buy at a meter',
    words: `
Finds the plans for the first activation of a subscription that the office has approved, or for the renewal of one that
was activated before. Freely sold subscriptions are left out. The call only reads: it creates no period and records no
payment.

If nothing can be bought, that is **a valid negative**: a 200 with \`eligible\` false, no \`tariffe\`, and the reason in
\`result_code\`. **An error** is any other status. It says nothing about the plate: try again, and do not show it as a no.

Every result, which comes first, and how \`scadenza\` is computed: [the rules](/docs/interface/subscription-options).
`.trim(),
    body: {
      words: 'The plate whose plans to find.',
      examples: {
        at_a_meter: {
          summary: 'A meter asks',
          value: { plate: 'DE 101 MO', municipality_code: CITY.code, terminal_code: 'PM-0417' },
        },
        only_municipality: {
          summary: 'With the credential’s only municipality',
          value: { plate: SUBSCRIBED },
        },
      },
    },
    answer: { words: 'The plate was looked up.', example: RESPONSE },
  }),
];
