import type { Language, Text } from '../../../src/base/text/text.ts';
import type { Payment, PaymentState, Totals } from '../payments/find-payments.ts';
import { euros, groupDigits } from '../terminal/numbers.ts';
import { fieldLines, tableLines } from '../terminal/table.ts';
import type { Paint } from '../terminal/terminal.ts';
import { shownTime } from '../time/shown-time.ts';
import { PAYMENT_STATES } from '../wire-names.ts';
import { statusText } from './status-words.ts';

const WORDS = {
  payment: { en: 'payment', it: 'pagamento' },
  state: { en: 'state', it: 'stato' },
  result: { en: 'result', it: 'esito' },
  plate: { en: 'plate', it: 'targa' },
  subscription: { en: 'subscription', it: 'abbonamento' },
  operation: { en: 'operation', it: 'operazione' },
  plan: { en: 'plan', it: 'tariffa' },
  amount: { en: 'amount', it: 'importo' },
  expected: { en: 'price of the plan', it: 'importo previsto' },
  terminal: { en: 'terminal', it: 'parcometro' },
  collected: { en: 'collected', it: 'incassato' },
  recorded: { en: 'recorded', it: 'registrato' },
  period: { en: 'period', it: 'periodo' },
  reversed: { en: 'reversed', it: 'stornato' },
  settled: { en: 'settled', it: 'definito' },
  note: { en: 'note', it: 'nota' },
  count: { en: 'payments', it: 'pagamenti' },
} as const satisfies Record<string, Text>;

/** All fields of a payment, one a line. */
export function paymentLines(payment: Payment, language: Language, paint: Paint): string[] {
  const word = (name: keyof typeof WORDS): string => WORDS[name][language];
  const { period, settled, expected_eurocent: expected, reversed_at: reversed } = payment;
  const fields: [string, string][] = [
    [word('payment'), payment.payment_id],
    [word('state'), stateText(payment.state, language, paint)],
    [word('result'), `${payment.message} (${payment.result_code})`],
    [word('plate'), payment.plate],
    [word('subscription'), payment.subscription_number ?? '–'],
    [word('operation'), statusText('purchase', payment.operation)[language]],
    [word('plan'), payment.codice_tariffa],
    [word('amount'), euros(payment.importo_eurocent, language)],
    [word('expected'), expected === null ? '–' : euros(expected, language)],
    [word('terminal'), payment.terminal_code ?? '–'],
    [word('collected'), shownTime(payment.collected_at)],
    [word('recorded'), shownTime(payment.recorded_at)],
    [word('period'), period === null ? '–' : `${shownTime(period.starts_at)} → ${shownTime(period.ends_at)}`],
  ];
  if (reversed !== null) fields.push([word('reversed'), shownTime(reversed)]);
  if (settled !== null) {
    const outcome = statusText('settlement', settled.outcome)[language];
    fields.push(
      [word('settled'), `${outcome}, ${shownTime(settled.at)}`],
      [word('note'), settled.note ?? '–'],
    );
  }
  return fieldLines(fields, paint.columns);
}

/** A table of payments, in the order in which they were collected. */
export function paymentTable(payments: readonly Payment[], language: Language, paint: Paint): string[] {
  const title = (name: keyof typeof WORDS) => ({ title: WORDS[name][language] });
  const titles = [
    title('collected'),
    title('payment'),
    title('plate'),
    title('terminal'),
    title('plan'),
    { ...title('amount'), align: 'right' as const },
    title('state'),
    title('result'),
  ];
  const rows = payments.map((payment) => [
    shownTime(payment.collected_at),
    payment.payment_id,
    payment.plate,
    payment.terminal_code ?? '–',
    payment.codice_tariffa,
    euros(payment.importo_eurocent, language),
    stateText(payment.state, language, paint),
    // A period was made: no more is to be said.
    payment.accepted ? '' : payment.result_code,
  ]);
  return tableLines(titles, rows, paint);
}

/** How many payments there are in each state, and how much they are. */
export function totalLines(totals: Totals, language: Language, paint: Paint): string[] {
  const titles = [
    { title: WORDS.state[language] },
    { title: WORDS.count[language], align: 'right' as const },
    { title: WORDS.amount[language], align: 'right' as const },
  ];
  const rows = PAYMENT_STATES.map((state) => [
    statusText('payment', state)[language],
    groupDigits(totals[state].count, language),
    euros(totals[state].eurocent, language),
  ]);
  return tableLines(titles, rows, paint);
}

const COLOURS = { accepted: 'green', unsettled: 'yellow', settled: 'dim', reversed: 'dim' } as const;

const stateText = (state: PaymentState, language: Language, paint: Paint): string =>
  paint(COLOURS[state], statusText('payment', state)[language]);
