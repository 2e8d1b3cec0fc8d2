import type { Language, Text } from '../../../src/base/text/text.ts';
import type { Payment, Totals } from '../payments/find-payments.ts';
import { widthOf } from '../terminal/fold.ts';
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
    [word('state'), paint(COLOURS[payment.state], statusText('payment', payment.state)[language])],
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

/**
 * A table of payments, in the order in which they were collected. On a screen that is too narrow for their ids, each id has
 * a line of its own, whole, so that it can be copied.
 */
export function paymentTable(payments: readonly Payment[], language: Language, paint: Paint): string[] {
  const title = (name: keyof typeof WORDS) => ({ title: WORDS[name][language] });
  const id = title('payment');
  const collected = title('collected');
  const titles = [
    title('plate'),
    title('terminal'),
    title('plan'),
    { ...title('amount'), align: 'right' as const },
    title('state'),
  ];
  const cellsOf = (payment: Payment) => [
    payment.plate,
    payment.terminal_code ?? '–',
    payment.codice_tariffa,
    euros(payment.importo_eurocent, language),
    stateText(payment, language, paint),
  ];
  const wide = tableLines(
    [collected, id, ...titles],
    payments.map((payment) => [shownTime(payment.collected_at), payment.payment_id, ...cellsOf(payment)]),
    paint,
  );
  const { columns } = paint;
  if (columns === undefined || wide.every((line) => widthOf(line) <= columns)) return wide;
  return tableLines(
    [collected, ...titles],
    payments.map((payment) => [shownTime(payment.collected_at), ...cellsOf(payment)]),
    paint,
    [paint('dim', id.title), ...payments.map((payment) => payment.payment_id)],
  );
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

/** The state, with the reason why a payment made no period. */
function stateText(
  { state, accepted, result_code: code }: Payment,
  language: Language,
  paint: Paint,
): string {
  const words = statusText('payment', state)[language];
  return paint(COLOURS[state], accepted ? words : `${words}: ${code}`);
}
