import { withSteeringShown } from '../../../src/base/text/text.ts';
import type { Report } from './calls.ts';
import { curve } from './curve.ts';
import type { Day } from './day.ts';
import { drawing, element } from './elements.ts';
import { numberIn, percentIn, put, type Words } from './words.ts';

type Row = Report['rows'][number];

/** The orders of the areas, the default first. */
export const ORDERS = ['fullest', 'byName'] as const;
export type Order = (typeof ORDERS)[number];

/**
 * A report as those see it who watch a city: the sums, the late sources, the day so far, and each area.
 *
 * @param width of the curve, in pixels
 */
export function pictureOf(report: Report, day: Day, order: Order, words: Words, width: number): Node[] {
  const { texts } = words;
  return [
    tiles(report, words),
    lateSources(report, words),
    element('h2', {}, texts.day),
    curve(report, day, words, width),
    element('p', { class: 'note' }, texts.dayNote),
    table(report, order, words),
  ];
}

function tiles({ totals, capacity_totals: spaces }: Report, { texts, locale }: Words): HTMLElement {
  const number = numberIn(locale);
  const tile = (term: string, value: string, note = '', style = ''): HTMLElement =>
    element(
      'div',
      {},
      element('dt', {}, term),
      element('dd', { class: style }, value),
      note === '' ? null : element('dd', { class: 'note' }, note),
    );
  const excess = spaces.excess_now ?? 0;
  const ending30 = totals.ending_within_30 ?? 0;
  return element(
    'dl',
    { class: 'tiles' },
    tile(
      texts.occupied,
      percentIn(locale)(spaces.occupancy_percent),
      put(texts.ofSpaces, { count: number(spaces.active_now), spaces: number(spaces.spaces_count) }),
    ),
    tile(texts.free, number(spaces.available_now)),
    tile(texts.excess, number(excess), '', excess > 0 ? 'over' : ''),
    tile(texts.in30, number(spaces.available_after_30)),
    tile(texts.in60, number(spaces.available_after_60)),
    tile(
      texts.ending,
      number(ending30 + (totals.ending_between_30_60 ?? 0)),
      put(texts.soon, { count: number(ending30) }),
    ),
  );
}

function lateSources({ sources, source_freshness, timezone }: Report, { texts, locale }: Words): HTMLElement {
  const time = new Intl.DateTimeFormat(locale, {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone: timezone,
  });
  const late = source_freshness.flatMap(({ source_id, status, last_successful_import_at: at }) => {
    const source = sources.find(({ id, active }) => id === source_id && active);
    if (source === undefined || status === 'fresh' || status === 'native') return [];
    const name = withSteeringShown(source.name);
    const text =
      at === null
        ? put(texts.sourceNever, { source: name })
        : put(texts.sourceLate, { source: name, time: time.format(Date.parse(at)) });
    return [element('li', {}, `▲ ${text}`)];
  });
  return late.length === 0
    ? element('p', { class: 'note' }, texts.sourcesGood)
    : element('ul', { class: 'late-sources', role: 'list' }, ...late);
}

/** How full an area is. One without a capacity comes last, and one without spaces is full. */
const fullness = ({ capacity, active_now }: Row): number => {
  if (capacity === null) return -1;
  return capacity === 0 ? 1 : (active_now ?? 0) / capacity;
};

/** A column of the table. */
interface Column {
  /** Columns of one group stand below one heading. */
  readonly group: string;
  readonly head: string;
  readonly value: (row: Row) => number | null;
  /** What a cell shows in place of the plain number. */
  readonly shown?: (row: Row) => (Node | string | null)[];
}

