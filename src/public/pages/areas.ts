import { html, raw } from 'hono/html';
import type { Snapshot, SnapshotArea } from '../../core/snapshots/snapshot.ts';
import type { CapacityFigures } from '../../domain/capacity.ts';
import { PAID_DAYS, type PaidDay, type PaidSpan } from '../../domain/patrol/paid-hours.ts';
import { runsOf, weekOf } from '../../domain/patrol/paid-week.ts';
import {
  AREA_STATUSES,
  type AreaStatus,
  type DataQuality,
  type PublicView,
  publicView,
} from '../../domain/public-status.ts';
import { type Asked, type Html, nameOf, type timesOf } from './page.ts';

/** An area with its public view. */
export type ViewedArea = SnapshotArea & PublicView;

/** What writing an area of a city needs to know. */
interface City {
  readonly asked: Asked;
  readonly times: ReturnType<typeof timesOf>;
  /** Whether the city has streets and facilities, so that each area must name its type. */
  readonly hasBothTypes: boolean;
}

/** The areas of a snapshot with their public views. */
export const viewsOf = ({ areas, at }: Snapshot, quality: DataQuality): ViewedArea[] =>
  areas.map((area) => ({ ...area, ...publicView(area, at, quality) }));

/** Free spaces; below zero for an area without figures: first unknown ones, then closed ones. */
export const freeOf = ({ status, figures }: ViewedArea): number =>
  figures?.availableNow ?? AREA_STATUSES.indexOf(status) - AREA_STATUSES.length;

/** A shape for each status, so that it can be told without colour. */
const SHAPES: Readonly<Record<AreaStatus, Html>> = {
  available: html`<circle cx="8" cy="8" r="6"/>`,
  almost_full: html`<path d="M8 2 15 14H1Z"/>`,
  full: html`<path d="M2 2h12v12H2Z"/><path class="cut" d="M4.5 8h7"/>`,
  closed: html`<path class="outline" d="M3 3 13 13M13 3 3 13"/>`,
  unknown: html`<path class="outline" d="M8 2 14 8 8 14 2 8Z"/>`,
};

/** A status in a shape and in words. */
export const statusOf = (status: AreaStatus, words: string): Html =>
  html`<p class="status"><svg viewBox="0 0 16 16" aria-hidden="true">${SHAPES[status]}</svg> ${words}</p>`;

/** A number of free spaces, and of how many. */
export const freeSpaces = (free: number, capacity: number, { texts, number }: Asked): Html =>
  html`<span><b>${number(free)}</b> ${texts.free(free)}</span> <small>${texts.of(number(capacity))}</small>`;

/** An area in a city's list: its free spaces, and what a driver wants to know of it. */
export function areaItem(area: ViewedArea, city: City): Html {
  const { asked, times, hasBothTypes } = city;
  const { texts } = asked;
  const { status, figures, capacity, latitude, longitude, address, closedUntil } = area;
  const words =
    status === 'closed' && closedUntil !== null
      ? texts.closedUntil(times.short(closedUntil))
      : texts.statuses[status];
  return html`<li class="area ${status}"${latitude !== null && html` data-lat="${latitude}" data-lon="${longitude}"`}>
<h2>${nameOf(area.name)}${hasBothTypes && html`<small>${texts.types[area.areaType]}</small>`}${address && html`<small>${nameOf(address)}</small>`}</h2>
${statusOf(status, words)}
${figures && capacity !== null && figuresOf(figures, capacity, asked)}
${factsOf(area, city)}
${linksOf(area, asked)}
</li>
`;
}

/** The forecast is put into words if free spaces change by a thirty-third of the capacity within half an hour. */
const TOLD_PART = 33;

