import {
  found,
  foundForTheOffice,
  recorded,
  reversed,
  reversedByTheOffice,
  settled,
} from '../../../../src/core/payments/contract.ts';
import { PAYMENT_TEXT, REVERSAL_TEXT } from '../../../../src/core/recorded-payments/present.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { CITY, SUBSCRIBED, TERMINAL } from '../samples.ts';

const FIELDS = {
  plate: SUBSCRIBED,
  terminal_code: TERMINAL,
  collected_at: '2026-03-07T17:45:03+01:00',
  recorded_at: '2026-03-07T17:45:04.120+01:00',
  subscription_number: 'RES-2026-00815',
};
const CREATED = {
  ...FIELDS,
  result_code: 'PERIOD_CREATED',
  message: PAYMENT_TEXT.PERIOD_CREATED.en,
  operation: 'renewal',
  period: { starts_at: '2026-04-01T00:00:00+02:00', ends_at: '2026-05-01T17:45:03+02:00' },
  scadenza: '17:45 01/05/2026',
  already_recorded: false,
};
const UNSETTLED = {
  ...FIELDS,
  result_code: 'AMOUNT_MISMATCH',
  message: PAYMENT_TEXT.AMOUNT_MISMATCH.en,
  accepted: false,
  operation: 'none',
  importo_eurocent: 2_000,
  scadenza: null,
  already_recorded: false,
  state: 'unsettled',
};

const FOUND = {
  payments: [UNSETTLED],
  totals: {
    accepted: { count: 41, eurocent: 102_500 },
    unsettled: { eurocent: 2_000 },
    settled: { count: 0, eurocent: 0 },
    reversed: { eurocent: 2_500 },
  },
};
const REVERSAL = {
  result_code: 'PAYMENT_REVERSED',
  message: REVERSAL_TEXT.PAYMENT_REVERSED.en,
  payment: { ...CREATED, state: 'reversed', reversed_at: '2026-03-07T17:46:00+01:00' },
};
const DAY = { from: '2026-03-07T00:00:00+01:00', until: '2026-03-08T00:00:00+01:00' };

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Parking meters', recorded, {
    summary: 'Record a payment: the subscription is valid from then on',
    words: `
Records money that was collected for a subscription, and makes the paid period at once. It moves no money.

**Money that was taken is never an error.** A payment that can be read is stored whatever the state of the subscription,
and answered with a 200. If it makes no period, \`accepted\` is false, and the office settles it. Any other status says
nothing about the payment: **send it again**. A \`payment_id\` is recorded once, however often it is sent.

Every result, which comes first, and how the expiry is computed: [the rules](/docs/interface/payments).
`.trim(),
    request: {
      payment_id: 'PM-0417-000381',
      plate: 'DE 101 MO',
      municipality_code: CITY.code,
      terminal_code: TERMINAL,
      codice_tariffa: '101',
      importo_eurocent: 2_500,
      collected_at: '2026-03-07T17:45:03+01:00',
      options_request_id: '7f1b6f6e-6f0e-4a53-9d0c-0d7f4f6c1b52',
    },
    answer: CREATED,
  }),
  describe('Parking meters', reversed, {
    summary: 'Reverse a payment',
    words:
      'For a sale that failed at the device, or was refunded. A period that has not begun is removed; a running one ends now, so that earlier checks stay right; one that is over stays.',
    request: {
      payment_id: 'PM-0417-000381',
      municipality_code: CITY.code,
      reversed_at: '2026-03-07T17:46:00+01:00',
      reason: 'no receipt',
    },
    answer: REVERSAL,
  }),
  describe('Parking meters', found, {
    summary: 'Find payments: the day’s closing',
    words:
      'Finds one payment by its key, or those of a window of at most 31 days, with the window’s totals. A collector whose answer was lost finds the payment’s outcome here.',
    request: { municipality_code: CITY.code, ...DAY },
    answer: FOUND,
  }),
  describe('Administration', foundForTheOffice, {
    summary: 'Find payments, for the office',
    words: 'As for a collector. Unsettled payments wait for the office.',
    request: { municipality_code: CITY.code, ...DAY, state: 'unsettled' },
    answer: FOUND,
  }),
  describe('Administration', settled, {
    summary: 'Settle a payment that made no period',
    words:
      'Records that the office has refunded the money, or corrected the subscription by an import. It moves no money and changes no subscription.',
    request: {
      municipality_code: CITY.code,
      payment_id: 'PM-0417-000381',
      outcome: 'refunded',
      note: 'bank transfer of 9 March',
    },
    answer: {
      payment: {
        ...UNSETTLED,
        state: 'settled',
        settled: { outcome: 'refunded', note: 'bank transfer of 9 March', at: '2026-03-09T10:12:00+01:00' },
      },
    },
  }),
  describe('Administration', reversedByTheOffice, {
    summary: 'Reverse a payment, for the office',
    words: 'As for a collector: for a sale that failed, or money that was given back.',
    request: {
      municipality_code: CITY.code,
      payment_id: 'PM-0417-000381',
      reversed_at: '2026-03-07T17:46:00+01:00',
      reason: 'given back at the office',
    },
    answer: REVERSAL,
  }),
];