function columnsOf({ rows, selected_source }: Report, { texts, locale }: Words): Column[] {
  const number = numberIn(locale);
  const percent = percentIn(locale);
  const at = (
    group: string,
    active: 'active_now' | 'active_after_30' | 'active_after_60',
    free: 'available_now' | 'available_after_30' | 'available_after_60',
  ): Column[] => {
    const over = ({ capacity, [active]: count }: Row): number | null =>
      capacity === null || count === null ? null : Math.max(0, count - capacity);
    return [
      { group, head: texts.occupied, value: (row) => row[active] },
      { group, head: texts.free, value: (row) => row[free] },
      {
        group,
        head: texts.over,
        value: over,
        shown: (row) => [over(row) ? `▲ ${number(over(row))}` : number(over(row))],
      },
    ];
  };
  const share = selected_source && put(texts.share, { source: withSteeringShown(selected_source.name) });
  const columns: Column[] = [
    { group: '', head: '%', value: fullness, shown: (row) => [percent(row.occupancy_percent), barOf(row)] },
    ...at(texts.now, 'active_now', 'available_now'),
    ...at(texts.after30, 'active_after_30', 'available_after_30'),
    ...at(texts.after60, 'active_after_60', 'available_after_60'),
    { group: ' ', head: texts.ending30, value: (row) => row.ending_within_30 },
    { group: ' ', head: texts.ending60, value: (row) => row.ending_between_30_60 },
    ...(share === null ? [] : [{ group: ' ', head: share, value: (row: Row) => row.source_active_now }]),
  ];
  // A column without a number but zero says nothing.
  return columns.filter(({ value }) => rows.some((row) => (value(row) ?? 0) !== 0));
}

function table(report: Report, order: Order, words: Words): HTMLElement {
  const { texts, locale } = words;
  const { rows } = report;
  if (rows.length === 0) return element('p', {}, texts.noAreas);
  const collator = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });
  const sorted = rows.toSorted(
    (a, b) =>
      (order === 'fullest' ? fullness(b) - fullness(a) : 0) || collator.compare(a.area.name, b.area.name),
  );
  const columns = columnsOf(report, words);
  const groups = [...Map.groupBy(columns, ({ group }) => group)];
  const head = (text: string, first: boolean): HTMLElement =>
    element('th', { scope: 'col', role: 'columnheader', class: first ? 'group' : '' }, text);
  // On a phone the rows are cards: the roles keep them a table.
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': texts.areas },
    element(
      'table',
      { role: 'table' },
      element(
        'thead',
        { role: 'rowgroup' },
        element(
          'tr',
          { role: 'row' },
          element('td', { role: 'cell' }),
          ...groups.map(([group, { length }]) =>
            group.trim() === ''
              ? element('td', { colspan: String(length), role: 'cell' })
              : element('th', { scope: 'colgroup', colspan: String(length), role: 'columnheader' }, group),
          ),
        ),
        element(
          'tr',
          { role: 'row' },
          head(texts.area, false),
          ...groups.flatMap(([, all]) => all.map((column, index) => head(column.head, index === 0))),
        ),
      ),
      element('tbody', { role: 'rowgroup' }, ...sorted.map((row) => areaRow(row, columns, locale))),
    ),
  );
}

function areaRow(row: Row, columns: readonly Column[], locale: string): HTMLElement {
  const number = numberIn(locale);
  const cells = columns.map((column, index) => {
    const { group, head, value, shown } = column;
    const style = group !== columns[index - 1]?.group ? 'group' : '';
    const isOver = typeof shown?.(row)[0] === 'string' && String(shown(row)[0]).startsWith('▲');
    return element(
      'td',
      {
        role: 'cell',
        class: isOver ? 'over' : style,
        'data-label': [head, group.trim()].filter(Boolean).join(' · '),
      },
      ...(shown?.(row) ?? [number(value(row))]),
    );
  });
  const name = element('bdi', {}, withSteeringShown(row.area.name));
  return element(
    'tr',
    { role: 'row', class: toneOf(row) },
    element('th', { scope: 'row', role: 'rowheader' }, name),
    ...cells,
  );
}

/** The share of an area that is left when it is almost full. */
const ALMOST_FULL = 0.05;

function toneOf({ capacity, available_now }: Row): string {
  if (capacity === null || available_now === null) return 'unknown';
  if (available_now === 0) return 'full';
  return available_now <= Math.max(1, capacity * ALMOST_FULL) ? 'almost_full' : 'available';
}

function barOf({ capacity, active_now }: Row): SVGElement | null {
  if (capacity === null || active_now === null) return null;
  const percent = capacity === 0 ? 100 : Math.min(100, (active_now / capacity) * 100);
  return drawing(
    'svg',
    { class: 'bars', 'aria-hidden': 'true' },
    drawing('rect', { width: '100%', height: 8 }),
    drawing('rect', { class: 'now', width: `${percent.toFixed(1)}%`, height: 8 }),
  );
}