function figuresOf(figures: CapacityFigures, capacity: number, asked: Asked): Html {
  const { texts, number } = asked;
  const { availableNow: now, availableAfter30: after30, availableAfter60: after60 } = figures;
  const bar = (style: string, y: number, height: number, free: number): Html =>
    html`<rect class="${style}" y="${y}" width="${Math.round((free / (capacity || 1)) * 100)}%" height="${height}"/>`;
  const isTold = after30 !== now && Math.abs(after30 - now) * TOLD_PART >= capacity;
  return html`<div class="free">${freeSpaces(now, capacity, asked)}
<svg class="bars" role="img" aria-label="${texts.forecast(number(after30), number(after60))}"><rect width="100%" height="6"/>${bar('fill', 0, 6, now)}${bar('later', 8, 3, after30)}${bar('later', 13, 3, after60)}</svg></div>
${isTold && html`<p class="trend" aria-hidden="true">${texts.later(number(after30))}</p>`}`;
}

function factsOf(area: SnapshotArea, city: City): Html | null {
  const { texts, number } = city.asked;
  const { priceNote, maxHeightCm, disabledSpaces, chargingSpaces } = area;
  const metre = { style: 'unit', unit: 'meter', minimumFractionDigits: 2 } as const;
  const facts = [
    [texts.price, priceNote && nameOf(priceNote)],
    [texts.hours, hoursOf(area, city)],
    [texts.height, maxHeightCm && new Intl.NumberFormat(texts.locale, metre).format(maxHeightCm / 100)],
    [texts.disabled, disabledSpaces === null ? null : number(disabledSpaces)],
    [texts.charging, chargingSpaces === null ? null : number(chargingSpaces)],
  ].filter(([, value]) => value !== null);
  if (facts.length === 0) return null;
  return html`<dl class="facts">${facts.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Directions, in a web map and in a phone's map app, and the area's website. In a frame they open in a new tab: most sites refuse to be framed. */
function linksOf({ latitude, longitude, website }: SnapshotArea, { texts, isFrame }: Asked): Html | null {
  if (latitude === null && website === null) return null;
  const target = isFrame && raw(' target="_blank"');
  const point = latitude === null ? null : `${latitude},${longitude}`;
  const directions = html`<a class="button" href="https://www.openstreetmap.org/directions?to=${point}" rel="noopener nofollow"${target}>${texts.directions}</a> <a class="button" href="geo:${point}?q=${point}">${texts.mapApp}</a>`;
  return html`<p class="go">${point && directions}${website && html` <a href="${website}" rel="noopener nofollow"${target}>${texts.website}</a>`}</p>`;
}

/** When payment is due, and until when it now is or is not. Null if it always is: the price says enough. */
function hoursOf(
  { paidHours, paymentDue, paymentDueChangesAt }: SnapshotArea,
  { asked: { texts }, times }: City,
): string | null {
  if (paidHours === null) return null;
  const { format } = new Intl.DateTimeFormat(texts.locale, { weekday: 'short', timeZone: 'UTC' });
  // 1970-01-05 was a Monday.
  const week = weekText(paidHours, (day) =>
    day === 'holiday' ? texts.holidays : format(Date.UTC(1970, 0, 5 + PAID_DAYS.indexOf(day))),
  );
  if (week === '') return texts.unpaid;
  const until = paymentDueChangesAt && times.inWeek(paymentDueChangesAt);
  const now = until && (paymentDue ? texts.paidUntil(until) : texts.unpaidUntil(until));
  return `${week}${now ? ` (${now})` : ''}`;
}

/** Paid hours as people write them: `Mon–Fri 08:00–13:00, 14:30–20:00; Sat 08:00–13:00`. Empty if there are none. */
const weekText = (paidHours: readonly PaidSpan[], nameOfDay: (day: PaidDay) => string): string =>
  weekOf(paidHours)
    .map(({ days, hours }) => {
      const runs = runsOf(days).map((run) => run.map(nameOfDay).join('–'));
      return `${runs.join(', ')} ${hours.map(({ from, to }) => `${from}–${to}`).join(', ')}`;
    })
    .join('; ');
