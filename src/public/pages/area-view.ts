import type { AreaDetails, Coordinates, Snapshot, SnapshotArea } from '../../core/snapshots/snapshot.ts';
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

/** An area and its public view. */
export interface ViewedArea {
  readonly area: SnapshotArea;
  readonly view: PublicView;
}

/** A viewed area with its number on the page. */
export interface ShownArea extends ViewedArea {
  readonly number: number;
}

/** The settings that all areas of a city's page share. */
interface AreaSetting {
  readonly texts: Texts;
  readonly quality: DataQuality;
  /** Whether the city has streets and facilities, so that each area must name its type. */
  readonly hasBothTypes: boolean;
  /** In a frame, links to other sites open in a new tab: most sites refuse to be framed. */
  readonly isFrame: boolean;
  readonly time: (at: Instant) => string;
  /** With the day of the week, for the next days. */
  readonly when: (at: Instant) => string;
}

export const viewOf = (
  { capacity, all, details }: SnapshotArea,
  { at }: Snapshot,
  quality: DataQuality,
): PublicView => publicView({ capacity, counters: all, closedUntil: details.closedUntil }, at, quality);

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

/** An area of a city's page: a row, which opens if the area has details. */
export function areaItem({ area, view, number }: ShownArea, setting: AreaSetting): Html {
  const { texts, hasBothTypes } = setting;
  const { status } = view;
  const row = html`<h2><span class="number">${number}</span> ${nameOf(area.name)}${hasBothTypes ? html` <small>${texts.types[area.areaType]}</small>` : null}</h2>
<span class="status"><svg viewBox="0 0 16 16" aria-hidden="true">${SHAPES[status]}</svg> ${texts.statuses[status]}</span>
${writeFigures(area, view, setting)}`;
  const more = writeDetails(area, setting);
  return html`<li class="area ${status}"${coordinatesOf(area.coordinates)}>
${more === null ? html`<div class="row">${row}</div>` : html`<details><summary class="row">${row}</summary><div id="${anchorOf(area)}">${more}</div></details>`}
</li>
`;
}

/** The coordinates, for the script that sorts by distance. */
const coordinatesOf = (at: Coordinates | null): Html | null =>
  at === null ? null : html` data-lat="${at.latitude}" data-lon="${at.longitude}"`;

/** The id of an area's details, by which a refresh keeps them open. */
const anchorOf = ({ code }: SnapshotArea): string => `area-${encodeURIComponent(code)}`;

function writeFigures(
  { capacity, details: { closedUntil } }: SnapshotArea,
  view: PublicView,
  { texts, quality, time }: AreaSetting,
): Html | null {
  if (view.status === 'closed' && closedUntil !== null) {
    return html`<span class="note">${texts.closedUntil(time(closedUntil))}</span>`;
  }
  if (view.figures === null || capacity === null) return null;
  const { format } = new Intl.NumberFormat(texts.locale);
  const { availableNow, availableAfter30, availableAfter60 } = view.figures;
  const cell = (when: string, free: number, words: string): Html =>
    html`<span>${when} <b>${words}</b><svg class="bar" aria-hidden="true"><rect width="${percent(free, capacity)}%" height="100%"/></svg></span>
`;
  return html`<span class="figures">${cell(quality === 'good' ? texts.now : texts.last, availableNow, texts.free(format(availableNow), format(capacity)))}${cell(texts.inMinutes('30'), availableAfter30, format(availableAfter30))}${cell(texts.inMinutes('60'), availableAfter60, format(availableAfter60))}</span>`;
}

const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.min(100, Math.round((part / whole) * 100));

/** When payment is due, and until when it now is or is not. Null if it always is: the price says enough. */
function hoursOf(
  { paidHours, paymentDue, paymentDueChangesAt }: AreaDetails,
  { texts, when }: AreaSetting,
): Html | string | null {
  if (paidHours === null) return null;
  const lines = hoursText(paidHours, texts);
  if (lines.length === 0) return texts.unpaid;
  const until = paymentDueChangesAt && when(paymentDueChangesAt);
  const now = until && (paymentDue ? texts.paidUntil(until) : texts.unpaidUntil(until));
  return html`${lines.map((line) => html`<span>${line}</span> `)}${now === null ? null : html`<small>${now}</small>`}`;
}

function writeDetails({ details, coordinates }: SnapshotArea, setting: AreaSetting): Html | null {
  const { texts, isFrame } = setting;
  const { address, website, priceNote, maxHeightCm, disabledSpaces, chargingSpaces } = details;
  const number = new Intl.NumberFormat(texts.locale);
  const metres = new Intl.NumberFormat(texts.locale, { style: 'unit', unit: 'meter' });
  const target = isFrame ? trustMarkup(' target="_blank"') : null;
  const rows: [string, Html | string | null][] = [
    [texts.address, address === null ? null : nameOf(address)],
    [texts.hours, hoursOf(details, setting)],
    [texts.price, priceNote === null ? null : nameOf(priceNote)],
    [texts.height, maxHeightCm === null ? null : metres.format(maxHeightCm / 100)],
    [texts.disabled, disabledSpaces === null ? null : number.format(disabledSpaces)],
    [texts.charging, chargingSpaces === null ? null : number.format(chargingSpaces)],
    [
      texts.website,
      website === null
        ? null
        : html`<a href="${website}" rel="noopener nofollow"${target}>${hostOf(website)}</a>`,
    ],
    [texts.directions, coordinates === null ? null : directionsTo(coordinates, texts, target)],
  ];
  const known = rows.filter(([, value]) => value !== null);
  return known.length === 0
    ? null
    : html`<dl class="details">${known.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Links to directions: in a web map, and in the device's map app. */
function directionsTo({ latitude, longitude }: Coordinates, texts: Texts, target: Html | null): Html {
  const point = `${latitude},${longitude}`;
  return html`<a href="https://www.openstreetmap.org/directions?to=${point}" rel="noopener nofollow"${target}>OpenStreetMap</a> <a href="geo:${point}?q=${point}">${texts.mapApp}</a>`;
}

const hostOf = (website: string): string => (URL.canParse(website) ? new URL(website).host : website);
