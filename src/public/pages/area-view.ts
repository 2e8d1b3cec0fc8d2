import type { AreaDetails, Coordinates, Snapshot, SnapshotArea } from '../../core/snapshots/snapshot.ts';
import type { CapacityFigures } from '../../domain/capacity.ts';
import type { Instant } from '../../domain/instant.ts';
import { PAID_DAYS, type PaidDay, type PaidSpan } from '../../domain/patrol/paid-hours.ts';
import { type DaysHours, weekOf } from '../../domain/patrol/paid-week.ts';
import {
  AREA_STATUSES,
  type AreaStatus,
  type DataQuality,
  type PublicView,
  publicView,
} from '../../domain/public-status.ts';
import { type Html, html, nameOf, trustMarkup } from './layout.ts';
import type { Texts } from './texts.ts';

/** An area and its public view. */
export interface ViewedArea {
  readonly area: SnapshotArea;
  readonly view: PublicView;
}

/** The settings that all areas of a city's page share. */
interface AreaSetting {
  readonly texts: Texts;
  /** Whether the city has streets and facilities, so that each area must name its type. */
  readonly hasBothTypes: boolean;
  /** In a frame, links to other sites open in a new tab: most sites refuse to be framed. */
  readonly isFrame: boolean;
  readonly time: (at: Instant) => string;
  /** With the day of the week, for the next days. */
  readonly when: (at: Instant) => string;
}

/** The areas of a snapshot with their public views. */
export const viewsOf = ({ areas, at }: Snapshot, quality: DataQuality): ViewedArea[] =>
  areas.map((area) => {
    const { capacity, all, details } = area;
    return {
      area,
      view: publicView({ capacity, counters: all, closedUntil: details.closedUntil }, at, quality),
    };
  });

/** Orders areas by most free spaces, then full, unknown and closed ones. */
export function compareFree(a: ViewedArea, b: ViewedArea): number {
  return freeOf(b) - freeOf(a);
}

/** Free spaces, or a negative number for an area without figures: closed is below unknown, and unknown below full. */
const freeOf = ({ view: { status, figures } }: ViewedArea): number =>
  figures?.availableNow ?? AREA_STATUSES.indexOf(status) - AREA_STATUSES.length;

/** A shape for each status, so that it can be told without colour. */
const SHAPES: Readonly<Record<AreaStatus, Html>> = {
  available: html`<circle cx="8" cy="8" r="6"/>`,
  almost_full: html`<path d="M8 2 15 14H1Z"/>`,
  full: html`<path d="M2 2h12v12H2Z"/><path class="cut" d="M4.5 8h7"/>`,
  closed: html`<path class="outline" d="M3 3 13 13M13 3 3 13"/>`,
  unknown: html`<path class="outline" d="M8 2 14 8 8 14 2 8Z"/>`,
};

/** A status in a shape and a word. */
export const statusOf = (status: AreaStatus, words: string): Html =>
  html`<p class="status"><svg viewBox="0 0 16 16" aria-hidden="true">${SHAPES[status]}</svg> ${words}</p>`;

/** A number of free spaces, and of how many. */
export function freeSpaces(free: number, capacity: number, { locale, free: word, of }: Texts): Html {
  const { format } = new Intl.NumberFormat(locale);
  return html`<span><b>${format(free)}</b> ${word(free)}</span> <small>${of(format(capacity))}</small>`;
}

/** An area of a city's page: its free spaces, and what a driver wants to know of it. */
export function areaItem({ area, view }: ViewedArea, setting: AreaSetting): Html {
  const { texts, hasBothTypes, time } = setting;
  const { status } = view;
  const { address, closedUntil } = area.details;
  const subtitle = [hasBothTypes ? texts.types[area.areaType] : null, address && nameOf(address)];
  const lines = subtitle.filter((line) => line !== null).map((line) => html`<small>${line}</small>`);
  const words =
    status === 'closed' && closedUntil !== null
      ? texts.closedUntil(time(closedUntil))
      : texts.statuses[status];
  return html`<li class="area ${status}"${dataOf(area.coordinates)}>
<h2>${nameOf(area.name)}${lines}</h2>
${statusOf(status, words)}
${view.figures === null || area.capacity === null ? null : writeFigures(view.figures, area.capacity, texts)}
${writeFacts(area.details, setting)}
${writeLinks(area, setting)}
</li>
`;
}

/** The coordinates, for the script that sorts by distance. */
const dataOf = (at: Coordinates | null): Html | null =>
  at === null ? null : html` data-lat="${at.latitude}" data-lon="${at.longitude}"`;

/** From this part of the capacity on, a change within half an hour is told in words. */
const CHANGE_PART = 33;

