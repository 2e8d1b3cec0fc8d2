import type { Language, Text } from '../../../src/base/text/text.ts';
import type { Answer } from '../../client/index.ts';
import { barOf } from '../terminal/bar.ts';
import { harmless } from '../terminal/door.ts';
import { widthOf } from '../terminal/fold.ts';
import { type Counted, counted, durationOf } from '../terminal/numbers.ts';
import { shorten, tableLines } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import { shownTime } from '../time/shown-time.ts';
import { widthsFor } from './report-widths.ts';
import { SOURCE_WORDS } from './status-words.ts';

export type Report = Answer<'reportActiveByArea'>;
type Row = Report['rows'][number];

/** The width, and the styles. */
export interface Look {
  readonly language: Language;
  readonly paint: (style: Style, text: string) => string;
  readonly columns: number;
  /** Rows of areas at most. */
  readonly maxAreas: number;
  /** Characters of a line of words at most: one that is broken would push the title out of a window that is redrawn. */
  readonly longestLine: number;
}

const WORDS = {
  street: { en: 'streets', it: 'strade' },
  facility: { en: 'car parks', it: 'parcheggi' },
  area: { en: 'area', it: 'area' },
  name: { en: 'name', it: 'nome' },
  occupied: { en: 'occupied', it: 'occupati' },
  free: { en: 'free now', it: 'liberi ora' },
  half: { en: '+30 min', it: '+30 min' },
  hour: { en: '+60 min', it: '+60 min' },
  total: { en: 'all', it: 'totale' },
  none: { en: 'no areas', it: 'nessuna area' },
  degraded: { en: 'degraded', it: 'degradato' },
  good: { en: 'all sources report', it: 'tutte le sorgenti trasmettono' },
} as const satisfies Record<string, Text>;

const MORE: Counted = [
  {
    en: 'more area: make the window taller to see it',
    it: 'altra area: ingrandire la finestra per vederla',
  },
  {
    en: 'more areas: make the window taller to see them',
    it: 'altre aree: ingrandire la finestra per vederle',
  },
];

/** The report as a table: bars, forecasts, and the freshness of the sources. */
export function reportLines(report: Report, look: Look): string[] {
  const word = (name: keyof typeof WORDS): string => WORDS[name][look.language];
  const { municipality, filters, rows } = report;
  const title = `${municipality.name} (${municipality.code}), ${word(filters.area_type)}`;
  const shown = rows.slice(0, look.maxAreas);
  const hidden = rows.length - shown.length;
  return [
    `${look.paint('bold', title)}  ${shownTime(report.checked_at)}`,
    ...(rows.length === 0 ? [word('none')] : areaLines(report, shown, look)),
    ...(hidden > 0 ? [look.paint('dim', `… ${counted(hidden, MORE, look.language)}`)] : []),
    ...sourceLines(report, look),
  ].map((line) => line.trimEnd());
}

function areaLines(report: Report, rows: readonly Row[], { language, paint, columns }: Look): string[] {
  const word = (name: keyof typeof WORDS): string => WORDS[name][language];
  const { capacity_totals: total } = report;
  const codes = [...rows.map((row) => harmless(row.area.code)), word('total')];
  const names = [...rows.map((row) => harmless(row.area.name)), ''];
  const counted = [
    ...rows.map(({ active_now, capacity, occupancy_percent, ...row }) => ({
      occupied: occupancyOf(active_now, capacity, occupancy_percent),
      percent: occupancy_percent,
      free: [row.available_now, row.available_after_30, row.available_after_60].map(number),
    })),
    {
      occupied: occupancyOf(total.active_now, total.spaces_count, total.occupancy_percent),
      percent: total.occupancy_percent,
      free: [total.available_now, total.available_after_30, total.available_after_60].map(number),
    },
  ];
  const numbers = [word('occupied'), word('free'), word('half'), word('hour')].map((title, index) =>
    widest([title, ...counted.map(({ occupied, free }) => [occupied, ...free][index] ?? '')]),
  );
  const widths = widthsFor(
    { code: widest([word('area'), ...codes]), name: widest([word('name'), ...names]) },
    numbers.reduce((sum, width) => sum + width, 0),
    columns,
  );
  const cells = counted.map(({ occupied, percent, free }, index) => [
    shorten(codes[index] ?? '', widths.code),
    shorten(names[index] ?? '', widths.name),
    typeof percent === 'number' ? paint(styleOf(percent), barOf(percent / 100, widths.bar)) : '',
    occupied,
    ...free,
  ]);
  const right = 'right' as const;
  const titles = [
    { title: word('area') },
    { title: word('name') },
    { title: '' },
    { title: word('occupied'), align: right },
    { title: word('free'), align: right },
    { title: word('half'), align: right },
    { title: word('hour'), align: right },
  ];
  return tableLines(titles, cells, paint);
}

const widest = (texts: readonly string[]): number => Math.max(...texts.map(widthOf));

type Count = number | null | undefined;

const occupancyOf = (active: Count, capacity: Count, percent: Count): string =>
  `${number(active)}/${number(capacity)}` +
  (typeof percent === 'number' ? ` ${String(Math.round(percent)).padStart(3)} %` : '');

/** The number is next to the bar: the colour only repeats it. */
const styleOf = (percent: number): Style => (percent >= 95 ? 'red' : percent >= 80 ? 'yellow' : 'green');

const number = (value: Count): string => (typeof value === 'number' ? String(value) : '–');

/** Which sources the numbers lack. */
function sourceLines(
  { sources, source_freshness }: Report,
  { language, paint, longestLine }: Look,
): string[] {
  const names = new Map(sources.map(({ id, name, active }) => [id, { name, active }]));
  const silent = source_freshness.flatMap(({ source_id, status, last_successful_import_at: last }) => {
    const source = names.get(source_id);
    if (source === undefined || !source.active || status === 'native' || status === 'fresh') return [];
    return [`${source.name}: ${SOURCE_WORDS[status][language]}${last === null ? '' : ` (${last})`}`];
  });
  if (silent.length === 0) return [paint('dim', WORDS.good[language])];
  return [paint('yellow', shorten(`${WORDS.degraded[language]}: ${silent.join('; ')}`, longestLine))];
}

/** The age of the report, the time of the next one, and whether the last try failed. */
export function freshnessLine(
  ageSeconds: number,
  inSeconds: number,
  failure: string | null,
  { language, paint, longestLine }: Look,
): string {
  const [age, next] = [durationOf(ageSeconds), durationOf(inSeconds)];
  const text: Text = {
    en: `${age} old, again in ${next} (Ctrl-C ends)`,
    it: `di ${age} fa, di nuovo tra ${next} (Ctrl-C termina)`,
  };
  return failure === null
    ? paint('dim', text[language])
    : paint('red', shorten(`${failure}; ${text[language]}`, longestLine));
}
