import { withSteeringShown } from '../../../src/base/text/text.ts';
import { type Column, DataTable } from '../components/table.tsx';
import type { Report } from './calls.ts';
import { Curve } from './curve.tsx';
import type { Day } from './day.ts';
import { numberIn, percentIn, put, type Words } from './words.ts';

type Row = Report['rows'][number];

/** The orders of the areas, the default first. */
export const ORDERS = ['fullest', 'byName'] as const;
export type Order = (typeof ORDERS)[number];

interface PictureProps {
  readonly report: Report;
  readonly day: Day;
  readonly order: Order;
  readonly words: Words;
  /** Of the curve, in pixels. */
  readonly width: number;
}

/** A report as those see it who watch a city: the sums, the late sources, the day so far, and each area. */
export function Picture({ report, day, order, words, width }: PictureProps) {
  const { texts } = words;
  return (
    <>
      <Tiles report={report} words={words} />
      <LateSources report={report} words={words} />
      <h2>{texts.day}</h2>
      <Curve {...{ report, day, words, width }} />
      <p class="note">{texts.dayNote}</p>
      <Areas {...{ report, order, words }} />
    </>
  );
}

type Drawn = Pick<PictureProps, 'report' | 'words'>;

function Tiles({ report: { totals, capacity_totals: spaces }, words: { texts, locale } }: Drawn) {
  const number = numberIn(locale);
  const excess = spaces.excess_now ?? 0;
  const ending30 = totals.ending_within_30 ?? 0;
  const ending60 = totals.ending_between_30_60 ?? 0;
  const of = { count: number(spaces.active_now), spaces: number(spaces.spaces_count) };
  const tiles: readonly (readonly [
    term: string,
    value: string,
    note?: string | undefined,
    style?: string,
  ])[] = [
    [texts.occupied, percentIn(locale)(spaces.occupancy_percent), put(texts.ofSpaces, of)],
    [texts.free, number(spaces.available_now)],
    [texts.excess, number(excess), undefined, excess > 0 ? 'over' : ''],
    [texts.in30, number(spaces.available_after_30)],
    [texts.in60, number(spaces.available_after_60)],
    [texts.ending, number(ending30 + ending60), put(texts.soon, { count: number(ending30) })],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([term, value, note, style]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd class={style}>{value}</dd>
          {note !== undefined && <dd class="note">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}

function LateSources({ report, words: { texts, locale } }: Drawn) {
  const { sources, source_freshness: freshness, timezone: timeZone } = report;
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'short', timeZone });
  const late = freshness.flatMap(({ source_id, status, last_successful_import_at: at }) => {
    const found = sources.find(({ id, active }) => id === source_id && active);
    if (found === undefined || status === 'fresh' || status === 'native') return [];
    const source = withSteeringShown(found.name);
    if (at === null) return [put(texts.sourceNever, { source })];
    return [put(texts.sourceLate, { source, time: time.format(Date.parse(at)) })];
  });
  if (late.length === 0) return <p class="note">{texts.sourcesGood}</p>;
  return (
    // biome-ignore lint/a11y/noRedundantRoles: without its marks Safari takes it for no list
    <ul class="late-sources" role="list">
      {late.map((text) => (
        <li key={text}>▲ {text}</li>
      ))}
    </ul>
  );
}

/** How full an area is. One without a capacity comes last, and one without spaces is full. */
const fullness = ({ capacity, active_now }: Row): number => {
  if (capacity === null) return -1;
  return capacity === 0 ? 1 : (active_now ?? 0) / capacity;
};

/** A column, and the number by which it is left out where all are zero. */
type Counted = readonly [value: (row: Row) => number | null, column: Column<Row>];

function columnsOf({ rows, selected_source }: Report, { texts, locale }: Words): Column<Row>[] {
  const [number, percent] = [numberIn(locale), percentIn(locale)];
  const plain = (head: string, value: (row: Row) => number | null, group = '', style = 'number'): Counted => [
    value,
    [head, (row) => number(value(row)), style, group],
  ];
  const at = (
    group: string,
    active: 'active_now' | 'active_after_30' | 'active_after_60',
    free: 'available_now' | 'available_after_30' | 'available_after_60',
  ): Counted[] => {
    const over = ({ capacity, [active]: count }: Row): number | null =>
      capacity === null || count === null ? null : Math.max(0, count - capacity);
    const overText = (row: Row): string => `${over(row) ? '▲ ' : ''}${number(over(row))}`;
    return [
      plain(texts.occupied, (row) => row[active], group, 'number group'),
      plain(texts.free, (row) => row[free], group),
      [over, [texts.over, overText, (row) => (over(row) ? 'number over' : 'number'), group]],
    ];
  };
  const share = selected_source && put(texts.share, { source: withSteeringShown(selected_source.name) });
  const columns: Counted[] = [
    [fullness, ['%', (row) => <Share row={row} text={percent(row.occupancy_percent)} />, 'number share']],
    ...at(texts.now, 'active_now', 'available_now'),
    ...at(texts.after30, 'active_after_30', 'available_after_30'),
    ...at(texts.after60, 'active_after_60', 'available_after_60'),
    plain(texts.ending30, (row) => row.ending_within_30, ' ', 'number group'),
    plain(texts.ending60, (row) => row.ending_between_30_60, ' '),
    ...(share === null ? [] : [plain(share, (row) => row.source_active_now, ' ')]),
  ];
  // A column without a number but zero says nothing.
  const shown = columns.filter(([value]) => rows.some((row) => (value(row) ?? 0) !== 0));
  const name: Column<Row> = [texts.area, ({ area }) => <bdi>{withSteeringShown(area.name)}</bdi>];
  return [name, ...shown.map(([, column]) => column)];
}

function Areas({ report, order, words }: Drawn & Pick<PictureProps, 'order'>) {
  const { texts, locale } = words;
  const collator = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });
  const byFullness = order === 'fullest' ? 1 : 0;
  const rows = report.rows.toSorted(
    (a, b) => byFullness * (fullness(b) - fullness(a)) || collator.compare(a.area.name, b.area.name),
  );
  if (rows.length === 0) return <p>{texts.noAreas}</p>;
  return <DataTable title={texts.areas} rows={rows} columns={columnsOf(report, words)} rowStyle={toneOf} />;
}

/** The share of an area that is left when it is almost full. */
const ALMOST_FULL = 0.05;

function toneOf({ capacity, available_now }: Row): string {
  if (capacity === null || available_now === null) return 'unknown';
  if (available_now === 0) return 'full';
  return available_now <= Math.max(1, capacity * ALMOST_FULL) ? 'almost_full' : 'available';
}

/** How full an area is, in percent and as a bar. */
function Share({
  row: { capacity, active_now: active },
  text,
}: {
  readonly row: Row;
  readonly text: string;
}) {
  if (capacity === null || active === null) return <>{text}</>;
  const percent = capacity === 0 ? 100 : Math.min(100, (active / capacity) * 100);
  return (
    <>
      {text}
      <svg class="bars" aria-hidden="true">
        <rect width="100%" height={8} />
        <rect class="now" width={`${percent.toFixed(1)}%`} height={8} />
      </svg>
    </>
  );
}
