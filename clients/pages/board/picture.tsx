import { withSteeringShown } from '../../../src/base/text/text.ts';
import { type Column, DataTable } from '../components/table.tsx';
import { locale, say } from '../language.ts';
import type { Report } from './calls.ts';
import { Curve } from './curve.tsx';
import type { Day } from './day.ts';
import {
  AFTER_30,
  AFTER_60,
  FREE,
  NO_AREAS,
  NOW,
  numberText,
  OCCUPIED,
  OCCUPIED_TODAY,
  percentText,
} from './words.ts';

type Row = Report['rows'][number];

interface PictureProps {
  readonly report: Report;
  readonly day: Day;
  /** Of the curve, in pixels. */
  readonly width: number;
}

/** A report as those see it who watch a city: the sums, the late sources, the day so far, and each area. */
export const Picture = ({ report, day, width }: PictureProps) => (
  <>
    <Tiles report={report} />
    <LateSources report={report} />
    <h2>{OCCUPIED_TODAY}</h2>
    <Curve {...{ report, day, width }} />
    <p class="note">
      {say(
        'Since this page was opened. The dashed line is the forecast for the next hour. A gap means that no figures arrived.',
        'Da quando la pagina è aperta; il tratteggio è la previsione per la prossima ora. Dove non è arrivato nulla, c’è un’interruzione.',
      )}
    </p>
    <Areas report={report} />
  </>
);

type Drawn = Pick<PictureProps, 'report'>;

function Tiles({ report: { totals, capacity_totals: spaces } }: Drawn) {
  const excess = spaces.excess_now ?? 0;
  const ending30 = totals.ending_within_30 ?? 0;
  const ending60 = totals.ending_between_30_60 ?? 0;
  const [now, all, soon] = [spaces.active_now, spaces.spaces_count, ending30].map(numberText);
  const tiles: readonly (readonly [
    term: string,
    value: string,
    note?: string | undefined,
    style?: string,
  ])[] = [
    [OCCUPIED, percentText(spaces.occupancy_percent), say(`${now} of ${all}`, `${now} su ${all}`)],
    [FREE, numberText(spaces.available_now)],
    [say('Over capacity', 'Oltre la capienza'), numberText(excess), undefined, excess > 0 ? 'over' : ''],
    [say('Free in 30 min', 'Liberi tra 30 min'), numberText(spaces.available_after_30)],
    [say('Free in 60 min', 'Liberi tra 60 min'), numberText(spaces.available_after_60)],
    [
      say('Ends within the hour', 'Fine entro un’ora'),
      numberText(ending30 + ending60),
      say(`${soon} within 30 min`, `${soon} entro 30 min`),
    ],
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

function LateSources({ report: { sources, source_freshness: freshness, timezone: timeZone } }: Drawn) {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'short', timeZone });
  const late = freshness.flatMap(({ source_id, status, last_successful_import_at: at }) => {
    const found = sources.find(({ id, active }) => id === source_id && active);
    if (found === undefined || status === 'fresh' || status === 'native') return [];
    const source = withSteeringShown(found.name);
    if (at === null) return [say(`${source} has never reported`, `${source} non ha mai trasmesso`)];
    const time = format.format(Date.parse(at));
    return [say(`${source} is late: last heard ${time}`, `${source} è in ritardo: ultimo dato ${time}`)];
  });
  if (late.length === 0) {
    const good = say('All sources report on time.', 'Tutte le sorgenti trasmettono in tempo.');
    return <p class="note">{good}</p>;
  }
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

const plain = (head: string, value: (row: Row) => number | null, group = '', style = 'number'): Counted => [
  value,
  [head, (row) => numberText(value(row)), style, group],
];

/** The columns of one of the three instants. */
function columnsAt(
  group: string,
  active: 'active_now' | 'active_after_30' | 'active_after_60',
  free: 'available_now' | 'available_after_30' | 'available_after_60',
): Counted[] {
  const over = ({ capacity, [active]: count }: Row): number | null =>
    capacity === null || count === null ? null : Math.max(0, count - capacity);
  const overText = (row: Row): string => `${over(row) ? '▲ ' : ''}${numberText(over(row))}`;
  const style = (row: Row): string => (over(row) ? 'number over' : 'number');
  return [
    plain(OCCUPIED, (row) => row[active], group, 'number group'),
    plain(FREE, (row) => row[free], group),
    [over, [say('Over', 'Oltre'), overText, style, group]],
  ];
}

function columnsOf({ rows, selected_source: source }: Report): Column<Row>[] {
  const share = source && say(`Of ${source.name}`, `Di ${source.name}`);
  const columns: Counted[] = [
    [fullness, ['%', (row) => <Share row={row} />, 'number share']],
    ...columnsAt(NOW, 'active_now', 'available_now'),
    ...columnsAt(AFTER_30, 'active_after_30', 'available_after_30'),
    ...columnsAt(AFTER_60, 'active_after_60', 'available_after_60'),
    plain(say('Ends within 30 min', 'Fine entro 30 min'), (row) => row.ending_within_30, ' ', 'number group'),
    plain(say('Ends in 30 to 60 min', 'Fine tra 30 e 60 min'), (row) => row.ending_between_30_60, ' '),
    ...(share === null ? [] : [plain(withSteeringShown(share), (row) => row.source_active_now, ' ')]),
  ];
  // A column without a number but zero says nothing.
  const shown = columns.filter(([value]) => rows.some((row) => (value(row) ?? 0) !== 0));
  return [
    ['Area', ({ area }) => <bdi>{withSteeringShown(area.name)}</bdi>],
    ...shown.map(([, column]) => column),
  ];
}

/** The areas, the fullest first. */
function Areas({ report }: Drawn) {
  if (report.rows.length === 0) return <p>{NO_AREAS}</p>;
  const collator = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });
  const rows = report.rows.toSorted(
    (a, b) => fullness(b) - fullness(a) || collator.compare(a.area.name, b.area.name),
  );
  return <DataTable title={say('Areas', 'Aree')} rows={rows} columns={columnsOf(report)} rowStyle={toneOf} />;
}

/** The share of an area that is left when it is almost full. */
const ALMOST_FULL = 0.05;

function toneOf({ capacity, available_now }: Row): string {
  if (capacity === null || available_now === null) return 'unknown';
  if (available_now === 0) return 'full';
  return available_now <= Math.max(1, capacity * ALMOST_FULL) ? 'almost_full' : 'available';
}

/** How full an area is, in percent and as a bar. */
function Share({ row }: { readonly row: Row }) {
  const text = percentText(row.occupancy_percent);
  if (row.capacity === null) return <>{text}</>;
  const percent = Math.min(100, fullness(row) * 100);
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
