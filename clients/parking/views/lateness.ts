import type { Language, Text } from '../../../src/base/text/text.ts';
import type { Answer } from '../../client/index.ts';
import { durationOf, groupDigits } from '../terminal/numbers.ts';
import { tableLines } from '../terminal/table.ts';
import type { Paint } from './check.ts';

type Source = Answer<'getSourceLateness'>['sources'][number];
type Day = Source['days'][number];

const WORDS = {
  source: { en: 'source', it: 'sorgente' },
  usually: { en: 'usually within', it: 'di solito entro' },
  day: { en: 'day (UTC)', it: 'giorno (UTC)' },
  counted: { en: 'counted', it: 'contati' },
  nothing: { en: 'nothing counted yet', it: 'ancora nulla di contato' },
} as const satisfies Record<string, Text>;

/** The delays that have a column, in seconds. */
const SHOWN = [15, 60, 300, 900, 3_600, 86_400];
const HOUR = 3_600;
/** In columns; on a narrower screen their codes have to do. */
const ROOM_FOR_NAMES = 110;

/** How late sources were on each day of a week, for people: the share that came within each delay. */
export function latenessLines(sources: readonly Source[], language: Language, paint: Paint): string[] {
  const word = (name: keyof typeof WORDS): string => WORDS[name][language];
  const titles = [
    { title: word('source') },
    { title: word('usually'), align: 'right' as const },
    { title: word('day') },
    { title: word('counted'), align: 'right' as const },
    ...SHOWN.map((seconds) => ({ title: titleOf(seconds), align: 'right' as const })),
  ];
  const hasRoom = (paint.columns ?? Number.POSITIVE_INFINITY) >= ROOM_FOR_NAMES;
  const rows = sources.flatMap(({ code, name, usual_delay_seconds: usual, days }) => {
    const head = [hasRoom ? `${name} (${code})` : code, durationOf(usual)];
    return days.length === 0
      ? [[...head, paint('dim', word('nothing'))]]
      : days.map((day, index) => [...(index === 0 ? head : ['', '']), ...cellsOf(day, language)]);
  });
  return tableLines(titles, rows, paint);
}

const titleOf = (seconds: number): string => (seconds < HOUR ? durationOf(seconds) : `${seconds / HOUR} h`);

const cellsOf = ({ date, counted, within_seconds: within }: Day, language: Language): string[] => [
  date,
  groupDigits(counted, language),
  ...SHOWN.map((seconds) => `${Math.floor((100 * (within[String(seconds)] ?? 0)) / counted)} %`),
];
