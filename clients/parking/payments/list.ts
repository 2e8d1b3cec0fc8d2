import { DAY_MS } from '../../../src/domain/instant.ts';
import type { Office } from '../office.ts';
import { wrongUsage } from '../stop.ts';
import { askedInstant, END } from '../time/asked-time.ts';
import { paymentLines, paymentTable, totalLines } from '../views/payment.ts';
import { findPayments, type PaymentState, requirePayment } from './find-payments.ts';
import { requireMunicipality } from './municipality.ts';

export interface ListOptions {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly terminal?: string | undefined;
  readonly state?: PaymentState | undefined;
  readonly municipality?: string | undefined;
}

const DEFAULT_DAYS = 31;

/** Prints the payments of a window with its totals. */
export async function listPayments(office: Office, options: ListOptions): Promise<void> {
  const code = requireMunicipality(office, options.municipality);
  const { terminal: meter, state } = options;
  const until =
    options.until === undefined
      ? new Date().toISOString()
      : await askedInstant(office, options.until, code, END);
  const from =
    options.from === undefined
      ? new Date(Date.parse(until) - DEFAULT_DAYS * DAY_MS).toISOString()
      : await askedInstant(office, options.from, code);
  if (Date.parse(from) >= Date.parse(until)) throw notLater();
  const { payments, totals } = await findPayments(office, {
    ...{ municipality_code: code, from, until },
    ...(meter !== undefined && { terminal_code: meter }),
    ...(state !== undefined && { state }),
  });
  const { terminal, json, language } = office;
  if (json) {
    terminal.json({ payments, totals });
    return;
  }
  if (payments.length > 0) {
    for (const line of paymentTable(payments, language, terminal.paint)) terminal.data(line);
    terminal.data('');
  }
  for (const line of totalLines(totals, language, terminal.paint)) terminal.data(line);
}

/** Prints one payment. */
export async function showPayment(
  office: Office,
  id: string,
  municipality: string | undefined,
): Promise<void> {
  const payment = await requirePayment(office, requireMunicipality(office, municipality), id);
  const { terminal, json, language } = office;
  if (json) terminal.json(payment);
  else for (const line of paymentLines(payment, language, terminal.paint)) terminal.data(line);
}

const notLater = () =>
  wrongUsage({
    en: '--until has to be later than --from.',
    it: '--until deve essere successivo a --from.',
  });
