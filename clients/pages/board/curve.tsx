import { locale } from '../language.ts';
import type { Report } from './calls.ts';
import { type Day, minuteOfDay, type Point } from './day.ts';
import { AFTER_30, AFTER_60, NOW, numberText, OCCUPIED_TODAY } from './words.ts';

const HEIGHT = 200;
/** Room for the numbers of the axis, and for the times below. */
const LEFT = 64;
const BELOW = 28;
const ABOVE = 12;
const MINUTE_MS = 60_000;
const HALF_HOUR_MS = 30 * MINUTE_MS;
/** In minutes: the spans between two times below the curve. */
const STEPS = [15, 30, 60, 120, 240];
/** The width that a time takes. */
const TIME_WIDTH = 90;
const HALF_TIME = 24;
/** Lines across, at most. */
const LINES = 4;

interface CurveProps {
  readonly report: Report;
  readonly day: Day;
  readonly width: number;
}

/** The occupied spaces of the day so far, and what is known of the next hour, with its axes. */
export function Curve({ report, day, width }: CurveProps) {
  const { timezone, totals } = report;
  const later = laterOf(report);
  const most = Math.max(day.most, ...later.map(({ count }) => count));
  const step = stepFor(most);
  const lines = Math.ceil(most / step);
  // From what was heard first to what is known last: the line takes the whole width from its first minute.
  const from = Math.min(day.began, ...later.map(({ at }) => at));
  const span = Math.max(MINUTE_MS, ...later.map(({ at }) => at - from));
  const x = (at: number): string => (LEFT + ((at - from) / span) * (width - LEFT - 4)).toFixed(1);
  const y = (count: number): string =>
    (HEIGHT - BELOW - (count / (lines * step)) * (HEIGHT - BELOW - ABOVE)).toFixed(1);
  // A single point is drawn as well: as the shortest of lines.
  const pointsOf = (points: readonly Point[]): string =>
    (points.length === 1 ? [...points, ...points] : points)
      .map(({ at, count }) => `${x(at)},${y(count)}`)
      .join(' ');
  const across = Array.from({ length: lines + 1 }, (_, index) => index * step);
  const times = timesWithin(from, span, timezone, Math.floor((width - LEFT) / TIME_WIDTH));
  const known = [
    `${NOW} ${numberText(totals.active_now)}`,
    `${AFTER_30} ${numberText(totals.active_after_30)}`,
    `${AFTER_60} ${numberText(totals.active_after_60)}`,
  ];
  return (
    <svg
      {...{ class: 'day', viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img' }}
      aria-label={`${OCCUPIED_TODAY}: ${known.join(', ')}`}
    >
      {across.map((count) => (
        <g key={count}>
          <line x1={LEFT} x2={width} y1={y(count)} y2={y(count)} />
          <text x={LEFT - 8} y={Number(y(count)) + 5} text-anchor="end">
            {numberText(count)}
          </text>
        </g>
      ))}
      {times.map((at) => (
        <g key={at}>
          <line x1={x(at)} x2={x(at)} y1={HEIGHT - BELOW} y2={HEIGHT - BELOW + 6} />
          <text x={x(at)} y={HEIGHT - 6} text-anchor={Number(x(at)) > width - HALF_TIME ? 'end' : 'middle'}>
            {timeOf(at, timezone)}
          </text>
        </g>
      ))}
      <polyline class="later" points={pointsOf(later)} stroke-linecap="round" />
      {day.parts.map((points) => (
        <polyline key={points[0]?.at} class="past" points={pointsOf(points)} stroke-linecap="round" />
      ))}
    </svg>
  );
}

/** The distance of two lines across: 1, 2 or 5 of a power of ten. */
function stepFor(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most / LINES));
  return Math.max(
    1,
    [1, 2, 5, 10].map((part) => part * power).find((step) => most / step <= LINES) ?? power * 10,
  );
}

/** The round times of the local clock that are written under the line. */
function timesWithin(from: number, span: number, timezone: string, most: number): number[] {
  const step = STEPS.find((minutes) => span / (minutes * MINUTE_MS) <= most) ?? 240;
  const past = minuteOfDay(from, timezone) % step;
  const first = from - (from % MINUTE_MS) + (past === 0 ? 0 : step - past) * MINUTE_MS;
  const count = Math.max(0, Math.ceil((from + span - first) / (step * MINUTE_MS)));
  return Array.from({ length: count }, (_, index) => first + index * step * MINUTE_MS);
}

const timeOf = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone }).format(at);

/** The line from now to an hour from now. What lies past midnight belongs to another day, and is left out. */
function laterOf({ checked_at, timezone, totals }: Report): Point[] {
  const counts = [totals.active_now, totals.active_after_30, totals.active_after_60];
  const now = Date.parse(checked_at);
  const began = minuteOfDay(now, timezone);
  return counts
    .map((count, index) => ({ at: now + index * HALF_HOUR_MS, count: count ?? 0 }))
    .filter(({ at }) => minuteOfDay(at, timezone) >= began);
}
