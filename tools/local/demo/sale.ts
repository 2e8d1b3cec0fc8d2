import * as z from 'zod';
import { DAY_MS, type Instant, MINUTE_MS } from '../../../src/domain/instant.ts';
import type { ServiceClient } from '../service-client.ts';
import type { Command } from './commands.ts';
import { timeText } from './lines.ts';
import { SHOWCASE_CITY } from './showcase.ts';

/** Has a subscription that the office granted, and that is unpaid until the sale is pasted. */
const SALE_PLATE = 'DE401MO';
const TERMINAL = 'METER-17';
const PLATE_CHECK = '/api/v2/parking-entitlements/search';
const PAYMENTS = '/api/v2/parking-meters/subscription-payments';
/** The longest window of a search. An older sale has expired. */
const WINDOW_MS = 31 * DAY_MS - MINUTE_MS;

const checkOf = (title: string, isValid: boolean): Command => ({
  ...{
    title,
    holder: 'office',
    path: PLATE_CHECK,
    body: { municipality_code: SHOWCASE_CITY, plate: SALE_PLATE },
  },
  outcome: { has_valid_entitlement: isValid, 'subscriptions.0.is_valid_at_check_time': isValid },
});

/**
 * A sale, with the plate check before and after it.
 *
 * @param soldAt when the money was collected. The payment is recorded once, even if it is pasted twice
 */
export const saleOf = (soldAt: string) =>
  [
    checkOf('Before the sale: the office has granted a subscription, but it is not paid yet', false),
    {
      isPrinted: true,
      title: 'A sale. The parking meter asks what the plate can buy',
      holder: 'meter',
      path: '/api/v2/parking-meters/subscription-options',
      body: { plate: SALE_PLATE, terminal_code: TERMINAL },
      outcome: { result_code: 'OPTIONS_AVAILABLE', 'tariffe.0.importo_eurocent': 2_500 },
    },
    {
      isPrinted: true,
      title:
        'The driver has paid: a plate check says no before this (command 6), and yes after it (command 9)',
      holder: 'meter',
      path: PAYMENTS,
      body: {
        ...{ payment_id: `${TERMINAL}-${Date.parse(soldAt)}`, plate: SALE_PLATE, terminal_code: TERMINAL },
        ...{ codice_tariffa: '101', importo_eurocent: 2_500, collected_at: soldAt },
      },
      outcome: { result_code: 'PERIOD_CREATED', accepted: true },
    },
    checkOf('After the sale', true),
  ] as const satisfies readonly Command[];

const found = z.object({ payments: z.array(z.object({ payment_id: z.string(), plate: z.string() })) });

/** Reverses the sales of earlier starts, the last one first, so that the plate can buy again. */
export async function takeBackSales(meter: ServiceClient, now: Instant): Promise<void> {
  const { payments } = found.parse(
    await meter.succeed('POST', `${PAYMENTS}/search`, {
      ...{ from: timeText(now - WINDOW_MS), until: timeText(now + MINUTE_MS) },
      ...{ terminal_code: TERMINAL, state: 'accepted' },
    }),
  );
  for (const { payment_id } of payments.filter(({ plate }) => plate === SALE_PLATE).reverse()) {
    await meter.succeed('POST', `${PAYMENTS}/reverse`, { payment_id, reversed_at: timeText(now) });
  }
}
