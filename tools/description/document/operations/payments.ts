import type {
  FindResponse,
  PaymentResponse,
  ReversalResponse,
} from '../../../../src/core/payments/contract.ts';
import {
  found,
  foundForTheOffice,
  recorded,
  reversed,
  reversedByTheOffice,
  settled,
} from '../../../../src/core/payments/contract.ts';
import { REVERSAL_TEXT } from '../../../../src/core/payments/present.ts';
import type { FoundPayment } from '../../../../src/core/recorded-payments/contract.ts';
import { PAYMENT_TEXT } from '../../../../src/core/recorded-payments/present.ts';
import type { PaymentResult } from '../../../../src/domain/payment.ts';
import { CITY, SUBSCRIBED } from '../examples/city.ts';
import { ENVELOPE } from '../examples/envelope.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

const fieldsOf = (resultCode: PaymentResult) => ({
  result_code: resultCode,
  message: PAYMENT_TEXT[resultCode].en,
  accepted: resultCode === 'PERIOD_CREATED',
  payment_id: 'PM-0417-000381',
  plate: SUBSCRIBED,
  municipality: CITY,
  terminal_code: 'PM-0417',
  timezone: 'Europe/Rome',
  collected_at: '2026-03-07T17:45:03+01:00',
  recorded_at: '2026-03-07T17:45:04.120+01:00',
  subscription_number: 'RES-2026-00815',
  operation: 'renewal' as const,
  codice_tariffa: '101',
  importo_eurocent: 2_500,
  expected_eurocent: 2_500,
  period: { starts_at: '2026-04-01T00:00:00+02:00', ends_at: '2026-05-01T17:45:03+02:00' },
  scadenza: '17:45 01/05/2026',
});

const RECORDED: PaymentResponse & typeof ENVELOPE = {
  ...ENVELOPE,
  api_version: '2.1',
  ...fieldsOf('PERIOD_CREATED'),
  already_recorded: false,
};

const UNSETTLED: FoundPayment = {
  ...fieldsOf('AMOUNT_MISMATCH'),
  operation: 'none',
  period: null,
  scadenza: null,
  importo_eurocent: 2_000,
  already_recorded: false,
  state: 'unsettled',
  reversed_at: null,
  settled: null,
};
const REVERSED: FoundPayment = {
  ...fieldsOf('PERIOD_CREATED'),
  already_recorded: false,
  state: 'reversed',
  reversed_at: '2026-03-07T17:46:00+01:00',
  settled: null,
};

const FOUND: FindResponse & typeof ENVELOPE = {
  ...ENVELOPE,
  payments: [UNSETTLED],
  next: null,
  totals: {
    accepted: { count: 41, eurocent: 102_500 },
    unsettled: { count: 1, eurocent: 2_000 },
    settled: { count: 0, eurocent: 0 },
    reversed: { count: 1, eurocent: 2_500 },
  },
};
const DAY = { from: '2026-03-07T00:00:00+01:00', until: '2026-03-08T00:00:00+01:00' };

