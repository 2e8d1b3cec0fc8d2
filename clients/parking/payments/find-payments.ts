import { DAY_MS } from '../../../src/domain/instant.ts';
import type { Answer, Input } from '../../client/index.ts';
import { EXIT } from '../exit-codes.ts';
import type { Office } from '../office.ts';
import { Stop } from '../stop.ts';
import { PAYMENT_STATES } from '../wire-names.ts';

export type Payment = Answer<'findPaymentsForOffice'>['payments'][number];
export type Totals = Answer<'findPaymentsForOffice'>['totals'];
export type PaymentState = Payment['state'];

/** The longest window of a search. */
const MAX_WINDOW_MS = 31 * DAY_MS;

/** Payments by `collected_at`: from an instant on, and before another. */
export interface Window {
  readonly municipality_code: string;
  readonly from: string;
  readonly until: string;
  readonly terminal_code?: string;
  readonly state?: PaymentState;
}

export interface Found {
  readonly payments: readonly Payment[];
  readonly totals: Totals;
}

/** The payments of a window of any length, and its totals: all pages of each part that one search may ask for. */
export async function findPayments(office: Office, { from, until, ...more }: Window): Promise<Found> {
  const end = Date.parse(until);
  const payments: Payment[] = [];
  let totals = NO_TOTALS;
  for (let at = Date.parse(from); at < end; at += MAX_WINDOW_MS) {
    const part = {
      ...more,
      from: new Date(at).toISOString(),
      until: new Date(Math.min(at + MAX_WINDOW_MS, end)).toISOString(),
    };
    const found = await findAllPages(office, part);
    payments.push(...found.payments);
    totals = addTotals(totals, found.totals);
  }
  return { payments, totals };
}

async function findAllPages(office: Office, window: Input<'findPaymentsForOffice'>): Promise<Found> {
  const payments: Payment[] = [];
  let after: string | null = null;
  for (;;) {
    const page: Answer<'findPaymentsForOffice'> = await office.answer(
      office.client.findPaymentsForOffice({ ...window, ...(after !== null && { after }) }, office.call),
    );
    payments.push(...page.payments);
    after = page.next;
    if (after === null) return { payments, totals: page.totals };
  }
}

/** @throws Stop if there is none with this key */
export async function requirePayment(office: Office, code: string, id: string): Promise<Payment> {
  const { payments } = await office.answer(
    office.client.findPaymentsForOffice({ municipality_code: code, payment_id: id }, office.call),
  );
  const [payment] = payments;
  if (payment !== undefined) return payment;
  throw new Stop(
    EXIT.refused,
    { en: `There is no payment ${id}.`, it: `Non c’è un pagamento ${id}.` },
    { code: 'NOT_FOUND' },
  );
}

/** The totals of a list of payments. */
export const totalsOf = (payments: readonly Payment[]): Totals =>
  payments.reduce(
    (sum, { state, importo_eurocent: eurocent }) =>
      addTotals(sum, { ...NO_TOTALS, [state]: { count: 1, eurocent } }),
    NO_TOTALS,
  );

const NONE = { count: 0, eurocent: 0 };
const NO_TOTALS: Totals = { accepted: NONE, unsettled: NONE, settled: NONE, reversed: NONE };

function addTotals(one: Totals, other: Totals): Totals {
  const sum = (state: PaymentState) => ({
    count: one[state].count + other[state].count,
    eurocent: one[state].eurocent + other[state].eurocent,
  });
  return {
    accepted: sum('accepted'),
    unsettled: sum('unsettled'),
    settled: sum('settled'),
    reversed: sum('reversed'),
  };
}

export const areEqual = (one: Totals, other: Totals): boolean =>
  PAYMENT_STATES.every(
    (state) => one[state].count === other[state].count && one[state].eurocent === other[state].eurocent,
  );