function writeFigures(figures: CapacityFigures, capacity: number, texts: Texts): Html {
  const { availableNow: now, availableAfter30: after30, availableAfter60: after60 } = figures;
  const { format } = new Intl.NumberFormat(texts.locale);
  const bar = (style: string, y: number, height: number, free: number): Html =>
    html`<rect class="${style}" y="${y}" width="${capacity === 0 ? 0 : Math.round((free / capacity) * 100)}%" height="${height}"/>`;
  const isTold = after30 !== now && Math.abs(after30 - now) * CHANGE_PART >= capacity;
  return html`<div class="free">${freeSpaces(now, capacity, texts)}
<svg class="bars" role="img" aria-label="${texts.forecast(format(after30), format(after60))}"><rect width="100%" height="6"/>${bar('fill', 0, 6, now)}${bar('later', 8, 3, after30)}${bar('later', 13, 3, after60)}</svg></div>
${isTold ? html`<p class="trend" aria-hidden="true">${texts.later(format(after30))}</p>` : null}`;
}

function writeFacts(details: AreaDetails, setting: AreaSetting): Html | null {
  const { texts } = setting;
  const { priceNote, maxHeightCm, disabledSpaces, chargingSpaces } = details;
  const number = new Intl.NumberFormat(texts.locale);
  const metres = new Intl.NumberFormat(texts.locale, {
    ...({ style: 'unit', unit: 'meter', minimumFractionDigits: 2 } as const),
  });
  const facts: [string, Html | string | null][] = [
    [texts.price, priceNote === null ? null : nameOf(priceNote)],
    [texts.hours, hoursOf(details, setting)],
    [texts.height, maxHeightCm === null ? null : metres.format(maxHeightCm / 100)],
    [texts.disabled, disabledSpaces === null ? null : number.format(disabledSpaces)],
    [texts.charging, chargingSpaces === null ? null : number.format(chargingSpaces)],
  ];
  const known = facts.filter(([, value]) => value !== null);
  return known.length === 0
    ? null
    : html`<dl class="facts">${known.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Links to directions, in a web map and in a phone's map app, and to the area's website. */
function writeLinks({ coordinates, details: { website } }: SnapshotArea, setting: AreaSetting): Html | null {
  if (coordinates === null && website === null) return null;
  const { texts, isFrame } = setting;
  const target = isFrame ? trustMarkup(' target="_blank"') : null;
  const point = coordinates && `${coordinates.latitude},${coordinates.longitude}`;
  const directions = html`<a class="button" href="https://www.openstreetmap.org/directions?to=${point}" rel="noopener nofollow"${target}>${texts.directions}</a> <a class="button" href="geo:${point}?q=${point}">${texts.mapApp}</a>`;
  return html`<p class="go">${point === null ? null : directions}${website === null ? null : html` <a href="${website}" rel="noopener nofollow"${target}>${texts.website}</a>`}</p>`;
}

/** When payment is due, and until when it now is or is not. Null if it always is: the price says enough. */
function hoursOf(
  { paidHours, paymentDue, paymentDueChangesAt }: AreaDetails,
  { texts, when }: AreaSetting,
): string | null {
  if (paidHours === null) return null;
  const spans = hoursText(paidHours, texts);
  if (spans.length === 0) return texts.unpaid;
  const until = paymentDueChangesAt && when(paymentDueChangesAt);
  const now = until && (paymentDue ? texts.paidUntil(until) : texts.unpaidUntil(until));
  return `${spans.join('; ')}${now ? ` (${now})` : ''}`;
}

/** The paid hours of a week, one text for each group of days: `Mon–Sat 08:00–20:00`. */
function hoursText(paidHours: readonly PaidSpan[], texts: Texts): string[] {
  return weekOf(paidHours).map(({ days, hours }) => `${daysText(days, texts)} ${timesText(hours)}`);
}

const timesText = (hours: DaysHours['hours']): string =>
  hours.map(({ from, to }) => `${from}–${to}`).join(', ');

/** Writes three or more consecutive days as a range. */
function daysText(days: readonly PaidDay[], texts: Texts): string {
  const runs: PaidDay[][] = [];
  for (const day of days) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && day !== 'holiday' && PAID_DAYS.indexOf(day) === PAID_DAYS.indexOf(last) + 1) {
      run.push(day);
    } else {
      runs.push([day]);
    }
  }
  const named = runs.map((run) => run.map((day) => dayName(day, texts)));
  return named.flatMap((names) => (names.length > 2 ? `${names[0]}–${names.at(-1)}` : names)).join(', ');
}

function dayName(day: PaidDay, { locale, holidays }: Texts): string {
  if (day === 'holiday') return holidays;
  // 1970-01-05 was a Monday.
  const date = Date.UTC(1970, 0, 5 + PAID_DAYS.indexOf(day));
  return new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' }).format(date);
}
