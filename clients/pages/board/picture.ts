import { withSteeringShown } from '../../../src/base/text/text.ts';
import type { BoardTexts } from '../../../src/public/pages/board-texts.ts';
import type { Report } from './calls.ts';
import { type Day, minuteOfDay, type Point } from './day.ts';
import { drawing, element } from './elements.ts';

type Row = Report['rows'][number];

/** The orders of the areas, the default first. */
export const ORDERS = ['fullest', 'byName'] as const;
export type Order = (typeof ORDERS)[number];

/** In what words, and whose numbers and times, a picture is drawn. */
export interface Words {
  readonly texts: BoardTexts;
  readonly locale: string;
}

/** Puts values into a text, in place of their names between braces. */
export const put = (text: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values).reduce((filled, [name, value]) => filled.replaceAll(`{${name}}`, () => value), text);

/** A report as those see it who watch a city: the sums, the late sources, the day so far, and each area. */
export function pictureOf(report: Report, day: Day, order: Order, words: Words): Node[] {
  return [
    tiles(report, words),
    lateSources(report, words),
    dayLine(report, day, words),
    table(report, order, words),
  ];
}

function tiles({ totals, capacity_totals }: Report, { texts, locale }: Words): HTMLElement {
  const number = numberIn(locale);
  const tile = (term: string, value: number | null | undefined, style = ''): HTMLElement =>
    element('div', {}, element('dt', {}, term), element('dd', { class: style }, number(value)));
  const excess = capacity_totals.excess_now ?? 0;
  return element(
    'dl',
    { class: 'tiles' },
    tile(texts.occupied, totals.active_now),
    tile(texts.free, capacity_totals.available_now),
    tile(texts.in30, capacity_totals.available_after_30),
    tile(texts.in60, capacity_totals.available_after_60),
    tile(texts.excess, excess, excess > 0 ? 'over' : ''),
    tile(texts.ending30, totals.ending_within_30),
    tile(texts.ending60, totals.ending_between_30_60),
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
    ? element('p', {}, texts.sourcesGood)
    : element('ul', { class: 'late-sources', role: 'list' }, ...late);
}

const WIDTH = 960;
const HEIGHT = 130;
const MINUTE_MS = 60_000;
/** In minutes: the spans between two times that are written under the line, of which it has room for eight. */
const STEPS = [15, 30, 60, 120, 240];
const MOST_TIMES = 8;

function dayLine(report: Report, day: Day, { texts, locale }: Words): HTMLElement {
  const { timezone, totals } = report;
  const number = numberIn(locale);
  const later = laterOf(report);
  const most = Math.max(day.most, ...later.map(({ count }) => count));
  // From what was heard first to what is known last: the line takes the whole width from its first minute.
  const from = Math.min(day.began, ...later.map(({ at }) => at));
  const span = Math.max(MINUTE_MS, ...later.map(({ at }) => at - from));
  const x = (at: number): string => (((at - from) / span) * WIDTH).toFixed(1);
  const y = (count: number): string => (HEIGHT - 24 - (count / most) * (HEIGHT - 48)).toFixed(1);
  const line = (points: readonly Point[], style: string): SVGElement =>
    drawing('polyline', {
      class: style,
      // A single point is drawn as well: as the shortest of lines.
      points: (points.length === 1 ? [...points, ...points] : points)
        .map(({ at, count }) => `${x(at)},${y(count)}`)
        .join(' '),
      'stroke-linecap': 'round',
    });
  const times = timesWithin(from, span, timezone).flatMap((at) => [
    drawing('line', { x1: x(at), x2: x(at), y1: 0, y2: HEIGHT }),
    drawing('text', { x: Number(x(at)) + 4, y: HEIGHT - 4 }, timeOf(at, timezone, locale)),
  ]);
  const known = [
    `${texts.now} ${number(totals.active_now)}`,
    `${texts.after30} ${number(totals.active_after_30)}`,
    `${texts.after60} ${number(totals.active_after_60)}`,
  ];
  const label = `${texts.day}: ${known.join(', ')}`;
  return element(
    'section',
    {},
    element('h2', {}, texts.day),
    drawing(
      'svg',
      { class: 'day', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label },
      ...times,
      drawing('text', { x: WIDTH - 4, y: 18, 'text-anchor': 'end' }, number(most)),
      line(later, 'later'),
      ...day.parts.map((points) => line(points, 'past')),
    ),
    element('p', { class: 'note' }, texts.dayNote),
  );
}

/** The round times of the local clock that are written under the line. */
function timesWithin(from: number, span: number, timezone: string): number[] {
  const step = STEPS.find((minutes) => span / (minutes * MINUTE_MS) <= MOST_TIMES) ?? 240;
  const past = minuteOfDay(from, timezone) % step;
  const first = from - (from % MINUTE_MS) + (past === 0 ? 0 : step - past) * MINUTE_MS;
  const count = Math.max(0, Math.ceil((from + span - first) / (step * MINUTE_MS)));
  return Array.from({ length: count }, (_, index) => first + index * step * MINUTE_MS);
}

const timeOf = (at: number, timeZone: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone }).format(at);

