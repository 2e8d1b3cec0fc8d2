import type { OptionsResponse } from '../../../../src/core/subscription-options/contract.ts';
import { RESULT_TEXT, subscriptionOptions } from '../../../../src/core/subscription-options/operation.ts';
import type { ResultCode } from '../../../../src/domain/purchase-options.ts';
import { CITY, SUBSCRIBED } from '../examples/city.ts';
import { ENVELOPE } from '../examples/envelope.ts';
import { type DescribedOperation, describe, type Examples } from '../openapi/parts.ts';

function answer(
  resultCode: ResultCode,
  changed: Partial<OptionsResponse> = {},
): OptionsResponse & typeof ENVELOPE {
  const { tariffe = [] } = changed;
  return {
    ...ENVELOPE,
    api_version: '2.1',
    result_code: resultCode,
    message: RESULT_TEXT[resultCode].en,
    eligible: tariffe.length > 0,
    plate: SUBSCRIBED,
    municipality: CITY,
    terminal_code: 'PM-0417',
    timezone: 'Europe/Rome',
    generated_at: '2026-03-07T17:44:12+01:00',
    operation: 'none',
    subscriptions_count: 1,
    options_count: tariffe.length,
    entitlements_count: 0,
    ...changed,
    tariffe,
  };
}

const plan = (code: string, cents: number, scadenza: string, descrizione: string) =>
  ({ codice_tariffa: code, importo_eurocent: cents, scadenza, descrizione, jolly_info: '' }) as const;

/** Each kind of result, in few words. */
const NEGATIVES: Record<
  Exclude<ResultCode, 'OPTIONS_AVAILABLE'>,
  [summary: string, Partial<OptionsResponse>?]
> = {
  SUBSCRIPTION_NOT_FOUND: ['The plate has no subscription here', { subscriptions_count: 0 }],
  DIRECT_PURCHASE_NOT_SUPPORTED: ['It has only freely sold subscriptions', { subscriptions_count: 0 }],
  PLATE_NOT_ACTIVE: ['The plate is not on the subscription now'],
  APPLICATION_NOT_APPROVED: ['The office has not approved it'],
  SUBSCRIPTION_REVOKED: ['It was revoked'],
  SUBSCRIPTION_SUSPENDED: ['It is suspended'],
  AUTHORIZATION_NOT_STARTED: ['Its authorization has not started'],
  AUTHORIZATION_EXPIRED: ['Its authorization is over'],
  FUTURE_RENEWAL_ALREADY_PRESENT: ['It has already been renewed', { entitlements_count: 1 }],
  RENEWAL_NOT_ALLOWED: ['It cannot be renewed, or not yet', { entitlements_count: 1 }],
  NO_PARKING_METER_PLANS: ['No plan of its type is sold at meters'],
  MULTIPLE_SUBSCRIPTIONS_FOUND: [
    'Two or more could be bought: the office has to help',
    { subscriptions_count: 2 },
  ],
};

const RESPONSES: Examples = {
  renewal: {
    summary: 'A renewal: the active subscription ends on 31 March',
    value: answer('OPTIONS_AVAILABLE', {
      operation: 'renewal',
      entitlements_count: 1,
      tariffe: [
        plan('101', 2_500, '17:44 30/04/2026', 'RESIDENTI MENSILE'),
        plan('103', 25_000, '17:44 31/03/2027', 'RESIDENTI ANNUALE'),
      ],
    }),
  },
  first_activation: {
    summary: 'A first activation: approved by the office, not paid yet',
    value: answer('OPTIONS_AVAILABLE', {
      operation: 'first_activation',
      tariffe: [plan('101', 2_500, '17:44 07/04/2026', 'RESIDENTI MENSILE')],
    }),
  },
  ...Object.fromEntries(
    (Object.keys(NEGATIVES) as (keyof typeof NEGATIVES)[]).map((code) => {
      const [summary, changed] = NEGATIVES[code];
      return [code.toLowerCase(), { summary, value: answer(code, changed) }];
    }),
  ),
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
    answer: { words: 'The plate was looked up.', examples: RESPONSES },
  }),
];
