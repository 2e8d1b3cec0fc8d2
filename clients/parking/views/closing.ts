import type { Language, Text } from '../../../src/base/text/text.ts';
import { rejectedRow } from '../../tables/index.ts';
import type { Totals } from '../payments/find-payments.ts';
import { euros, groupDigits } from '../terminal/numbers.ts';
import { tableLines } from '../terminal/table.ts';
import type { Paint } from '../terminal/terminal.ts';
import { PAYMENT_STATES } from '../wire-names.ts';
import { statusText } from './status-words.ts';

/** The payments of a day at one terminal. */
export interface TerminalClosing {
  /** Null: the payments named none. */
  readonly terminal_code: string | null;
  readonly totals: Totals;
}

export interface Closing {
  readonly municipality_code: string;
  /** A local date, `YYYY-MM-DD`. */
  readonly day: string;
  readonly from: string;
  readonly until: string;
  /** By code. */
  readonly terminals: readonly TerminalClosing[];
  readonly totals: Totals;
}

const WORDS = {
  terminal: { en: 'terminal', it: 'parcometro' },
  together: { en: 'together', it: 'totale' },
  nothing: { en: 'no payments', it: 'nessun pagamento' },
  csv: { en: 'euros', it: 'euro' },
} as const satisfies Record<string, Text>;

/** The closing as a table: a terminal a line, for each state how many payments and how much. */
export function closingLines(closing: Closing, language: Language, paint: Paint): string[] {
  const { municipality_code: code, terminals, totals } = closing;
  const day = closing.day.split('-').reverse().join('/');
  const head = paint('dim', `${code}, ${day}`);
  if (terminals.length === 0) return [head, WORDS.nothing[language]];
  const titles = [
    { title: WORDS.terminal[language] },
    ...PAYMENT_STATES.flatMap((state) => [
      { title: statusText('payment', state)[language], align: 'right' as const },
      { title: '€', align: 'right' as const },
    ]),
  ];
  const cellsOf = (sums: Totals): string[] =>
    PAYMENT_STATES.flatMap((state) => {
      const { count, eurocent } = sums[state];
      return count === 0 ? ['–', ''] : [groupDigits(count, language), euros(eurocent, language)];
    });
  const rows = terminals.map((one) => [one.terminal_code ?? '–', ...cellsOf(one.totals)]);
  return [head, ...tableLines(titles, [...rows, [WORDS.together[language], ...cellsOf(totals)]], paint)];
}

const DELIMITERS = { en: ',', it: ';' } as const;

/** The same for a spreadsheet in the user's language: a terminal a row, without a sum. */
export function closingCsv({ terminals }: Closing, language: Language): string[] {
  const delimiter = DELIMITERS[language];
  const titles = [
    WORDS.terminal[language],
    ...PAYMENT_STATES.flatMap((state) => {
      const word = statusText('payment', state)[language];
      return [word, `${word} ${WORDS.csv[language]}`];
    }),
  ];
  const rows = terminals.map(({ terminal_code, totals }) => [
    terminal_code ?? '',
    ...PAYMENT_STATES.flatMap((state) => [
      String(totals[state].count),
      amountIn(totals[state].eurocent, language),
    ]),
  ]);
  return [titles, ...rows].map((cells) => rejectedRow(cells, delimiter));
}

const amountIn = (cents: number, language: Language): string => {
  const amount = (cents / 100).toFixed(2);
  return language === 'it' ? amount.replace('.', ',') : amount;
};