const HALF_HOUR_MS = 30 * MINUTE_MS;

/** The line from now to an hour from now. What lies past midnight belongs to another day, and is left out. */
function laterOf({ checked_at, timezone, totals }: Report): Point[] {
  const counts = [totals.active_now, totals.active_after_30, totals.active_after_60];
  const now = Date.parse(checked_at);
  const began = minuteOfDay(now, timezone);
  return counts
    .map((count, index) => ({ at: now + index * HALF_HOUR_MS, count: count ?? 0 }))
    .filter(({ at }) => minuteOfDay(at, timezone) >= began);
}

/** How full an area is. One without a capacity comes last, and one without spaces is full. */
const fullness = ({ capacity, active_now }: Row): number => {
  if (capacity === null) return -1;
  return capacity === 0 ? 1 : (active_now ?? 0) / capacity;
};

function table({ rows, selected_source }: Report, order: Order, { texts, locale }: Words): HTMLElement {
  if (rows.length === 0) return element('p', {}, texts.noAreas);
  const collator = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });
  const sorted = rows.toSorted(
    (a, b) =>
      (order === 'fullest' ? fullness(b) - fullness(a) : 0) || collator.compare(a.area.name, b.area.name),
  );
  const share =
    selected_source === null ? null : put(texts.share, { source: withSteeringShown(selected_source.name) });
  const head = (text: string): HTMLElement => element('th', { scope: 'col' }, text);
  const times = [texts.now, texts.after30, texts.after60];
  const ofTime = [texts.occupied, texts.free, texts.over];
  const ends = [texts.ending30, texts.ending60, ...(share === null ? [] : [share])];
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': texts.areas },
    element(
      'table',
      {},
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          element('td'),
          ...times.map((time) => element('th', { scope: 'colgroup', colspan: String(ofTime.length) }, time)),
          element('td', { colspan: String(ends.length) }),
        ),
        element('tr', {}, ...[texts.area, ...times.flatMap(() => ofTime), ...ends].map(head)),
      ),
      element('tbody', {}, ...sorted.map((row) => areaRow(row, share !== null, locale))),
    ),
  );
}

function areaRow(row: Row, withShare: boolean, locale: string): HTMLElement {
  const number = numberIn(locale);
  const cell = (value: number | null): HTMLElement => element('td', {}, number(value));
  /** What is occupied, free and over the capacity at a time. */
  const at = (active: number | null, free: number | null, bar: SVGElement | null = null): HTMLElement[] => [
    element('td', { class: 'group' }, number(active), bar),
    cell(free),
    excessCell(row.capacity, active, number),
  ];
  return element(
    'tr',
    { class: toneOf(row) },
    element('th', { scope: 'row' }, element('bdi', {}, withSteeringShown(row.area.name))),
    ...at(row.active_now, row.available_now, barOf(row)),
    ...at(row.active_after_30, row.available_after_30),
    ...at(row.active_after_60, row.available_after_60),
    element('td', { class: 'group' }, number(row.ending_within_30)),
    cell(row.ending_between_30_60),
    withShare ? cell(row.source_active_now) : null,
  );
}

/** A sign as well as a colour where there is any. */
function excessCell(
  capacity: number | null,
  active: number | null,
  number: (value: number | null) => string,
): HTMLElement {
  const excess = capacity === null || active === null ? null : Math.max(0, active - capacity);
  return excess === null || excess === 0
    ? element('td', {}, number(excess))
    : element('td', { class: 'over' }, `▲ ${number(excess)}`);
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
    { class: 'bar', 'aria-hidden': 'true' },
    drawing('rect', { width: `${percent.toFixed(1)}%`, height: '100%' }),
  );
}

function numberIn(locale: string): (value: number | null | undefined) => string {
  const { format } = new Intl.NumberFormat(locale);
  return (value) => (value === null || value === undefined ? '–' : format(value));
}