const reversal: ReversalResponse & typeof ENVELOPE = {
  ...ENVELOPE,
  api_version: '2.1',
  result_code: 'PAYMENT_REVERSED',
  message: REVERSAL_TEXT.PAYMENT_REVERSED.en,
  accepted: true,
  payment_id: REVERSED.payment_id,
  municipality: CITY,
  timezone: 'Europe/Rome',
  payment: REVERSED,
};

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(recorded, {
    section: 'Parking meters',
    summary: 'Record a payment: the subscription is valid from then on',
    words: `
Records money that was collected for a subscription, and makes the paid period at once. It moves no money.

**Money that was taken is never an error.** A payment that can be read is stored whatever the state of the subscription,
and answered with a 200. If it makes no period, \`accepted\` is false, and the office settles it. Any other status says
nothing about the payment: **send it again**. A \`payment_id\` is recorded once, however often it is sent.

Every result, which comes first, and how the expiry is computed: [the rules](/docs/interface/payments).
`.trim(),
    body: {
      words: 'The payment that was collected.',
      examples: {
        at_a_meter: {
          summary: 'Sold from an options answer',
          value: {
            payment_id: 'PM-0417-000381',
            plate: 'DE 101 MO',
            municipality_code: CITY.code,
            terminal_code: 'PM-0417',
            codice_tariffa: '101',
            importo_eurocent: 2_500,
            collected_at: '2026-03-07T17:45:03+01:00',
            options_request_id: ENVELOPE.request_id,
          },
        },
      },
    },
    answer: {
      words: 'The payment is recorded.',
      example: RECORDED,
    },
  }),
  describe(reversed, {
    section: 'Parking meters',
    summary: 'Reverse a payment',
    words:
      'For a sale that failed at the device, or was refunded. A period that has not begun is removed; a running one ends now, so that earlier checks stay right; one that is over stays.',
    body: {
      words: 'The payment to reverse.',
      examples: {
        failed: {
          summary: 'The device did not print the receipt',
          value: {
            payment_id: 'PM-0417-000381',
            municipality_code: CITY.code,
            reversed_at: '2026-03-07T17:46:00+01:00',
            reason: 'no receipt',
          },
        },
      },
    },
    answer: {
      words: 'The outcome of the reversal.',
      example: reversal,
    },
  }),
  describe(found, {
    section: 'Parking meters',
    summary: 'Find payments: the day’s closing',
    words:
      'Finds one payment by its key, or those of a window of at most 31 days, with the window’s totals. A collector whose answer was lost finds the payment’s outcome here.',
    body: {
      words: 'The payments to find.',
      examples: {
        a_day: { summary: 'A day', value: { municipality_code: CITY.code, ...DAY } },
        one: {
          summary: 'One payment',
          value: { municipality_code: CITY.code, payment_id: 'PM-0417-000381' },
        },
      },
    },
    answer: { words: 'The payments.', example: FOUND },
  }),
  describe(foundForTheOffice, {
    section: 'Administration',
    summary: 'Find payments, for the office',
    words: 'As for a collector. Unsettled payments wait for the office.',
    body: {
      words: 'Which payments.',
      examples: {
        unsettled: {
          summary: 'Those that wait for the office',
          value: { municipality_code: CITY.code, ...DAY, state: 'unsettled' },
        },
      },
    },
    answer: { words: 'The payments.', example: FOUND },
  }),
  describe(settled, {
    section: 'Administration',
    summary: 'Settle a payment that made no period',
    words:
      'Records that the office has refunded the money, or corrected the subscription by an import. It moves no money and changes no subscription.',
    body: {
      words: 'The payment, and what the office did.',
      examples: {
        refunded: {
          summary: 'The money was refunded',
          value: {
            municipality_code: CITY.code,
            payment_id: 'PM-0417-000381',
            outcome: 'refunded',
            note: 'bank transfer of 9 March',
          },
        },
      },
    },
    answer: {
      words: 'The payment is settled.',
      example: {
        ...ENVELOPE,
        payment: {
          ...UNSETTLED,
          state: 'settled',
          settled: {
            outcome: 'refunded',
            note: 'bank transfer of 9 March',
            at: '2026-03-09T10:12:00+01:00',
          },
        },
      },
    },
  }),
  describe(reversedByTheOffice, {
    section: 'Administration',
    summary: 'Reverse a payment, for the office',
    words: 'As for a collector: for a sale that failed, or money that was given back.',
    body: {
      words: 'The payment to reverse.',
      examples: {
        refunded: {
          summary: 'The money was given back',
          value: {
            municipality_code: CITY.code,
            payment_id: 'PM-0417-000381',
            reversed_at: '2026-03-07T17:46:00+01:00',
            reason: 'given back at the office',
          },
        },
      },
    },
    answer: {
      words: 'The outcome of the reversal.',
      example: reversal,
    },
  }),
];
