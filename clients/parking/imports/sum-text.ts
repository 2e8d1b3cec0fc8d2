import type { Language, Text } from '../../../src/base/text/text.ts';
import { type Counted, durationOf, groupDigits } from '../terminal/numbers.ts';
import { fieldLines } from '../terminal/table.ts';
import type { Sum } from './sum.ts';

const WORDS = {
  received: { en: 'lines', it: 'righe' },
  good: { en: 'good', it: 'buone' },
  created: { en: 'created', it: 'create' },
  updated: { en: 'updated', it: 'aggiornate' },
  unchanged: { en: 'unchanged', it: 'invariate' },
  rejected: { en: 'rejected', it: 'rifiutate' },
  time: { en: 'time', it: 'tempo' },
} as const satisfies Record<string, Text>;

export const LINES: Counted = [
  { en: 'line', it: 'riga' },
  { en: 'lines', it: 'righe' },
];
export const REJECTED: Counted = [
  { en: 'rejected', it: 'rifiutata' },
  { en: 'rejected', it: 'rifiutate' },
];

/** The sum at the end, one count a line. */
export function sumLines(sum: Sum, seconds: number, dryRun: boolean, language: Language): string[] {
  const counted = (name: keyof typeof WORDS, count: number): [string, string] => [
    WORDS[name][language],
    groupDigits(count, language),
  ];
  const rate = seconds > 0 ? `  (${groupDigits(Math.round(sum.received / seconds), language)}/s)` : '';
  return fieldLines([
    counted('received', sum.received),
    ...(dryRun
      ? [counted('good', sum.received - sum.rejected)]
      : [
          counted('created', sum.created),
          counted('updated', sum.updated),
          counted('unchanged', sum.unchanged),
        ]),
    counted('rejected', sum.rejected),
    [WORDS.time[language], `${durationOf(seconds)}${rate}`],
  ]);
}
